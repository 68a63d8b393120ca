package interop_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// decided are the differences from the recorded server that are meant, each
// with its reason.
var decided = map[string]string{
	"server/discover: more supportedVersions":      "the recorded server serves the older revisions too, but does not name them here",
	"prompts/list: order":                          "ours is by name, the recorded one as the prompts were registered",
	"prompts/list: also test_progress":             "the recorded server was not asked for progress",
	"prompts/list: also test_slow":                 "the recorded server had nothing to cancel",
	"prompts/get test_trigger_prompt_change: text": "ours says which prompt it has added",
	"notifications: also notifications/cancelled":  "ours ends a subscription with this after the answer (GAP-24)",
}

// What the clients of other SDKs said to a server that was not this one, sent
// to this one: its answers must come to the same. The folder's files are named
// after the client and the revision that it and the server agreed on.
func TestReplay(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("transcripts", "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "there are no transcripts")
	fixture := built(t).path("fixture")

	var mu sync.Mutex // protects the variable below
	seen := map[string]bool{}
	t.Run("transcript", func(t *testing.T) {
		for _, file := range files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
				t.Parallel()
				recorded := readRecording(t, file)
				text := replay(t, fixture, recorded)
				for _, d := range compare(recorded, parseRecording(t, text)) {
					reason, ok := decided[d.where]
					if !ok {
						t.Errorf("%s: %s", d.where, d.detail)
						continue
					}
					mu.Lock()
					seen[d.where] = true
					mu.Unlock()
					t.Logf("meant, %s: %s", d.where, reason)
				}
				judge(t, text)
				if t.Failed() {
					t.Logf("the session:\n%s", text)
				}
			})
		}
	})
	for where := range decided {
		assert.True(t, seen[where], "no transcript shows the difference any more: %s", where)
	}
}

const (
	// patience is how long the server may take for anything.
	patience = 2 * time.Minute
	// recordedPageSize is that of the recorded server.
	recordedPageSize = "4"
	// maxPages ends a walk that does not end by itself.
	maxPages = 100
)

// replayer says to a server what a client has said to another.
type replayer struct {
	t        *testing.T
	recorded recording
	toServer io.Writer
	lines    <-chan string // of the server; closed at the end of its output
	text     strings.Builder
	said     recording // the same, parsed
	walked   int       // how many requests of its own the replayer has sent
}

// replay returns the session in the form of a recording. A line of the client
// is sent as soon as the server has said what it had said before it in the
// recording. Where the client repeats what the server has given it, a cursor or
// a requestState, it repeats this server's.
func replay(t *testing.T, command string, recorded recording) string {
	t.Helper()
	toServer, lines, ended := start(t, command, "-pagesize", recordedPageSize)
	r := &replayer{t: t, recorded: recorded, toServer: toServer, lines: lines}
	var due recording
	for i, l := range recorded {
		if l.from == server {
			due = append(due, l)
			continue
		}
		r.await(due)
		due = nil
		r.send(r.adapt(recorded[:i], l))
	}
	r.await(due)

	require.NoError(t, toServer.Close())
	for r.read("end of its output") {
	}
	require.NoError(t, ended(), "the server's exit")
	return r.text.String()
}

// start starts a server. Its standard error goes to the test's log.
func start(t *testing.T, command string, args ...string) (toServer io.WriteCloser, lines <-chan string, ended func() error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command, args...)
	var stderr bytes.Buffer
	fromServer, stdout := io.Pipe()
	cmd.Stdout, cmd.Stderr = stdout, &stderr
	toServer, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	exit := make(chan error, 1)
	go func() { // ends with the server, at the latest with the test
		exit <- cmd.Wait()
		_ = stdout.Close()
	}()
	out := make(chan string)
	go func() { // ends with the output, at the latest with the test
		defer close(out)
		scanner := bufio.NewScanner(fromServer)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			select {
			case out <- scanner.Text():
			case <-t.Context().Done():
				return
			}
		}
	}()
	t.Cleanup(func() { // the test's context has ended, and so the server
		_ = fromServer.Close()
	})
	return toServer, out, func() error {
		if err := <-exit; err != nil || stderr.Len() > 0 {
			t.Logf("the server said:\n%s", stderr.String())
			return err
		}
		return nil
	}
}

func (r *replayer) send(text string) {
	r.t.Helper()
	r.note(client, text)
	_, err := io.WriteString(r.toServer, text+"\n")
	require.NoError(r.t, err, "the server does not read\n%s", r.text.String())
}

// note adds a line to the session.
func (r *replayer) note(from, text string) {
	r.t.Helper()
	l := line{number: len(r.said) + 1, from: from, text: text}
	fmt.Fprintf(&r.text, "%s> %s\n", from, text)
	require.NoError(r.t, json.Unmarshal([]byte(text), &l.message), "in the last line of\n%s", r.text.String())
	r.said = append(r.said, l)
}

// read takes the next line of the server, which is to be what owed says. It
// reports false at the end of the output.
func (r *replayer) read(owed string) bool {
	r.t.Helper()
	select {
	case text, ok := <-r.lines:
		if ok {
			r.note(server, text)
		}
		return ok
	case <-time.After(patience):
		r.t.Fatalf("the server has been silent for %v, and owes:\n%s\n\nso far:\n%s", patience, owed, r.text.String())
		return false
	}
}

// await waits until the server has said what it said in the recording.
func (r *replayer) await(due recording) {
	r.t.Helper()
	for _, l := range due {
		require.False(r.t, l.isRequest(), "the replay cannot answer the server's requests: %s", l.text)
		for !r.hasSaid(l) {
			if !r.read(l.text) {
				r.t.Fatalf("the server has ended, and owes:\n%s\n\nso far:\n%s", l.text, r.text.String())
			}
		}
	}
	for _, l := range due {
		if l.Result != nil && l.Result.Prompts != nil && l.Result.NextCursor == nil {
			r.walkOn(l)
		}
	}
}

// hasSaid reports whether the server has said what corresponds to a line of
// the recorded one.
func (r *replayer) hasSaid(recorded line) bool {
	for _, l := range r.said {
		if l.from == server && l.Method == recorded.Method && bytes.Equal(l.ID, recorded.ID) &&
			bytes.Equal(l.Params.Meta.SubscriptionID, recorded.Params.Meta.SubscriptionID) {
			return true
		}
	}
	return false
}

// walkOn gets the rest of the list, if it is longer than the recorded one,
// whose last page is given.
func (r *replayer) walkOn(last line) {
	r.t.Helper()
	request := r.recorded.request(last)
	answer := r.said.answerTo(request)
	for answer.Result != nil && answer.Result.NextCursor != nil {
		r.walked++
		require.LessOrEqual(r.t, r.walked, maxPages, "the list has no end")
		id := fmt.Sprintf(`"replay-%d"`, r.walked)
		text := set(r.t, request.text, json.RawMessage(id), "id")
		r.send(set(r.t, text, quote(*answer.Result.NextCursor), "params", "cursor"))
		request := r.said[len(r.said)-1]
		for len(r.said.answers(request)) == 0 && r.read("an answer to "+request.text) {
		}
		answer = r.said.answerTo(request)
	}
}

// adapt returns the text of a client's line, with the cursor or the
// requestState that this server has given in place of the recorded one.
// Nothing changes if this server has given none: the answer will tell.
func (r *replayer) adapt(before recording, l line) string {
	r.t.Helper()
	var source line // the recorded answer with the thing to repeat
	for _, answer := range before {
		if answer.from != server || answer.Result == nil {
			continue
		}
		request := r.recorded.request(answer)
		isPage := l.Params.Cursor != nil && answer.Result.NextCursor != nil &&
			*answer.Result.NextCursor == *l.Params.Cursor
		asks := l.Params.InputResponses != nil && answer.Result.ResultType == "input_required" &&
			request.Params.Name == l.Params.Name
		if isPage || asks {
			source = answer
		}
	}
	if source.Result == nil {
		return l.text
	}
	ours := r.said.answerTo(r.recorded.request(source))
	switch {
	case ours.Result == nil:
		return l.text
	case ours.Result.NextCursor != nil:
		return set(r.t, l.text, quote(*ours.Result.NextCursor), "params", "cursor")
	case ours.Result.RequestState != nil:
		return set(r.t, l.text, quote(*ours.Result.RequestState), "params", "requestState")
	}
	return l.text
}

// request returns the request that an answer of the recording is for.
func (r recording) request(answer line) line {
	var found line
	for _, l := range r {
		if l.number < answer.number && l.from != answer.from && l.isRequest() && bytes.Equal(l.ID, answer.ID) {
			found = l
		}
	}
	return found
}

// answerTo returns the first answer to the request of this id, or nothing.
func (r recording) answerTo(request line) line {
	for _, l := range r {
		if l.from != request.from && l.isAnswer() && bytes.Equal(l.ID, request.ID) {
			return l
		}
	}
	return line{}
}

// set returns the object with a member of this path set, which may be new.
func set(t *testing.T, object string, value json.RawMessage, path ...string) string {
	t.Helper()
	members := map[string]json.RawMessage{}
	require.NoError(t, json.Unmarshal([]byte(object), &members))
	if len(path) > 1 {
		inner := "{}"
		if members[path[0]] != nil {
			inner = string(members[path[0]])
		}
		value = json.RawMessage(set(t, inner, value, path[1:]...))
	}
	members[path[0]] = value
	text, err := json.Marshal(members)
	require.NoError(t, err)
	return string(text)
}

func quote(s string) json.RawMessage {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string
	}
	return text
}

package promptfs_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/transport"
)

// SKL-25: while files change, no host reads a file that differs from the list or
// the entry that it holds. The test would see one stale file in a hundred.
func TestHostsReadWhatTheyListed(t *testing.T) {
	t.Parallel()
	reads := int64(10_000)
	if testing.Short() {
		reads = 2000 // which the race detector slows down
	}
	mismatches, checked := race(t, reads, nil)
	assert.GreaterOrEqual(t, checked, reads)
	assert.Zero(t, mismatches)

	var n atomic.Int64
	stale := map[string]string{} // the first content of each file
	var mu sync.Mutex
	mismatches, _ = race(t, reads, func(uri, response string) string {
		mu.Lock()
		defer mu.Unlock()
		if _, ok := stale[uri]; !ok {
			stale[uri] = response
		}
		if n.Add(1)%100 == 0 {
			return stale[uri]
		}
		return response
	})
	assert.NotZero(t, mismatches, "of a server that returns one stale file in a hundred")
}

// race has fifty hosts list, get and read the skills of a folder, in which
// another goroutine edits, renames, deletes and adds files, until so many files
// were read. It returns how many were not as the host's entry says. tamper, if not
// nil, replaces results of resources/read.
func race(t *testing.T, reads int64, tamper func(uri, response string) string) (mismatches, checked int64) {
	d := newDirOfSkills(t)
	names := []string{"a", "b", "b/in/c", "d/e"}
	for _, name := range names {
		d.write(name+"/SKILL.md", skillMD(filepath.Base(name)))
		for i := range 4 {
			d.write(fmt.Sprintf("%s/f%d", name, i), name)
		}
	}
	require.NoError(t, d.folder.Reload(t.Context()))
	f, err := promptskills.New(&d.skills, promptskills.Options{PageSize: 3})
	require.NoError(t, err)
	srv := prompts.MustNewServer(&d.reg, prompts.Options{Features: []feature.Feature{f}})
	const changes = 25
	var total, wrong atomic.Int64
	// Each reload allows its share of the reads, or fifty hosts would keep the other
	// goroutine from the processors.
	allowed := make(chan struct{}, reads)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			h := &raceHost{t: t, session: srv.NewSession(transport.SessionOptions{Version: "2025-11-25"})}
			defer h.session.Close()
			for !t.Failed() {
				for _, entry := range h.entries() {
					for _, f := range entry.Resources {
						if _, more := <-allowed; !more {
							return
						}
						if h.differs(f, tamper) {
							wrong.Add(1)
						}
						total.Add(1)
					}
				}
			}
		})
	}
	changing := make(chan struct{})
	go func() {
		defer close(changing)
		defer close(allowed)
		for i := range 8 * changes {
			if i%8 == 0 {
				if err := d.folder.Reload(t.Context()); err != nil {
					t.Error(err)
					return
				}
				for range reads / changes {
					allowed <- struct{}{}
				}
			}
			at := filepath.Join(d.path, filepath.FromSlash(names[rand.N(len(names))]))
			file := fmt.Sprintf("f%d", rand.N(4))
			switch rand.N(4) {
			case 0:
				_ = os.WriteFile(filepath.Join(at, file), fmt.Append(nil, i), 0o600)
			case 1:
				_ = os.Rename(filepath.Join(at, file), filepath.Join(at, fmt.Sprintf("f%d", rand.N(4))))
			case 2:
				_ = os.Remove(filepath.Join(at, file))
			case 3:
				text := fmt.Sprintf("---\nname: %s\ndescription: Version %d\n---\nDo it.\n", filepath.Base(at), i)
				_ = os.WriteFile(filepath.Join(at, "SKILL.md"), []byte(text), 0o600)
			}
		}
	}()
	wg.Wait()
	<-changing
	return wrong.Load(), total.Load()
}

// raceHost is a host with a session of its own.
type raceHost struct {
	t       *testing.T
	session transport.Session
	id      int
}

type raceFile struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int    `json:"size"`
}

type raceEntry struct {
	URI       string
	Resources []raceFile
}

func (h *raceHost) call(method string, params any) (raw string, ok bool) {
	h.id++
	msg, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": h.id, "method": method, "params": params})
	err := h.session.Handle(context.Background(), msg, transport.Exchange{Send: func(msg []byte, _ transport.Code, _ bool) error {
		var response struct{ Result json.RawMessage }
		_ = json.Unmarshal(msg, &response)
		raw, ok = string(response.Result), response.Result != nil
		return nil
	}})
	if err != nil {
		h.t.Error(err)
	}
	return raw, ok
}

// entries returns those of a list, or sometimes that of one skill.
func (h *raceHost) entries() []raceEntry {
	var all []raceEntry
	for cursor := any(nil); ; {
		raw, _ := h.call("skills/list", map[string]any{"cursor": cursor})
		var page struct {
			Skills     []raceEntry
			NextCursor string
		}
		if err := json.Unmarshal([]byte(raw), &page); err != nil {
			h.t.Error(err)
			return nil
		}
		all = append(all, page.Skills...)
		if page.NextCursor == "" {
			break
		}
		cursor = page.NextCursor
	}
	i := rand.N(len(all))
	if raw, ok := h.call("skills/get", map[string]string{"uri": all[i].URI}); ok {
		var got struct{ Skill raceEntry }
		if err := json.Unmarshal([]byte(raw), &got); err != nil {
			h.t.Error(err)
		}
		return []raceEntry{got.Skill}
	}
	return all
}

// differs reports whether a file is not what the host's entry says.
func (h *raceHost) differs(f raceFile, tamper func(uri, response string) string) bool {
	raw, ok := h.call("resources/read", map[string]string{"uri": f.URI})
	if !ok {
		return true // it was in the list
	}
	if tamper != nil {
		raw = tamper(f.URI, raw)
	}
	var result struct {
		Contents []struct{ Text, Blob string }
	}
	if err := json.Unmarshal([]byte(raw), &result); err != nil {
		h.t.Error(err)
		return true
	}
	content := []byte(result.Contents[0].Text)
	if blob := result.Contents[0].Blob; blob != "" {
		content, _ = base64.StdEncoding.DecodeString(blob)
	}
	return len(content) != f.Size || fmt.Sprintf("sha256:%x", sha256.Sum256(content)) != f.Digest
}

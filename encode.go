package prompts

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/redact"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/syntax"
)

// This file has the encoder, which writes JSON of one protocol version and checks each value.
// encodecontent.go has content, encoderesult.go results and definition.go the entries of a list.

// encoder appends declarations and results of the application to a message, in the form of one
// revision. It leaves out members that the revision does not know, and collects an error for
// each invalid value. If there is an error, the message must not be sent.
type encoder struct {
	buf  []byte
	rev  revision.Revision
	errs []error
	// isResult says that the JSON is a result. fallback and serverInfo are for results.
	isResult   bool
	ctx        context.Context // of fallback
	fallback   func(ctx context.Context, f Fallback) Content
	serverInfo []byte
	served     served
	secrets    *redact.Secrets // that no link may contain
	// The kinds of content that become text, because the protocol version or the host
	// of the client has no place for them: onlyTexts are all kinds.
	lacksAudio, lacksLinks, onlyTexts bool
	// joins is for a host that reads one message, or only those of the user: texts are those of
	// all messages, which become one message.
	joins bool
	texts []string
	// expandsTexts is for a host that reads texts as command files of its own.
	expandsTexts bool
	// isInner reports whether other content of a tool's result follows. joinsTexts is for a
	// host that joins all texts, those of resources, too.
	isInner, joinsTexts bool
	// dropped counts the errors of a result beyond maxResultErrors.
	dropped int
	// inMessages reports whether an error is in a message, and message is its index.
	inMessages bool
	message    int
	// room is the number of bytes of content that the result may still have, plus 1.
	// It is 0 without a limit.
	room int
}

// maxResultErrors is the maximum number of errors reported for one result. Messages
// are often made in a loop, and a log should not get the same line 100,000 times.
const maxResultErrors = 16

func (e *encoder) errorf(format string, args ...any) {
	if e.isResult && len(e.errs) >= maxResultErrors {
		e.dropped++
		return
	}
	err := fmt.Errorf(format, args...)
	if e.inMessages {
		err = fmt.Errorf("message %d: %w", e.message+1, err)
	}
	e.errs = append(e.errs, err)
}

// quoteName returns the subject of an error message: the name of a member and its value. In a
// result, the value is left out: it may be the value of an argument, which must not reach the log.
func (e *encoder) quoteName(name, value string) string {
	if e.isResult {
		return name
	}
	return name + " " + strconv.Quote(phrase.Clip(value, 128))
}

func (e *encoder) key(name string) {
	if e.buf[len(e.buf)-1] != '{' {
		e.buf = append(e.buf, ',')
	}
	e.buf = append(e.buf, '"')
	e.buf = append(e.buf, name...)
	e.buf = append(e.buf, '"', ':')
}

func (e *encoder) raw(s string) { e.buf = append(e.buf, s...) }

func (e *encoder) str(name, value string) {
	e.key(name)
	var ok bool
	if e.buf, ok = strictjson.AppendValidString(e.buf, value); !ok {
		e.raw(`""`)
		e.errorf("%s is not valid UTF-8", name)
	}
}

func (e *encoder) opt(name, value string) {
	if value != "" {
		e.str(name, value)
	}
}

func (e *encoder) base64(name string, data []byte) {
	e.key(name)
	e.buf = append(e.buf, '"')
	e.buf = base64.StdEncoding.AppendEncode(e.buf, data)
	e.buf = append(e.buf, '"')
}

func (e *encoder) uri(name, value string) {
	e.str(name, value)
	if err := syntax.CheckURI(value); err != nil {
		e.errorf("%s: %w", e.quoteName(name, value), err)
	}
	e.checkLink(value)
}

func (e *encoder) checkLink(uri string) {
	if err := e.secrets.CheckURI(uri); err != nil {
		e.errorf("%w", err)
	}
}

func (e *encoder) mimeType(value string) {
	e.str("mimeType", value)
	if value == "" {
		e.errorf("MIME type is missing; set MIMEType")
	} else if err := syntax.CheckMIMEType(value); err != nil {
		e.errorf("%s: %w", e.quoteName("MIME type", value), err)
	}
}

func (e *encoder) metaFromTitles(m Meta) {
	if e.rev.Titles() && len(m) > 0 {
		e.key("_meta")
		e.raw("{")
		e.metaMembers(m)
		e.raw("}")
	}
}

func (e *encoder) metaMembers(m Meta) {
	if len(m) == 0 {
		return
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if err := syntax.CheckMetaKey(k); err != nil {
			e.errorf("%s: %w", e.quoteName("_meta key", k), err)
			continue
		}
		e.key(k) // a checked key needs no escapes
		at := len(e.buf)
		var err error
		if e.buf, err = jsonenc.Append(e.buf, m[k]); err != nil {
			e.errorf("%s: %w", e.quoteName("_meta", k), err)
		}
		e.spend(len(e.buf) - at)
	}
}

// spend reports whether the result may have n more bytes of content, and adds an error if not.
func (e *encoder) spend(n int) bool {
	if e.room == 0 { // no limit
		return true
	}
	if n >= e.room {
		e.errorf("result exceeds Options.Limits.MaxResultBytes")
		return false
	}
	e.room -= n
	return true
}

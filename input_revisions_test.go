package prompts

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts/internal/revision"
)

// What is asked in the protocol's own terms has to be in the terms of the
// client's revision (MRT-26).
func TestInputRequestOfARevision(t *testing.T) {
	t.Parallel()
	const r3, r4 = revision.V20250618, revision.V20251125
	form := func(property string) map[string]any {
		return map[string]any{"message": "m", "requestedSchema": json.RawMessage(`{"type":"object","properties":{"x":` + property + `}}`)}
	}
	for _, test := range []struct {
		property string
		rev      revision.Revision
		fault    string // empty if it can be asked
	}{
		{`{"type":"array","items":{"type":"string","enum":["a"]}}`, r4, ""},
		{`{"type":"array","items":{"type":"string","enum":["a"]}}`, r3, "no multiple choice"},
		{`{"type":"array","items":{"enum":["a"]}}`, r4, `with the type "string"`},
		{`{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}`, r4, ""},
		{`{"type":"string","format":"email"}`, r3, ""},
		{`{"type":"string","format":"hostname"}`, r4, "none of date, date-time, email, uri"},
		{`{"type":"object"}`, r4, "neither a string"},
	} {
		_, _, err := InputRequest("k", methodElicit, form(test.property)).ask().encode(test.rev)
		if test.fault == "" {
			assert.NoError(t, err, test.property)
		} else if assert.ErrorContains(t, err, test.fault, test.property) {
			assert.Equal(t, test.rev == r3, errors.Is(err, ErrElicitationUnavailable))
		}
	}
}

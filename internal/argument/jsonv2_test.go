//go:build go1.27 && goexperiment.jsonv2

package argument

import (
	"encoding/json/jsontext"
	"testing"

	"github.com/stretchr/testify/assert"
)

// streamed is read by the method of encoding/json/v2, whatever its fields are.
type streamed struct{ JSON string }

func (s *streamed) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	raw, err := d.ReadValue()
	s.JSON = string(raw)
	return err
}

// A type that has a method of encoding/json/v2 only takes any JSON, as an argument and
// inside of one.
func TestUnmarshalJSONFrom(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`5`, `{"JSON":"x"}`, `{"json":"x"}`} {
		got, problems := readAs[streamed](t, text, nil)
		assert.Empty(t, problems, text)
		assert.Equal(t, streamed{text}, got)
		list, problems := readAs[[]streamed](t, "["+text+"]", nil)
		assert.Empty(t, problems, text)
		assert.Equal(t, []streamed{{text}}, list)
		inside, problems := readAs[map[string]streamed](t, `{"a":`+text+`}`, nil)
		assert.Empty(t, problems, text)
		assert.Equal(t, map[string]streamed{"a": {text}}, inside)
	}
}

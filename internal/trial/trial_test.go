package trial_test

import (
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/trial"
)

// A generated text that users see is words, unless the schema has a form for the text. Others
// are in no other text.
func TestWords(t *testing.T) {
	t.Parallel()
	free := &prompts.Argument{Name: "my_task-name"}
	dated := &prompts.Argument{Name: "day", Schema: &jsonschema.Schema{Type: "string", Format: "date"}}
	number := &prompts.Argument{Name: "n", Schema: &jsonschema.Schema{Type: "integer"}}
	shown, tested := &trial.Subject{IsShown: true}, &trial.Subject{}
	assert.Equal(t, []string{"my task name one", "my task name two"}, shown.Candidates(free, nil)[:2])
	assert.Equal(t, "prompttest-my_task-name-one", tested.Candidates(free, nil)[0])
	for _, a := range []*prompts.Argument{dated, number} {
		assert.Equal(t, tested.Candidates(a, nil), shown.Candidates(a, nil))
	}
}

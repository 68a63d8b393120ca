package prompts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// MRT-29: a multipleOf of a field that is 0 is no schema: the author is told,
// and nobody is asked for what no answer fits.
func TestInputSchemaThatDividesByZero(t *testing.T) {
	t.Parallel()
	var j journal
	s := prompts.NewServer(registryOf(inputPrompt(methodElicit, formSchema(`"a":{"type":"integer","multipleOf":0}`, ""))), prompts.Options{Logger: j.logger()})
	for _, responses := range []string{`{"in":` + accepting(`{"a":5}`) + `}`, ""} {
		newRounds(t, s, "input").get(responses).fails(t, prompts.CodeInternalError, renderFailed)
	}
	assert.Contains(t, j.String(), "requestedSchema")
}

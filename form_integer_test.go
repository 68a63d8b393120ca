package prompts

import "testing"

// JSON Schema takes 7.0 for an integer, and so do clients whose numbers have
// one form.
func TestFormTakesIntegersInAnyForm(t *testing.T) {
	t.Parallel()
	takes(t, `7.0`, 7)
	takes(t, `7e0`, 7)
	takes(t, `70e-1`, uint8(7))
}

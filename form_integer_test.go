package prompts

import "testing"

// JSON Schema takes 7.0 for an integer, and so do clients whose numbers have
// one form.
func TestFormTakesIntegersInAnyForm(t *testing.T) {
	t.Parallel()
	takes(t, `7.0`, 7)
	takes(t, `7e0`, 7)
	takes(t, `70e-1`, uint8(7))
	takes(t, `-0.0`, 0)
	takes(t, `-5.0`, -5)
	takes(t, `9007199254740992.0`, int64(1<<53))
	takes(t, `255.0`, uint8(255))
	doesNotTake[int](t, `7.5`, reasonType, `"7.5" is not an integer`)
	doesNotTake[uint8](t, `256.0`, reasonRange, `"256" is out of range`)
	doesNotTake[uint8](t, `-1.0`, reasonRange, `"-1" is out of range`)
	// What a float64 does not hold exactly is not guessed.
	doesNotTake[int64](t, `9007199254740994.0`, reasonType, `"9007199254740994.0" is not an integer`)
	doesNotTake[int](t, `1e400`, reasonType, `"1e400" is not an integer`)
}

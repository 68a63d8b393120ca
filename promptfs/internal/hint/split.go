package hint

import "errors"

// Split returns the fix of err, and err without the fix. The fix of an error that err
// wraps stays in the text of err. The errors of prompttemplate are split, too: their
// types have the method Fix.
func Split(err error) (fix string, bare error) {
	if h, ok := err.(interface{ Fix() string }); ok {
		return h.Fix(), errors.Unwrap(err)
	}
	return "", err
}

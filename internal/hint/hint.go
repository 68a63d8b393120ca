// Package hint keeps an error apart from its fix.
//
// The modules that import the package have versions of their own: the package only gets additions.
package hint

import (
	"errors"
	"fmt"
)

type hinted struct {
	err error
	fix string
}

// New returns an error with a fix. The text of the error is followed by a semicolon
// and the fix. Without a fix, New is fmt.Errorf.
func New(fix, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if fix == "" {
		return err
	}
	return &hinted{err, fix}
}

func (h *hinted) Error() string { return h.err.Error() + "; " + h.fix }

func (h *hinted) Unwrap() error { return h.err }

// Fix returns the fix. Module promptfs reports the fix apart from the error.
func (h *hinted) Fix() string { return h.fix }

// Split returns the fix of err, and err without the fix. The fix of an error that err wraps stays
// in the text of err. The errors of prompttemplate are split, too: their types have the method Fix.
func Split(err error) (fix string, bare error) {
	if h, ok := err.(interface{ Fix() string }); ok {
		return h.Fix(), errors.Unwrap(err)
	}
	return "", err
}

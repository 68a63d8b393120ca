//go:build !unix && !windows

package stdio

import (
	"errors"
	"os"
)

// goneErrnos are the errors for a connection that the other side has closed. These
// systems have none in common.
var goneErrnos []error

func duplicate(*os.File) (*os.File, error) {
	return nil, errors.ErrUnsupported
}

// Package errorid connects an internal error that a client receives with its record in
// the log: both have the same id, which a user reports and an operator searches for.
//
// The modules that import the package have versions of their own: the package only gets additions.
package errorid

import (
	"fmt"
	"math/rand/v2"
)

// Attr is the key of the id in the record.
const Attr = "error_id"

// Data is the data of the error that the client receives.
type Data struct {
	ID string `json:"errorId"`
}

// New returns a message that ends with a new id, and the id.
func New(message string) (withID, id string) {
	id = fmt.Sprintf("%08x", rand.Uint32())
	return fmt.Sprintf("%s (error id %s)", message, id), id
}

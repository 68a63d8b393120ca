package core

import (
	"fmt"
	"math/rand/v2"
)

// errorIDAttr is the key of the id in the record.
const errorIDAttr = "error_id"

// errorData is the data of the error that the client receives.
type errorData struct {
	ID string `json:"errorId"`
}

// withErrorID returns a message that ends with a new id, and the id. A user reports the id
// of the error, and an operator searches for it in the log.
func withErrorID(message string) (withID, id string) {
	id = fmt.Sprintf("%08x", rand.Uint32())
	return fmt.Sprintf("%s (error id %s)", message, id), id
}

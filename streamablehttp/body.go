package streamablehttp

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	// smallBody is the size of a body up to which there is always room for it.
	smallBody = 16 << 10
	// pendingBodies is how many larger ones of the largest size may be on their
	// way at a time.
	pendingBodies = 16
)

// bodies bounds the memory for bodies that are on their way: a client can be
// slow to send all of one that it has announced.
type bodies struct {
	mu   sync.Mutex // protects the field below
	room int64      // bytes
}

var errNoRoom = errors.New("there is no room for the body")

// take takes room, which give gives back, and reports whether there was some.
func (b *bodies) take(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.room < n {
		return false
	}
	b.room -= n
	return true
}

func (b *bodies) give(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.room += n
}

// readBody reads the body of a POST.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := h.readAll(w, r)
	switch {
	case err != nil && r.ProtoMajor == 1: // later versions have one connection for many requests
		// The deadline stays: net/http goes on to read what is left of it.
		w.Header().Set("Connection", "close")
	case err == nil && h.options.ReadTimeout >= 0:
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	}
	return body, err
}

func (h *Handler) readAll(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	most := int64(h.server.MaxMessageBytes())
	if r.ContentLength > most { // which room does not help
		return nil, &http.MaxBytesError{Limit: most}
	}
	limited := http.MaxBytesReader(w, r.Body, most)
	if size := r.ContentLength; size >= 0 && size <= smallBody {
		body := make([]byte, size)
		_, err := io.ReadFull(limited, body)
		return body, err
	}
	size := r.ContentLength
	var body bytes.Buffer
	if size < 0 { // which it may turn out to be no more than
		if _, err := io.CopyN(&body, limited, smallBody); err != nil {
			if errors.Is(err, io.EOF) {
				return body.Bytes(), nil
			}
			return nil, err
		}
		size = most
	}
	if !h.bodies.take(size) {
		return nil, errNoRoom
	}
	defer h.bodies.give(size)
	if r.ContentLength >= 0 {
		body.Grow(int(size) + bytes.MinRead) // and no more while it is read
	}
	_, err := body.ReadFrom(limited)
	return body.Bytes(), err
}

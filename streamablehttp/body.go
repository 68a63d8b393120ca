package streamablehttp

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"time"
)

// The result is in memory of its own if buf is too small. What the body has reserved must be
// released.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request, room *reservation, buf []byte) ([]byte, error) {
	body, err := h.readAll(w, r, room, buf)
	switch {
	case err != nil && r.ProtoMajor == 1: // later versions have one connection for many requests
		// The deadline stays set, because net/http reads the rest of the body.
		w.Header().Set("Connection", "close")
	case err == nil && h.options.ReadTimeout >= 0:
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	}
	return body, err
}

func (h *Handler) refuseBody(w http.ResponseWriter, r *http.Request, err error) {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		h.refuse(w, r, http.StatusRequestEntityTooLarge, fmt.Sprintf("request body exceeds the limit of %d bytes", tooLarge.Limit))
	case errors.Is(err, errBodyBudget):
		w.Header().Set("Retry-After", "1")
		h.refuse(w, r, http.StatusServiceUnavailable, "server is receiving too many large requests; retry later")
	case errors.Is(err, os.ErrDeadlineExceeded):
		h.refuse(w, r, http.StatusBadRequest, fmt.Sprintf("request body did not arrive within %s", h.options.ReadTimeout))
	default:
		h.refuse(w, r, http.StatusBadRequest, "request body is malformed or incomplete")
	}
}

// readAll makes no more room for a body than for twice what has arrived: its
// client may announce what it never sends.
func (h *Handler) readAll(w http.ResponseWriter, r *http.Request, room *reservation, buf []byte) ([]byte, error) {
	most := int64(h.server.MaxMessageBytes())
	size, isAnnounced := r.ContentLength, r.ContentLength >= 0
	switch {
	case size > most: // which room does not help
		return nil, &http.MaxBytesError{Limit: most}
	case !isAnnounced:
		size = most // it may turn out to be no more than
	}
	from := http.MaxBytesReader(w, r.Body, most)
	first := int64(smallBody)
	if !isAnnounced {
		first = 1 << 10
	}
	body := slices.Grow(buf[:0], int(min(size, first)))[:min(size, first)]
	n := 0
	for {
		read, err := readInto(from, body[n:])
		n += read
		switch {
		case errors.Is(err, io.EOF) && !isAnnounced:
			return body[:n], nil
		case errors.Is(err, io.EOF):
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case int64(n) == size:
			if !isAnnounced {
				err = readEnd(from)
			}
			return body, err
		}
		next := min(2*int64(n), size)
		if next > smallBody && !room.grow(next) {
			return nil, errBodyBudget
		}
		body = append(make([]byte, 0, next), body...)[:next]
	}
}

func readInto(from io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var read int
		read, err = from.Read(p[n:])
		n += read
	}
	if n == len(p) {
		err = nil // it is read again, if there is to be more
	}
	return n, err
}

func readEnd(from io.Reader) error {
	var more [1]byte
	_, err := readInto(from, more[:]) // which finds that it is too much, if there is some
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

package rpc

// IsObserved reports whether an observer receives the request.
func (r *Request) IsObserved() bool { return r.task.observed != nil }

// SetVersion sets the version of the rendered prompt that the observer receives with the
// request.
func (r *Request) SetVersion(digest, release, label string) {
	r.task.observed.SetVersion(digest, release, label)
}

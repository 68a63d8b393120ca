package telemetry

// SetVersion sets the version of the prompt that the request renders. The render function may
// still run after the operation has ended, so o may be nil.
func (r *Request) SetVersion(digest, release, label string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.o != nil {
		r.o.out.Digest, r.o.out.Release, r.o.out.Label = digest, release, label
	}
}

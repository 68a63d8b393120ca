package prompts

import "time"

// Changes of a registry come in bursts: a folder is read again, a batch is
// added one by one. A client is told when they pause for changeQuiet, so that
// one burst is one notification; and after changeLongest at the latest,
// however long they go on.
const (
	changeQuiet   = 20 * time.Millisecond
	changeLongest = 200 * time.Millisecond
)

const listChanged = `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`

// gather returns when the changes that have begun pause or have gone on for
// long enough, or when one of the other channels is closed.
func gather(changed, over, closing <-chan struct{}) {
	longest := time.NewTimer(changeLongest)
	defer longest.Stop()
	quiet := time.NewTimer(changeQuiet)
	defer quiet.Stop()
	for {
		select {
		case <-changed:
			quiet.Reset(changeQuiet)
		case <-quiet.C:
			return
		case <-longest.C:
			return
		case <-over:
			return
		case <-closing:
			return
		}
	}
}

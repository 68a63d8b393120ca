package stdio

// defaultMaxMessageBytes is the bound on messages that Options leave open.
const defaultMaxMessageBytes = 4 << 20

// Options are the settings of a [Transport]. The zero value is the safe choice.
type Options struct {
	// MaxMessageBytes is the size in bytes of the longest message that Read
	// accepts, not counting the end of the line. A longer one is passed over
	// without being held in memory. Default: 4 MiB. It does not limit
	// what Write sends.
	MaxMessageBytes int
}

func (o Options) maxMessageBytes() int {
	if o.MaxMessageBytes <= 0 {
		return defaultMaxMessageBytes
	}
	return o.MaxMessageBytes
}

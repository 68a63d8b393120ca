package stdio

const defaultMaxMessageBytes = 4 << 20

// Options configures a [Conn]. The zero value of each field is its default and the safe choice.
type Options struct {
	// MaxMessageBytes is the maximum size in bytes of a message for Read, without
	// the line end. A longer message is skipped and not held in memory. Write has no
	// limit. Default: 4 MiB; under Serve: the limit of the server.
	MaxMessageBytes int
}

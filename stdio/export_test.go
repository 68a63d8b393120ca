package stdio

import "log/slog"

// GoneErrnos are the errors by which this system says that the other side has
// gone.
var GoneErrnos = goneErrnos

// The bounds of the queue of a LogWriter.
const (
	MaxLogBytes = maxLogBytes
	RecordBytes = recordBytes
)

// Held returns how many bytes the queue holds.
func (l *LogWriter) Held() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}

// LevelOfRecord returns the level of a record.
func LevelOfRecord(record string) slog.Level {
	_, level := classify([]byte(record[:min(len(record), maxLogHead)]))
	return level
}

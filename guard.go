package prompts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
)

var errPanic = errors.New("panic")

// guard makes an error of a panic in a transport's code, and tells the author.
// It is deferred where that code is called on a goroutine of ours, whose panic
// would end the process.
func (s *Server) guard(ctx context.Context, err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("%w: %v", errPanic, v)
		s.log(ctx, slog.LevelError, "the transport has panicked", slog.Any("error", *err), slog.String("stack", string(debug.Stack())))
	}
}

//go:build !windows

package main

import (
	"context"
	"os/exec"
)

// newCommand returns the command.
func newCommand(ctx context.Context, command []string) (*exec.Cmd, error) {
	return exec.CommandContext(ctx, command[0], command[1:]...), nil
}

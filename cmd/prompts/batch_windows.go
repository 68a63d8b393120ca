package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// newCommand returns the command, which may be a batch file.
func newCommand(ctx context.Context, command []string) (*exec.Cmd, error) {
	p := exec.CommandContext(ctx, command[0], command[1:]...)
	if extension := strings.ToLower(filepath.Ext(p.Path)); extension != ".cmd" && extension != ".bat" {
		return p, nil
	}
	line, err := batchLine(p.Path, command[1:])
	if err != nil {
		return nil, err
	}
	shell := exec.CommandContext(ctx, filepath.Join(os.Getenv("SystemRoot"), "System32", "cmd.exe"))
	shell.SysProcAttr = &syscall.SysProcAttr{CmdLine: line}
	return shell, p.Err
}

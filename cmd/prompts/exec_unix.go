//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"syscall"
)

func shell(ctx context.Context, command string) *exec.Cmd {
	p := exec.CommandContext(ctx, "sh", "-c", command)
	inGroup(p)
	return p
}

func inGroup(p *exec.Cmd) { p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// newCommand returns a command without a shell. On Windows, the command may be a batch file.
func newCommand(ctx context.Context, command []string) (*exec.Cmd, error) {
	return exec.CommandContext(ctx, command[0], command[1:]...), nil
}

func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

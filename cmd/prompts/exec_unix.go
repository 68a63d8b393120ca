//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"syscall"
)

// shell returns a command of the shell, in a process group of its own.
func shell(ctx context.Context, command string) *exec.Cmd {
	p := exec.CommandContext(ctx, "sh", "-c", command)
	inGroup(p)
	return p
}

// inGroup gives a command a process group of its own.
func inGroup(p *exec.Cmd) { p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// newCommand returns a command without a shell. On Windows, the command may be a batch file.
func newCommand(ctx context.Context, command []string) (*exec.Cmd, error) {
	return exec.CommandContext(ctx, command[0], command[1:]...), nil
}

// killGroup ends a process and all of its group.
func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

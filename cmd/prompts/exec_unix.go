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
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return p
}

// killGroup ends a process and all of its group.
func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

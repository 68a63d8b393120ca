package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// shell returns a command of cmd.exe, whose rules for quotation marks are its own.
func shell(ctx context.Context, command string) *exec.Cmd {
	p := exec.CommandContext(ctx, "cmd.exe")
	inGroup(p)
	p.SysProcAttr.CmdLine = `cmd.exe /d /s /c "` + command + `"`
	return p
}

func inGroup(p *exec.Cmd) {
	p.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func killGroup(p *os.Process) error {
	return exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run()
}

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

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

const (
	// maxAnswerBytes is the size of the longest answer that a command may print.
	maxAnswerBytes = 1 << 20
	// maxStderrBytes is how much of the errors that a command prints is shown.
	maxStderrBytes = 2 << 10
	// killDelay is how long the output of a command may stay open after its end.
	killDelay = time.Second
)

var errAnswerSize = fmt.Errorf("command printed more than the limit of %d bytes", maxAnswerBytes)

type modelCommand struct {
	exec    string // empty for none
	timeout time.Duration
}

func (m *modelCommand) add(flags *pflag.FlagSet, usage string, timeout time.Duration, of string) {
	flags.StringVar(&m.exec, "exec", "", usage)
	flags.DurationVar(&m.timeout, "timeout", timeout, "time limit of the command for one "+of)
	_ = flags.SetAnnotation("timeout", formOf, []string{"a duration such as 30s"})
}

func (m *modelCommand) check() error {
	if m.timeout <= 0 {
		return usageErrorf("--timeout must be more than 0, got %v", m.timeout)
	}
	return nil
}

type modelInput struct {
	Name     string          `json:"name"`
	Case     string          `json:"case"`
	Messages json.RawMessage `json:"messages"`
}

// ask returns the answer to the messages of a case. raw is the result of prompts/get.
func (m *modelCommand) ask(ctx context.Context, prompt, name string, raw json.RawMessage) (string, error) {
	var result struct{ Messages json.RawMessage }
	if err := json.Unmarshal(raw, &result); err != nil {
		return "", err
	}
	input := asJSON(modelInput{prompt, name, result.Messages})
	return runCommand(ctx, m.exec, []byte(input+"\n"), m.timeout)
}

// runCommand runs a command of the shell with an input, and returns what it prints. After
// the time limit, too much output, or the end of the command, all programs that it has
// started end.
func runCommand(ctx context.Context, command string, input []byte, timeout time.Duration) (string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	errTimeout := fmt.Errorf("command did not end within %v; raise --timeout, or correct the command", timeout)
	timer := time.AfterFunc(timeout, func() { cancel(errTimeout) })
	defer timer.Stop()
	p := shell(ctx, command)
	out := &limited{most: maxAnswerBytes, full: func() { cancel(errAnswerSize) }}
	errOut := &limited{most: maxStderrBytes, full: func() {}}
	p.Stdin, p.Stdout, p.Stderr = bytes.NewReader(input), out, errOut
	p.Cancel = func() error { return killGroup(p.Process) }
	p.WaitDelay = killDelay
	if err := p.Start(); err != nil {
		return "", fmt.Errorf("cannot run the command: %w", err)
	}
	err := p.Wait()
	_ = killGroup(p.Process) // what runs in the background; mostly nothing
	if cause := context.Cause(ctx); cause != nil {
		return "", cause
	}
	if errors.Is(err, exec.ErrWaitDelay) { // a program in the background holds the output
		err = nil
	}
	if err != nil {
		message := strings.TrimSpace(strings.ToValidUTF8(errOut.buffer.String(), "\ufffd"))
		if message != "" {
			message = ": " + message
		}
		return "", fmt.Errorf("command failed: %w%s", err, message)
	}
	answer := strings.ToValidUTF8(out.buffer.String(), "\ufffd")
	if strings.TrimSpace(answer) == "" {
		return "", errors.New("command printed no answer")
	}
	return answer, nil
}

// limited keeps the beginning of what is written.
type limited struct {
	buffer bytes.Buffer
	most   int
	full   func() // called when more is written
}

func (l *limited) Write(p []byte) (int, error) {
	keep := min(len(p), l.most-l.buffer.Len())
	l.buffer.Write(p[:keep])
	if keep < len(p) {
		l.full()
	}
	return len(p), nil
}

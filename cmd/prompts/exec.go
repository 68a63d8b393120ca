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
	maxAnswerBytes = 1 << 20     // that a command may print
	maxStderrBytes = 2 << 10     // that are shown of the errors that a command prints
	killDelay      = time.Second // how long the output of a command may stay open after its end
)

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

// ask returns the answer to the messages of a case. raw is the result of prompts/get.
func (m *modelCommand) ask(ctx context.Context, prompt, name string, raw json.RawMessage) (string, error) {
	var result struct{ Messages json.RawMessage }
	if err := json.Unmarshal(raw, &result); err != nil {
		return "", err
	}
	input := asJSON(struct {
		Name     string          `json:"name"`
		Case     string          `json:"case"`
		Messages json.RawMessage `json:"messages"`
	}{prompt, name, result.Messages})
	return runCommand(ctx, m.exec, []byte(input+"\n"), m.timeout)
}

// runCommand returns what a command of the shell prints. All programs that it has started end with it,
// after the time limit, or after too much output.
func runCommand(ctx context.Context, command string, input []byte, timeout time.Duration) (string, error) {
	errTimeout := fmt.Errorf("command did not end within %v; raise --timeout, or correct the command", timeout)
	ctx, stop := context.WithTimeoutCause(ctx, timeout, errTimeout)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := shell(ctx, command)
	errSize := fmt.Errorf("command printed more than the limit of %d bytes", maxAnswerBytes)
	out := &limited{most: maxAnswerBytes, full: func() { cancel(errSize) }}
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

// batchLine returns the command line with which cmd.exe starts a batch file with
// arguments, as npm installs the commands of clients on Windows. cmd.exe reads the line
// by other rules than programs do: & and | separate commands, %NAME% is a variable, and a
// backslash escapes nothing.
//
// The rules are those of make_bat_command_line of Rust 1.77.2, the fix of CVE-2024-24576:
// https://github.com/rust-lang/rust/blob/1.77.2/library/std/src/sys/pal/windows/args.rs
func batchLine(path string, args []string) (string, error) {
	if strings.ContainsRune(path, '"') {
		return "", errors.New("path of the batch file has a quotation mark")
	}
	var b strings.Builder
	// The outer quotation marks are removed by cmd.exe. /e:on makes %cd:~,% work, /v:off
	// leaves ! unchanged, and /d starts nothing else.
	b.WriteString(`cmd.exe /e:ON /v:OFF /d /c ""` + path + `"`)
	for _, arg := range args {
		if strings.ContainsAny(arg, "\x00\r\n") { // which end the line
			return "", errors.New("argument of a batch file has a line break")
		}
		b.WriteByte(' ')
		appendBatchArgument(&b, arg)
	}
	b.WriteByte('"')
	return b.String(), nil
}

func appendBatchArgument(b *strings.Builder, arg string) {
	isQuoted := arg == "" || strings.HasSuffix(arg, `\`) || strings.ContainsFunc(arg, func(r rune) bool {
		isPlain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(`#$*+-./:?@\_`, r)
		return r < 0xa0 && !isPlain
	})
	if isQuoted {
		b.WriteByte('"')
	}
	backslashes := 0 // in front of the character; the program behind the batch file reads them
	for _, r := range arg {
		switch r {
		case '\\':
			backslashes++
		case '"':
			b.WriteString(strings.Repeat(`\`, backslashes))
			b.WriteByte('"')
		case '%':
			b.WriteString(`%%cd:~,`) // an empty part of a variable, and not the begin of one
		}
		if r != '\\' {
			backslashes = 0
		}
		b.WriteRune(r)
	}
	if isQuoted {
		b.WriteString(strings.Repeat(`\`, backslashes))
		b.WriteByte('"')
	}
}

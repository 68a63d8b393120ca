// Package terminal runs a program in a terminal of tmux, and draws its screen as SVG.
package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Width and Height are the size of a terminal in characters.
const (
	Width  = 120
	Height = 32
)

// step is how often a screen is looked at.
const step = 50 * time.Millisecond

// Terminal is a terminal with one program.
type Terminal struct {
	tmux, socket, dir string
	env               []string
}

// Start starts a program in a terminal that is columns wide. The files of tmux are in temp.
// It returns an error if tmux is not installed.
func Start(columns int, temp, dir string, env []string, command ...string) (*Terminal, error) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		return nil, errors.New("tmux is not installed; run: apt-get install tmux")
	}
	t := &Terminal{tmux: tmux, socket: filepath.Join(temp, "tmux"), dir: dir, env: env}
	// If the program ends, its last screen stays.
	args := []string{"-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(Height), "-s", "host", "--"}
	if _, err := t.run(append(args, command...)...); err != nil {
		return nil, err
	}
	_, err = t.run("set-option", "-g", "remain-on-exit", "on")
	return t, err
}

// Close ends the program and tmux.
func (t *Terminal) Close() error {
	_, err := t.run("kill-server")
	return err
}

func (t *Terminal) run(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, t.tmux, append([]string{"-S", t.socket}, args...)...)
	c.Dir, c.Env = t.dir, t.env
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, &stderr)
	}
	return string(out), nil
}

// Screen returns the text on the screen, without colors.
func (t *Terminal) Screen() (string, error) { return t.run("capture-pane", "-p", "-t", "host") }

// Colored returns the text on the screen with the control sequences of its colors.
func (t *Terminal) Colored() (string, error) {
	return t.run("capture-pane", "-e", "-N", "-p", "-t", "host")
}

// Type types a text.
func (t *Terminal) Type(text string) error {
	_, err := t.run("send-keys", "-t", "host", "-l", text)
	return err
}

// Press presses keys, by their names in tmux, such as Enter.
func (t *Terminal) Press(keys ...string) error {
	_, err := t.run(append([]string{"send-keys", "-t", "host"}, keys...)...)
	return err
}

// Wait waits until the screen satisfies done. It returns an error with the screen after
// the limit.
func (t *Terminal) Wait(limit time.Duration, done func(screen string) bool) error {
	for end := time.Now().Add(limit); ; time.Sleep(step) {
		screen, err := t.Screen()
		if err != nil || done(screen) {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("terminal does not answer within %s; its screen is:\n%s", limit, strings.TrimSpace(screen))
		}
	}
}

// Settle waits until the screen has been the same for a time, and returns it. fixed returns
// what of a screen counts, without what moves by itself. A screen that never rests
// nevertheless is returned after the limit.
func (t *Terminal) Settle(rest, limit time.Duration, fixed func(screen string) string) (string, error) {
	last, since := "", time.Now()
	for end := time.Now().Add(limit); ; time.Sleep(step) {
		screen, err := t.Screen()
		if err != nil {
			return "", err
		}
		if now := fixed(screen); now != last {
			last, since = now, time.Now()
		}
		if time.Since(since) >= rest || time.Now().After(end) {
			return screen, nil
		}
	}
}

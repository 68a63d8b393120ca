package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// process is a server in a process of its own.
type process struct {
	cmd   *exec.Cmd
	input io.Closer // the server ends with its standard input
	addr  string
}

// start starts a server. It prints its address.
func start(ctx context.Context, name string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "-serve", name)
	if name == "TypeScript SDK" {
		cmd = exec.CommandContext(ctx, "node", "node/load.mjs")
	}
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, input: input}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("no address: %w", err)
	}
	p.addr = strings.TrimSpace(line)
	return p, nil
}

func (p *process) stop() {
	_ = p.input.Close()
	_ = p.cmd.Wait()
}

// announce prints the address of a server, which ends with its standard input.
func announce(l net.Listener) {
	fmt.Println(l.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
}

// ticksPerSecond is the unit of the processor time in /proc, on all architectures of Linux.
const ticksPerSecond = 100

// cpu returns the processor time that the process has used.
func (p *process) cpu() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the name of the program may have spaces
	fields := strings.Fields(rest)
	ticks := 0
	for _, i := range []int{11, 12} { // utime and stime
		n, err := strconv.Atoi(fields[i])
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / ticksPerSecond, nil
}

// resident returns the resident memory of the process in MB.
func (p *process) resident() (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	return kb * 1024 / 1e6, err
}

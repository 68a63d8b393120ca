// Command record runs a server for a client on standard input and output, and
// writes down what the two say to each other:
//
//	record FILE SERVER [ARGS…]
//
// Each line of the file is "C> " or "S> ", for who sent it, and the line as it
// was sent. A line is in the file before the other side has it, so an answer
// always comes after its question.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: record FILE SERVER [ARGS…]")
		os.Exit(2)
	}
	err := run(os.Args[1], os.Args[2], os.Args[3:]...)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		os.Exit(max(exit.ExitCode(), 1))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// run returns when the server has ended.
func run(file, server string, args ...string) error {
	session, err := os.Create(file)
	if err != nil {
		return err
	}
	cmd := exec.Command(server, args...)
	cmd.Stderr = os.Stderr
	toServer, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	fromServer, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}

	r := recorder{file: session}
	// This goroutine ends with the client's last line, or with the process.
	go func() {
		// The server may be gone before the client is: its end says all.
		_ = r.tee("C> ", os.Stdin, toServer)
		_ = toServer.Close()
	}()
	copying := r.tee("S> ", fromServer, os.Stdout)
	return errors.Join(cmd.Wait(), copying, r.close())
}

type recorder struct {
	mu   sync.Mutex // protects the field below
	file *os.File
}

// tee copies whole lines from src to dst and into the file.
func (r *recorder) tee(prefix string, src io.Reader, dst io.Writer) error {
	in := bufio.NewReader(src)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			if err := r.write(prefix, line); err != nil {
				return err
			}
			if _, err := dst.Write(line); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *recorder) write(prefix string, line []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err := fmt.Fprintf(r.file, "%s%s\n", prefix, bytes.TrimSuffix(line, []byte("\n")))
	return err
}

func (r *recorder) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.file.Close()
}

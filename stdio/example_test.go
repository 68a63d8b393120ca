package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"strings"

	"github.com/mcp-prompts/prompts/stdio"
	"github.com/mcp-prompts/prompts/transport"
)

// Any pair of streams will do, here a text and standard output.
func ExampleNewStream() {
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\r\n\n")
	t := stdio.NewStream(in, os.Stdout, stdio.Options{})
	defer t.Close()

	ctx := context.Background()
	for {
		msg, err := t.Read(ctx)
		if err == io.EOF {
			fmt.Println("the client has sent its last message")
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("read: %s\n", msg)
		if err := t.Write(ctx, []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// read: {"jsonrpc":"2.0","id":1,"method":"ping"}
	// {"jsonrpc":"2.0","id":1,"result":{}}
	// the client has sent its last message
}

// A connection is passed for both streams.
func ExampleNewStream_connection() {
	ours, theirs := net.Pipe()
	go func() {
		fmt.Fprintln(theirs, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		theirs.Close()
	}()

	t := stdio.NewStream(ours, ours, stdio.Options{})
	defer t.Close()
	msg, err := t.Read(context.Background())
	fmt.Printf("%s %v\n", msg, err)
	_, err = t.Read(context.Background())
	fmt.Println(err)
	// Output:
	// {"jsonrpc":"2.0","method":"notifications/initialized"} <nil>
	// EOF
}

// A message over the bound is passed over, and reading goes on.
func ExampleOptions() {
	in := strings.NewReader(`{"text":"` + strings.Repeat("very ", 1000) + `long"}` + "\n{}\n")
	t := stdio.NewStream(in, io.Discard, stdio.Options{MaxMessageBytes: 1000})
	defer t.Close()

	_, err := t.Read(context.Background())
	fmt.Println(errors.Is(err, transport.ErrTooLarge))
	msg, err := t.Read(context.Background())
	fmt.Printf("%s %v\n", msg, err)
	// Output:
	// true
	// {} <nil>
}

package stdio

import (
	"bytes"
	"context"
	"io"
	"os"
	"testing"
)

// benchMessage has the size of a usual prompts/get request.
var benchMessage = bytes.Repeat([]byte("x"), 300)

func BenchmarkRead(b *testing.B) {
	in := &repeat{text: append(bytes.Clone(benchMessage), '\n')}
	b.Run("lines", func(b *testing.B) {
		l := newLineReader(in, defaultMaxMessageBytes, readBufferBytes)
		b.SetBytes(int64(len(benchMessage)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := l.next(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("transport", func(b *testing.B) {
		t := NewStream(in, io.Discard, Options{})
		defer t.Close()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		b.SetBytes(int64(len(benchMessage)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := t.Read(ctx); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	bench := func(b *testing.B, w io.Writer) {
		t := NewStream(bytes.NewReader(nil), w, Options{})
		b.SetBytes(int64(len(benchMessage)))
		b.ReportAllocs()
		for b.Loop() {
			if err := t.Write(ctx, benchMessage); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("discard", func(b *testing.B) { bench(b, struct{ io.Writer }{io.Discard}) })
	b.Run("file", func(b *testing.B) {
		f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		bench(b, f)
	})
}

// BenchmarkPipe is a message there and back through two operating-system pipes.
func BenchmarkPipe(b *testing.B) {
	inR, inW, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	server, client := NewStream(inR, outW, Options{}), NewStream(outR, inW, Options{})
	defer server.Close()
	defer client.Close()
	ctx := context.Background()
	go func() {
		for {
			msg, err := server.Read(ctx)
			if err != nil || server.Write(ctx, msg) != nil {
				return
			}
		}
	}()
	b.SetBytes(2 * int64(len(benchMessage)))
	b.ReportAllocs()
	for b.Loop() {
		if err := client.Write(ctx, benchMessage); err != nil {
			b.Fatal(err)
		}
		if _, err := client.Read(ctx); err != nil {
			b.Fatal(err)
		}
	}
}

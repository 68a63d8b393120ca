package bench_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkStart starts a minimal server on standard input and output, and
// waits for the answer to its first request, which is initialize. It tells the
// size of the program too, without symbols, and of how many packages it is.
func BenchmarkStart(b *testing.B) {
	for _, l := range []struct{ name, folder string }{{"prompts", "prompts"}, {"go-sdk", "gosdk"}, {"mcp-go", "mcpgo"}} {
		b.Run(l.name, func(b *testing.B) {
			program := filepath.Join(b.TempDir(), "server.exe")
			command(b, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./minimal/"+l.folder)
			file, err := os.Stat(program)
			require.NoError(b, err)
			packages := strings.Fields(command(b, "go", "list", "-deps", "./minimal/"+l.folder))
			verifyProgram(b, program)
			b.Run("stdio", func(b *testing.B) {
				ask := append(initializeRequest(b), '\n')
				for b.Loop() {
					runProgram(b, program, func(in *os.File, out *bufio.Reader) {
						if _, err := in.Write(ask); err != nil {
							b.Fatal(err)
						}
						if _, err := out.ReadSlice('\n'); err != nil {
							b.Fatal(err)
						}
						b.StopTimer()
					})
					b.StartTimer()
				}
				b.ReportMetric(float64(file.Size()), "B-program")
				b.ReportMetric(float64(len(packages)), "packages")
			})
		})
	}
}

func command(tb testing.TB, name string, args ...string) string {
	tb.Helper()
	c := exec.Command(name, args...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	require.NoError(tb, err)
	return string(out)
}

// runProgram runs a server until use returns.
func runProgram(tb testing.TB, program string, use func(in *os.File, out *bufio.Reader)) {
	inR, inW, err := os.Pipe()
	require.NoError(tb, err)
	outR, outW, err := os.Pipe()
	require.NoError(tb, err)
	c := exec.Command(program)
	c.Stdin, c.Stdout, c.Stderr = inR, outW, os.Stderr
	require.NoError(tb, c.Start())
	_, _ = inR.Close(), outW.Close()
	use(inW, bufio.NewReader(outR))
	_ = inW.Close()
	_ = c.Wait() // some take the end of their input for a failure
	_ = outR.Close()
}

// verifyProgram wants the right answers of a server.
func verifyProgram(tb testing.TB, program string) {
	runProgram(tb, program, func(in *os.File, out *bufio.Reader) {
		c := &streamClient{w: in, r: out}
		initialize(tb, c.ask)
		require.NoError(tb, c.write([]byte(initialized)))
		get := request(tb, "prompts/get", map[string]any{
			"name":      "code_review",
			"arguments": map[string]string{"code": code, "language": language},
		})
		ask(tb, c.ask, get, func(result json.RawMessage) { requireText(tb, text(language, code), result) })
	})
}

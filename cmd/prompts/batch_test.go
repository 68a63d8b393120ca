package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// batchArguments are hostile arguments, by their form on a command line of cmd.exe.
var batchArguments = map[string]string{
	`C:\Users\ada\prompts`: `C:\Users\ada\prompts`,
	`a & calc`:             `"a & calc"`,
	`a&calc`:               `"a&calc"`,
	`a|b>c<d^e(f)`:         `"a|b>c<d^e(f)"`,
	`"&calc&"`:             `"""&calc&"""`,
	`%PATH%`:               `"%%cd:~,%PATH%%cd:~,%"`,
	`!PATH!`:               `"!PATH!"`,
	`a;b,c=d`:              `"a;b,c=d"`,
	`C:\a b\`:              `"C:\a b\\"`,
	``:                     `""`,
	`größe`:                `größe`,
}

// TestBatchLine checks that no argument of a batch file ends its quotation, is expanded as a
// variable or is another command.
func TestBatchLine(t *testing.T) {
	t.Parallel()
	for arg, want := range batchArguments {
		line, err := batchLine(`C:\npm\claude.cmd`, []string{"mcp", arg})
		require.NoError(t, err)
		assert.Equal(t, `cmd.exe /e:ON /v:OFF /d /c ""C:\npm\claude.cmd" mcp `+want+`"`, line)
	}
	// The C runtime reads this as Windows does since 2008; Go's own reading is older.
	line, err := batchLine(`C:\npm\claude.cmd`, []string{`\"&calc`})
	require.NoError(t, err)
	assert.Equal(t, `cmd.exe /e:ON /v:OFF /d /c ""C:\npm\claude.cmd" "\\""&calc""`, line)
	for _, arg := range []string{"a\nb", "a\rb", "a\x00b"} {
		_, err := batchLine(`C:\npm\claude.cmd`, []string{arg})
		assert.Error(t, err)
	}
	_, err = batchLine(`C:\npm"&calc&".cmd`, nil)
	assert.Error(t, err)
}

package main

import (
	"errors"
	"strings"
)

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

package main

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each option has a row, with its default and without code.
func TestWrite(t *testing.T) {
	t.Parallel()
	repository := fstest.MapFS{
		"a.go": {Data: []byte(`package a

type Options struct {
	// MaxBytes is the size | of [Thing]. Default: 4 KiB.
	//
	//	code()
	MaxBytes int
	// On turns it on.
	On, Off bool
	Limits Limits
	hidden int
}

type Limits struct {
	// Rate limits calls. Default: 5; negative: no limit.
	RatePerSecond int
}

type Thing struct{ A int }
`)},
		"a_test.go":       {Data: []byte("package a\n\ntype TestOptions struct{ A int }\n")},
		"internal/b/b.go": {Data: []byte("package b\n\ntype Options struct{ A int }\n")},
		"c/c.go":          {Data: []byte("package c\n\ntype COptions struct {\n\t// A is one.\n\tA *int\n}\n")},
	}
	var out strings.Builder
	require.NoError(t, write(repository, &out))
	got := strings.TrimPrefix(out.String(), head)
	const table = "\n\n| Option | Type | Default | Effect |\n|---|---|---|---|\n"
	assert.Equal(t, "\n## a\n\n### a.Options"+table+
		"| `MaxBytes` | `int`, bytes | 4 KiB | MaxBytes is the size \\| of `Thing`. |\n"+
		"| `On` | `bool` | false | On turns it on. |\n| `Off` | `bool` | false | see `On` |\n"+
		"| `Limits` | `Limits` | see the fields | see `On` |\n"+
		"\n### a.Limits"+table+"| `RatePerSecond` | `int`, per second | 5; negative: no limit | Rate limits calls. |\n"+
		"\n## c\n\n### c.COptions"+table+"| `A` | `*int` | none | A is one. |\n", got)
}

package prompts_test

import (
	"context"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// A small argument that an author keeps must not keep a large message alive.
func TestArgumentsOfLargeMessagesAreCopies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		padding int
		shares  bool
	}{{0, true}, {maxShared, false}} {
		var kept []string
		var r prompts.Registry
		r.MustAdd(prompts.New(prompts.Prompt{Name: "keep"}, func(_ context.Context, in struct{ A, B string }) (*prompts.Result, error) {
			kept = append(kept, in.A, in.B)
			return prompts.Messages(), nil
		}))
		params := `{"name":"keep","arguments":{"A":"first","B":"second"},"_meta":{"padding":"` + strings.Repeat("x", test.padding) + `"}}`
		_, err := prompts.NewServer(&r, prompts.Options{}).Call(t.Context(), "prompts/get", []byte(params), prompts.CallOptions{})
		require.NoError(t, err)
		require.Equal(t, []string{"first", "second"}, kept)
		distance := uintptr(unsafe.Pointer(unsafe.StringData(kept[1]))) - uintptr(unsafe.Pointer(unsafe.StringData(kept[0])))
		inMessage := uintptr(strings.Index(params, "second") - strings.Index(params, "first"))
		require.Equal(t, test.shares, distance == inMessage)
	}
}

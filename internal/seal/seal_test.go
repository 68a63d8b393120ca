package seal

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	oldKey = []byte("0123456789abcdef")
	newKey = []byte("fedcba9876543210")
)

func keys(keys ...[]byte) func() ([][]byte, error) {
	return func() ([][]byte, error) { return keys, nil }
}

// The application's keys are not asked for because of text that nobody sealed.
func TestOpenAsksForKeys(t *testing.T) {
	t.Parallel()
	errKeys := errors.New("no keys")
	failing := func() ([][]byte, error) { return nil, errKeys }
	for _, text := range []string{"", "AQ", "A", "a state", strings.Repeat("A", 100)} {
		_, ok, err := Open(failing, text, Binding{})
		assert.False(t, ok)
		assert.NoError(t, err, text)
	}
	text, err := Seal(oldKey, []byte("{}"), Binding{})
	require.NoError(t, err)
	_, _, err = Open(failing, text, Binding{})
	assert.ErrorIs(t, err, errKeys)
}

func TestSeal(t *testing.T) {
	t.Parallel()
	to := Binding{1, 2, 3}
	for _, plaintext := range []string{"{}", "\x00", strings.Repeat("x", 1<<16)} {
		text, err := Seal(oldKey, []byte(plaintext), to)
		require.NoError(t, err)
		for _, all := range [][][]byte{{oldKey}, {newKey, oldKey}} {
			got, ok, err := Open(keys(all...), text, to)
			require.NoError(t, err)
			require.True(t, ok)
			assert.Equal(t, plaintext, string(got))
		}
		for _, c := range []struct {
			keys [][]byte
			to   Binding
		}{{[][]byte{newKey}, to}, {nil, to}, {[][]byte{oldKey}, Binding{1, 2, 4}}} {
			_, ok, err := Open(keys(c.keys...), text, c.to)
			require.NoError(t, err)
			assert.False(t, ok, "sealed by another key or for another request")
		}
	}
}

// The same message never looks the same: neither its salt nor its ciphertext.
func TestSealIsRandom(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 100 {
		text, err := Seal(oldKey, []byte("{}"), Binding{})
		require.NoError(t, err)
		raw, err := encoding.DecodeString(text)
		require.NoError(t, err)
		salt, rest := string(raw[1:header]), string(raw[header:])
		assert.False(t, seen[salt] || seen[rest])
		seen[salt], seen[rest] = true, true
	}
}

// MRT-11, MRT-12: a change of any byte is found.
func TestEveryByteCounts(t *testing.T) {
	t.Parallel()
	text, err := Seal(oldKey, []byte(`{"t":{"a":"b"}}`), Binding{})
	require.NoError(t, err)
	for i := range text {
		changed := []byte(text)
		for b := range 256 {
			if changed[i] = byte(b); changed[i] == text[i] {
				continue
			}
			if _, ok, err := Open(keys(oldKey), string(changed), Binding{}); ok || err != nil {
				t.Fatalf("byte %d as %#x: %t, %v", i, b, ok, err)
			}
		}
	}
}

// MRT-11, MRT-12: Open takes any text without a panic and accepts only what Seal
// returned.
func FuzzOpen(f *testing.F) {
	// The corpus has to be the same in each process of the fuzzer.
	for _, text := range []string{"", "AQ", strings.Repeat("A", 100), strings.Repeat("_", 80) + "\n"} {
		f.Add(text)
	}
	both := keys(newKey, oldKey)
	f.Fuzz(func(t *testing.T, text string) {
		if _, ok, err := Open(both, text, Binding{}); ok || err != nil {
			t.Fatalf("%q: %t, %v", text, ok, err)
		}
		sealed, err := Seal(oldKey, []byte(text), Binding{})
		if err != nil {
			t.Fatal(err)
		}
		got, ok, err := Open(both, sealed, Binding{})
		if err != nil || !ok || !bytes.Equal(got, []byte(text)) {
			t.Fatalf("%q: %q, %t, %v", text, got, ok, err)
		}
	})
}

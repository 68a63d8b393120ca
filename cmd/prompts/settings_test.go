package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Of the settings of a release, only the clients and the ignored files count.
func TestPulledSettings(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"clients: [Zed]\nignore: [old]\nrules: {size: off}\ntools: pair\ninstructions: Obey.\n": `{"clients":["Zed"],"ignore":["old"]}`,
		"clients: [Newer]\nfuture: 1\nignore: [old]\n":                                          `{"ignore":["old"]}`,
		"clients: [": "{}",
		"clients: [Zed]\n#" + strings.Repeat("x", maxSettingsFile): "{}",
	} {
		assert.Equal(t, want+"\n", string(pulledSettings([]byte(content))))
	}
}

package prompts_test

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// contentTypes are the types of content by their names in Go, with their types in JSON.
// After a type is added here, TestContentTypes names each file that does not know the type.
var contentTypes = map[string]string{
	"Text": "text", "Image": "image", "Audio": "audio", "ResourceLink": "resource_link", "EmbeddedResource": "resource",
}

// contentPlaces are the files that read, write or show content, with the types that a file
// does not need to know.
var contentPlaces = map[string][]string{
	"cache.go":                       nil,
	"cmd/prompts/render.go":          nil,
	"content.go":                     nil,
	"encodecontent.go":               nil,
	"internal/doubt/content.go":      {"Image", "ResourceLink", "Text"}, // files of any content
	"internal/explain/words.go":      {"ResourceLink"},                  // which has no form in a file
	"internal/golden/golden.go":      nil,
	"internal/portable/portable.go":  nil,
	"mount/internal/core/from.go":    nil,
	"promptfs/body.go":               {"ResourceLink"}, // which has no form in a file
	"promptpreview/assets/result.js": nil,
	"promptpreview/clients.go":       nil,
	"prompttest/checksensitive.go":   {"ResourceLink"}, // a link has no data of its own
	"prompttest/result.go":           nil,
}

var (
	contentMethod  = regexp.MustCompile(`(?m)^func \(\*(\w+)\) content\(\)`)
	lineComment    = regexp.MustCompile(`//.*`)
	notContentCode = regexp.MustCompile(`(^|/)(testdata|node_modules|third_party|\.[^/]+)(/|$)|^(examples|internal/(interop|dev|servertest|soak|clienttest))(/|$)`)
)

// Each place that knows content types knows all of them, and no place is missing here.
func TestContentTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all files of the repository, one after another")
	}
	t.Parallel()
	repository := os.DirFS(".")
	source, err := fs.ReadFile(repository, "content.go")
	require.NoError(t, err)
	var declared []string
	for _, m := range contentMethod.FindAllSubmatch(source, -1) {
		declared = append(declared, string(m[1]))
	}
	assert.ElementsMatch(t, declared, slices.Collect(maps.Keys(contentTypes)), "add the type of content.go to contentTypes, and to the files that this test then names")
	knows := map[string]*regexp.Regexp{}
	for name, inJSON := range contentTypes {
		knows[name] = regexp.MustCompile(`\b` + name + `(Content)?\b[^(]|"` + inJSON + `"`)
	}
	places := maps.Clone(contentPlaces)
	require.NoError(t, fs.WalkDir(repository, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && notContentCode.MatchString(name):
			return fs.SkipDir
		case d.IsDir(), path.Ext(name) != ".go" && path.Ext(name) != ".js", strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(repository, name)
		code := lineComment.ReplaceAll(text, nil)
		var missing []string
		for _, name := range slices.Sorted(maps.Keys(knows)) {
			if !knows[name].Match(code) {
				missing = append(missing, name)
			}
		}
		if leaves, ok := places[name]; ok {
			assert.Equal(t, leaves, missing, "%s: content types that the file does not know", name)
			delete(places, name)
		} else {
			assert.Contains(t, missing, "Audio", "%s knows content types; add the file to contentPlaces", name)
		}
		return err
	}))
	assert.Empty(t, places, "files of contentPlaces that do not exist")
}

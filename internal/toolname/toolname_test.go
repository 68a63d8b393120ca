package toolname_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts/internal/toolname"
)

// samples are names that no table of ours has: a character of each script and category of
// Unicode, alone and many times, emoji with joiners, combining characters, names that differ
// only behind the cut, and names that look like escapes or digests.
func samples() []string {
	set := map[string]bool{}
	add := func(names ...string) {
		for _, name := range names {
			if utf8.ValidString(name) {
				set[name] = true
			}
		}
	}
	for _, tables := range []map[string]*unicode.RangeTable{unicode.Scripts, unicode.Categories} {
		for _, table := range tables {
			var r rune
			switch {
			case len(table.R16) > 0:
				r = rune(table.R16[0].Lo)
			case len(table.R32) > 0:
				r = rune(table.R32[0].Hi)
			}
			add(string(r), strings.Repeat(string(r), 20), strings.Repeat(string(r)+"_x2", 15))
		}
	}
	family := "👩‍👩‍👧‍👦"
	add(family, strings.Repeat(family, 30), strings.Repeat(family, 30)+"x", "🏳️‍🌈", "e\u0301", "é", "\u202eabc", "a\x00b", strings.Repeat("a\u0300", 70), strings.Repeat("a\u0300", 71))
	for n := 40; n < 64; n++ { // the cut is at each place of an escape
		add(strings.Repeat("l", n)+strings.Repeat("_x2f_", 15), strings.Repeat("l", n)+strings.Repeat("名", 15), strings.Repeat("l", n)+"_x5f"+strings.Repeat("k", 130))
	}
	for i := range 20 {
		add(strings.Repeat("p", 127)+fmt.Sprint(i), strings.Repeat("p", 300)+fmt.Sprint(i), strings.Repeat("p", 63)+fmt.Sprint(i))
	}
	for name := range set { // what has the escape of another as its name, and so on
		for _, most := range []int{toolname.MaxKey, toolname.MaxName} {
			escape := toolname.Escape(name, most)
			add(escape, toolname.Escape(escape, most), strings.Replace(escape, "_x5f_", "_", 1))
		}
		if len(set) > 1200 {
			break
		}
	}
	var all []string
	for name := range set {
		all = append(all, name)
	}
	return all
}

// Each name has an escape of its own that all models accept, whatever else is named, and the
// escape of a name that is not cut leads back to the name.
func TestEscapesAreDistinct(t *testing.T) {
	t.Parallel()
	all := samples()
	token := regexp.MustCompile(`_x([0-9a-f]+)_`)
	for _, most := range []int{toolname.MaxKey, toolname.MaxName} {
		legal := regexp.MustCompile(fmt.Sprintf(`^[A-Za-z0-9_-]{1,%d}$`, most))
		names := map[string]string{}
		for _, name := range all {
			escape := toolname.Escape(name, most)
			assert.Regexp(t, legal, escape, "%q", name)
			assert.Equal(t, escape, toolname.Escape(name, most))
			other, ok := names[escape]
			assert.False(t, ok, "%q and %q are both %s", name, other, escape)
			names[escape] = name
			isCut := false
			back := token.ReplaceAllStringFunc(escape, func(e string) string {
				if isCut = isCut || len(e) == len("_x0123456789abcdef_"); isCut {
					return ""
				}
				r, err := strconv.ParseUint(e[2:len(e)-1], 16, 32)
				assert.NoError(t, err)
				return string(rune(r))
			})
			if isCut {
				assert.True(t, strings.HasPrefix(name, back), "%q is cut to %q", name, back)
			} else {
				assert.Equal(t, name, back)
			}
		}
	}
}

// The text before a digest is not read as an escape together with the digest: else a prompt
// could be named so that its tool is that of another.
func TestDigestsCannotBeNamed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 101) + "_x5f" + strings.Repeat("b", 100)
	tool := toolname.Escape(long, toolname.MaxName)
	assert.Regexp(t, `a_x5f_x5f_x[0-9a-f]{16}_$`, tool)
	for _, forged := range []string{tool, strings.Replace(tool, "_x5f_x5f_x", "_x5f_x", 1), strings.Replace(tool, "_x5f_x5f_x", "_x", 1)} {
		assert.NotEqual(t, tool, toolname.Escape(forged, toolname.MaxName), forged)
	}
}

// Keys are distinct from each other and from all names, stay for what a model accepts, and
// do not depend on the order of the names.
func TestKeys(t *testing.T) {
	t.Parallel()
	legal := regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	assert.Nil(t, toolname.Keys([]string{"a", "A.b-c_9", strings.Repeat("x", 64)}))
	assert.Nil(t, toolname.Keys(nil))
	assert.Equal(t, map[string]string{"größe": "gr_xf6__xdf_e", "file path": "file_x20_path", "文件": "_x6587__x4ef6_", "issue_types[]": "issue_types_x5b__x5d_"},
		toolname.Keys([]string{"größe", "ok", "file path", "文件", "issue_types[]"}))
	first := toolname.Keys([]string{"a b", "a_x20_b"})["a b"]
	assert.Regexp(t, `^a_x20_b_x[0-9a-f]{16}_$`, first, "the name that matches stays")
	second := toolname.Keys([]string{"a b", "a_x20_b", first})["a b"]
	assert.Regexp(t, `^a_x20_b_x[0-9a-f]{16}_$`, second)
	assert.NotEqual(t, first, second)
	all := append(samples(), "")
	keys := toolname.Keys(all)
	taken := map[string]bool{}
	for _, name := range all {
		taken[name] = true
	}
	for _, name := range all {
		key, ok := keys[name]
		assert.Equal(t, !legal.MatchString(name), ok, "%q", name)
		if ok {
			assert.Regexp(t, legal, key, "%q", name)
			assert.False(t, taken[key], "%q: %s", name, key)
			taken[key] = true
		}
	}
	for i := range len(all) / 2 {
		all[i], all[len(all)-1-i] = all[len(all)-1-i], all[i]
	}
	assert.Equal(t, keys, toolname.Keys(all))
}

package promptfs_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptskills"
)

// skillMD returns the content of a SKILL.md.
func skillMD(name string) string {
	return "---\nname: " + name + "\ndescription: Does " + name + "\n---\nDo it.\n"
}

func mapFS(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// A folder with a SKILL.md is a skill with all its files, and a prompt; a SKILL.md
// below it is a skill of its own.
func TestSkillsOfAFolder(t *testing.T) {
	t.Parallel()
	fsys := mapFS(map[string]string{
		"plan.md":                    "A prompt.",
		"a/refunds/SKILL.md":         skillMD("refunds"),
		"a/refunds/x.bin":            "\xff\x00",
		"a/refunds/README.md":        "read me",
		"a/refunds/_lib/__init__.py": "",
		"a/refunds/.git/config":      "secret",
		"a/refunds/in/deep/SKILL.md": skillMD("deep"),
		"a/refunds/in/deep/y.md":     "y",
		"a/other.txt":                "of no skill",
		"_drafts/late/SKILL.md":      skillMD("late"),
		".hidden/SKILL.md":           skillMD("hidden"),
	})
	var reg prompts.Registry
	var skills promptskills.Registry
	o := promptfs.Options{Skills: &skills, Logger: slog.New(slog.DiscardHandler)}
	folder := promptfs.NewFolder(&reg, fsys, o)
	require.NoError(t, folder.Reload(t.Context()))
	got := map[string][]string{}
	for s := range skills.All() {
		got[s.Path] = slices.Sorted(maps.Keys(s.Files))
	}
	assert.Equal(t, map[string][]string{
		"a/refunds":         {"README.md", "SKILL.md", "_lib/__init__.py", "x.bin"},
		"a/refunds/in/deep": {"SKILL.md", "y.md"},
	}, got)
	_, isPrompt := reg.Lookup("refunds")
	assert.True(t, isPrompt)
	_, isPrompt = reg.Lookup("plan")
	assert.True(t, isPrompt)

	o.DisableSkillPrompts = true
	list, err := promptfs.Load(fsys, o)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, "plan", list[0].Name)
	loaded, err := promptfs.LoadSkills(fsys, o)
	require.NoError(t, err)
	assert.Len(t, loaded, 2)
	files, err := promptfs.Files(fsys, o)
	require.NoError(t, err)
	assert.Len(t, files, 7)
	assert.Equal(t, "\xff\x00", string(files["a/refunds/x.bin"]))

	root, err := promptfs.LoadSkills(mapFS(map[string]string{"SKILL.md": skillMD("root"), "x": "", "in/SKILL.md": skillMD("in")}), o)
	require.NoError(t, err)
	require.Len(t, root, 2)
	assert.Equal(t, "root", root[0].Path)
	assert.Equal(t, "root/in", root[1].Path)
}

// SKL-10: front matter is JSON with the types of YAML 1.2, and every field.
func TestParseFrontmatter(t *testing.T) {
	t.Parallel()
	got, err := promptfs.ParseFrontmatter([]byte("\ufeff---\r\nname: a\r\nyes: yes\r\non: off\r\nt: [true, True, null, ~, '']\r\nd: 2026-07-28\r\nn: [1, -0, +7, 007, 0o17, 0x1F, 1_000, 0b1, 1.10, .5, 1., 1e3, 12345678901234567890, 1:30]\r\ns: ['1', \"true\", !x]\r\n---\r\n"))
	assert.ErrorContains(t, err, "tag")
	assert.Nil(t, got)
	got, err = promptfs.ParseFrontmatter([]byte("\ufeff---\r\nname: a\r\nyes: yes\r\non: off\r\nt: [true, True, null, ~, '']\r\nd: 2026-07-28\r\nn: [1, -0, +7, 007, 0o17, 0x1F, 1_000, 0b1, 1.10, .5, 1., 1e3, 12345678901234567890, '1:30']\r\ns: ['1', \"true\"]\r\nlit: |\r\n  a\r\n  b\r\nfold: >-\r\n  a\r\n  b\r\nempty:\r\nm: {x: {y: [z]}}\r\n---\r\n"))
	require.NoError(t, err)
	assert.Equal(t, `{"name":"a","yes":"yes","on":"off","t":[true,true,null,null,""],"d":"2026-07-28","n":[1,-0,7,7,15,31,"1_000","0b1",1.10,0.5,1,1e3,12345678901234567890,"1:30"],"s":["1","true"],"lit":"a\nb\n","fold":"a b","empty":null,"m":{"x":{"y":["z"]}}}`, string(got))
	assert.True(t, json.Valid(got))
	got, err = promptfs.ParseFrontmatter([]byte("---\na: |\n  x\nb: |\n  y\n---\n"))
	require.NoError(t, err)
	assert.Equal(t, `{"a":"x\n","b":"y\n"}`, string(got))
	for text, want := range map[string]string{
		"name: a\n":                   "1: skill must start with front matter",
		" ---\nname: a\n---\n":        "1: skill must start",
		"--- \nname: a\n---\n":        "1: skill must start",
		"\n---\nname: a\n---\n":       "2: front matter must start on line 1",
		"---\nname: a\n":              "1: front matter is not closed",
		"---\n---\n":                  "1: front matter is empty",
		"---\n- a\n---\n":             "must be key: value pairs",
		"---\na: 1\na: 2\n---\n":      `3: duplicate key "a"`,
		"---\na: {b: 1, b: 2}\n---\n": `2: duplicate key "b"`,
		"---\na: &x 1\n---\n":         "2: YAML anchor &x",
		"---\na: *x\n---\n":           "*",
		"---\na: !!str 1\n---\n":      "2: YAML tag",
		"---\nx: {<<: {a: 1}}\n---\n": "YAML merge key",
		"---\na: .inf\n---\n":         `2: ".inf" cannot be represented in JSON`,
		"---\na: [.NaN]\n---\n":       "cannot be represented in JSON",
		"---\na: 1e999\n---\n":        "cannot be represented in JSON",
		"---\n1: a\n---\n":            "2: key must be a string",
		"---\ntrue: a\n---\n":         "key must be a string",
		"---\n? [a]\n: b\n---\n":      "key must be a string",
		"---\na: 1\n--- \nb\n---\n":   "",
		"---\na: \xff\n---\n":         "2: file is not valid UTF-8",
		"---\na: [\n---\n":            "invalid YAML",
		"---\na: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\n---\n": "exceeds the limit of 32 nested levels",
	} {
		_, err := promptfs.ParseFrontmatter([]byte(text))
		if want == "" {
			assert.NoError(t, err, text)
		} else {
			assert.ErrorContains(t, err, want, text)
		}
	}
}

// An invalid skill is reported with its file and line, and others are loaded.
func TestErrorsOfSkills(t *testing.T) {
	t.Parallel()
	many := map[string]string{"many/SKILL.md": skillMD("many")}
	for i := range promptskills.MaxFiles - 1 {
		many[fmt.Sprint("many/", i)] = ""
	}
	many["many/in/SKILL.md"] = skillMD("in")
	for want, files := range map[string]map[string]string{
		`a/SKILL.md:2: front matter: name is "b", but the folder is "a"`:         {"a/SKILL.md": skillMD("b")},
		`A/SKILL.md: last segment`:                                               {"A/SKILL.md": skillMD("A")},
		`a/SKILL.md:3: front matter: description is empty`:                       {"a/SKILL.md": "---\nname: a\ndescription: ''\n---\nx"},
		`a/SKILL.md:1: front matter: description is missing`:                     {"a/SKILL.md": "---\nname: a\n---\nx"},
		`a/SKILL.md:1: skill must start with front matter`:                       {"a/SKILL.md": "Do it."},
		`a/skill.md: file of a skill must be named SKILL.md`:                     {"a/skill.md": skillMD("a")},
		`many/SKILL.md: skill has 513 files, with nested skills (limit 512)`:     many,
		`a/SKILL.md: files of the skill have 16777259 bytes, with nested skills`: {"a/SKILL.md": skillMD("a"), "a/x": strings.Repeat("x", promptskills.MaxBytes)},
		`a/x\y: "x\\y" must not contain a backslash`:                             {"a/SKILL.md": skillMD("a"), `a/x\y`: ""},
	} {
		files = maps.Clone(files)
		files["good/SKILL.md"] = skillMD("good")
		skills, err := promptfs.LoadSkills(mapFS(files), promptfs.Options{})
		assert.ErrorContains(t, err, want)
		var e *promptfs.Error
		assert.ErrorAs(t, err, &e)
		assert.True(t, slices.ContainsFunc(skills, func(s promptskills.Skill) bool { return s.Path == "good" }), want)
	}
}

// dirOfSkills is a folder on disk, whose skills and prompts are kept in registries.
type dirOfSkills struct {
	t      *testing.T
	path   string
	skills promptskills.Registry
	reg    prompts.Registry
	folder *promptfs.Folder
	report promptfs.Report
}

func newDirOfSkills(t *testing.T) *dirOfSkills {
	d := &dirOfSkills{t: t, path: t.TempDir()}
	d.folder = promptfs.NewDir(&d.reg, d.path, promptfs.Options{
		Skills: &d.skills, Logger: slog.New(slog.DiscardHandler), OnReload: func(r promptfs.Report) { d.report = r },
	})
	return d
}

func (d *dirOfSkills) write(name, text string) {
	path := filepath.Join(d.path, filepath.FromSlash(name))
	require.NoError(d.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(d.t, os.WriteFile(path, []byte(text), 0o600))
}

func (d *dirOfSkills) remove(name string) {
	require.NoError(d.t, os.RemoveAll(filepath.Join(d.path, filepath.FromSlash(name))))
}

// file returns a file of a skill in the registry.
func (d *dirOfSkills) file(skill, name string) string {
	s, ok := d.skills.Lookup(skill)
	if !ok {
		return "no skill"
	}
	text, ok := s.Files[name]
	if !ok {
		return "no file"
	}
	return string(text)
}

// A reload is one update; what becomes invalid stays as it was, and what goes is
// removed.
func TestReloadOfSkills(t *testing.T) {
	t.Parallel()
	d := newDirOfSkills(t)
	reload := func() error { return d.folder.Reload(t.Context()) }
	d.write("a/SKILL.md", skillMD("a"))
	d.write("a/x", "1")
	d.write("a/in/b/SKILL.md", skillMD("b"))
	require.NoError(t, reload())
	assert.Equal(t, []string{"a", "a/in/b"}, d.report.SkillsAdded)
	changed, cancel := signals(d.skills.OnChange)
	defer cancel()
	require.NoError(t, reload())
	assert.Empty(t, changed)

	d.write("a/x", "22")
	d.write("a/y", "new")
	require.NoError(t, reload())
	<-changed
	assert.Empty(t, changed, "one update")
	assert.Equal(t, []string{"a"}, d.report.SkillsChanged)
	assert.Equal(t, "22", d.file("a", "x"))

	d.write("a/SKILL.md", "---\nname: other\n---\n")
	d.write("a/x", "333")
	d.write("c/SKILL.md", skillMD("c"))
	assert.ErrorContains(t, reload(), "a/SKILL.md:2: front matter: name")
	assert.Equal(t, "22", d.file("a", "x"), "the last good one")
	assert.Equal(t, skillMD("c"), d.file("c", "SKILL.md"))
	d.write("a/SKILL.md", skillMD("a"))
	require.NoError(t, reload())
	assert.Equal(t, "333", d.file("a", "x"))

	// A file moves from the outer skill to one inside of it, and back.
	d.write("a/in/new/x", "x")
	require.NoError(t, reload())
	assert.Equal(t, "x", d.file("a", "in/new/x"))
	d.write("a/in/new/SKILL.md", skillMD("new"))
	require.NoError(t, reload())
	assert.Equal(t, "x", d.file("a/in/new", "x"))
	assert.Equal(t, "no file", d.file("a", "in/new/x"))
	d.remove("a/in/new/SKILL.md")
	require.NoError(t, reload())
	assert.Equal(t, "x", d.file("a", "in/new/x"))
	assert.Equal(t, "no skill", d.file("a/in/new", "x"))

	// The same while the outer one is invalid: neither changes, and others do.
	d.write("a/SKILL.md", "no front matter")
	d.write("a/in/new/SKILL.md", skillMD("new"))
	d.write("c/z", "z")
	assert.ErrorContains(t, reload(), "file belongs to the folder of skill")
	assert.Equal(t, "x", d.file("a", "in/new/x"))
	assert.Equal(t, "z", d.file("c", "z"))
	d.write("a/SKILL.md", skillMD("a"))
	require.NoError(t, reload())
	assert.Equal(t, "x", d.file("a/in/new", "x"))

	d.remove("a")
	require.NoError(t, reload())
	assert.Equal(t, []string{"a", "a/in/b", "a/in/new"}, d.report.SkillsRemoved)
	assert.Equal(t, 1, d.skills.Len())
}

// A skill of code keeps its path, and files over the limit of the registry change
// nothing.
func TestSkillsThatTheRegistryRefuses(t *testing.T) {
	t.Parallel()
	d := newDirOfSkills(t)
	d.skills.MaxTotalBytes = 5000
	d.skills.Retain = -1
	code := promptskills.Skill{Path: "a", Frontmatter: json.RawMessage(`{"name":"a","description":"d"}`), Files: map[string][]byte{"SKILL.md": []byte("code")}}
	require.NoError(t, d.skills.Add(code))
	d.write("a/SKILL.md", skillMD("a"))
	d.write("b/SKILL.md", skillMD("b"))
	assert.ErrorContains(t, d.folder.Reload(t.Context()), `a/SKILL.md: skill path "a" is already used by a skill outside of this folder`)
	assert.Equal(t, "code", d.file("a", "SKILL.md"))
	d.write("b/large", strings.Repeat("x", 5000))
	err := d.folder.Reload(t.Context())
	assert.ErrorIs(t, err, promptskills.ErrTooLarge)
	assert.Equal(t, "no file", d.file("b", "large"))
	assert.Equal(t, skillMD("b"), d.file("b", "SKILL.md"))
	assert.True(t, d.skills.Remove("a"))
	d.remove("b/large")
	require.NoError(t, d.folder.Reload(t.Context()))
	assert.Equal(t, skillMD("a"), d.file("a", "SKILL.md"))
}

// Links to files are followed inside of the folder, and not out of it.
func TestLinksInSkills(t *testing.T) {
	t.Parallel()
	skipWithoutLinks(t)
	d := newDirOfSkills(t)
	outside := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o600))
	d.write("a/SKILL.md", skillMD("a"))
	d.write("shared/x", "shared")
	link := func(target, name string) {
		require.NoError(t, os.Symlink(target, filepath.Join(d.path, filepath.FromSlash(name))))
	}
	link("../shared/x", "a/inside")
	link(outside, "a/absolute")
	link("../../../secret", "a/relative")
	link("nowhere", "a/broken")
	link("loop", "a/loop")
	err := d.folder.Reload(t.Context())
	for _, name := range []string{"absolute", "relative", "broken", "loop"} {
		assert.ErrorContains(t, err, "a/"+name+": ")
	}
	assert.Equal(t, "shared", d.file("a", "inside"))
	for _, name := range []string{"absolute", "relative", "broken", "loop"} {
		assert.Equal(t, "no file", d.file("a", name))
	}
}

// A file system whose files vanish and grow between listing and reading makes an
// error of the skill, and never half of one.
func TestSkillFilesThatChangeWhileRead(t *testing.T) {
	t.Parallel()
	good := mapFS(map[string]string{"a/SKILL.md": skillMD("a"), "a/x": "1"})
	var skills promptskills.Registry
	fsys := &unsteady{FS: good}
	folder := promptfs.NewFolder(new(prompts.Registry), fsys, promptfs.Options{Skills: &skills, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, folder.Reload(t.Context()))
	for name, broken := range map[string]func(string) (fs.File, error){
		"vanishes": func(name string) (fs.File, error) {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		},
		"grows": func(name string) (fs.File, error) {
			f, err := mapFS(map[string]string{name: strings.Repeat("x", promptskills.MaxBytes+1)}).Open(name)
			return f, err
		},
		"fails": func(string) (fs.File, error) { return nil, errors.New("disk") },
	} {
		good["a/x"].Data = []byte("22" + name)
		fsys.open = broken
		assert.ErrorContains(t, folder.Reload(t.Context()), "a/x: ", name)
		s, _ := skills.Lookup("a")
		assert.Equal(t, "1", string(s.Files["x"]), name)
	}
	fsys.open = nil
	require.NoError(t, folder.Reload(t.Context()))
	s, _ := skills.Lookup("a")
	assert.Equal(t, sha256.Sum256(good["a/x"].Data), sha256.Sum256(s.Files["x"]))
}

// unsteady opens a/x with open.
type unsteady struct {
	fs.FS
	open func(name string) (fs.File, error)
}

func (u *unsteady) Open(name string) (fs.File, error) {
	if name == "a/x" && u.open != nil {
		return u.open(name)
	}
	return u.FS.Open(name)
}

// A Mirror keeps skills as a Folder does.
func TestSkillsOfAMirror(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	var skills promptskills.Registry
	m := promptfs.NewMirror(&reg, promptfs.Options{Skills: &skills, Logger: slog.New(slog.DiscardHandler)})
	revision := uint64(0)
	file := func(path, content string) promptfs.File {
		revision++
		return promptfs.File{Path: path, Content: []byte(content), Revision: revision}
	}
	large := strings.Repeat("\x00", 5<<20)
	require.NoError(t, m.Reset(t.Context(), file("a/SKILL.md", skillMD("a")), file("a/large.bin", large), file("p.md", "p")))
	text := func(name string) string { s, _ := skills.Lookup("a"); return string(s.Files[name]) }
	assert.True(t, large == text("large.bin"))
	require.NoError(t, m.Apply(t.Context(), file("a/x", "1")))
	assert.Equal(t, "1", text("x"))
	require.NoError(t, m.Apply(t.Context(), file("a/x", "2"), file("p.md", "q")))
	assert.Equal(t, "2", text("x"))
	require.NoError(t, m.Apply(t.Context(), promptfs.File{Path: "a/SKILL.md", Revision: 100, Removed: true}))
	assert.Zero(t, skills.Len())
}

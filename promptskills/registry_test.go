package promptskills_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/promptskills"
)

// skill returns a skill with more files, by name and content in turn.
func skill(path string, files ...string) promptskills.Skill {
	name := path[strings.LastIndexByte(path, '/')+1:]
	s := promptskills.Skill{
		Path:        path,
		Frontmatter: json.RawMessage(fmt.Sprintf(`{"name":%q,"description":"Does %s"}`, name, name)),
		Files:       map[string][]byte{"SKILL.md": fmt.Appendf(nil, "---\nname: %s\ndescription: Does %s\n---\nDo it.\n", name, name)},
	}
	for i := 0; i+1 < len(files); i += 2 {
		s.Files[files[i]] = []byte(files[i+1])
	}
	return s
}

// SKL-04, SKL-06, SKL-16: a skill with an error is not added, and the error names
// skill, file and rule.
func TestInvalidSkills(t *testing.T) {
	t.Parallel()
	with := func(change func(s *promptskills.Skill)) promptskills.Skill {
		s := skill("a/refunds", "x.md", "x")
		change(&s)
		return s
	}
	front := func(text string) promptskills.Skill {
		return with(func(s *promptskills.Skill) { s.Frontmatter = json.RawMessage(text) })
	}
	file := func(name string) promptskills.Skill {
		return with(func(s *promptskills.Skill) { s.Files[name] = []byte("x") })
	}
	for want, s := range map[string]promptskills.Skill{
		`last segment of the path must have 1 to 64 characters`: skill("a/Refunds"),
		`skill "a--b": last segment`:                            skill("a--b"),
		`skill "-a"`:                                            skill("-a"),
		`skill "a/../b": invalid path`:                          skill("a/../b"),
		`skill "": invalid path`:                                skill(""),
		`path has 1201 bytes (limit 1024)`:                      skill(strings.Repeat("a/", 600) + "b"),
		`a backslash`:                                           skill(`a\c/b`),
		`SKILL.md is missing`:                                   with(func(s *promptskills.Skill) { delete(s.Files, "SKILL.md") }),
		`file "SKILL.md": content is not valid UTF-8`:           with(func(s *promptskills.Skill) { s.Files["SKILL.md"] = []byte{0xff} }),
		`must be a JSON object`:                                 front(`[]`),
		`duplicate`:                                             front(`{"name":"refunds","name":"refunds","description":"d"}`),
		`name is missing`:                                       front(`{"description":"d"}`),
		`name is "other"`:                                       front(`{"name":"other","description":"d"}`),
		`description is missing`:                                front(`{"name":"refunds"}`),
		`description is empty`:                                  front(`{"name":"refunds","description":" "}`),
		`description has 1025`:                                  front(`{"name":"refunds","description":"` + strings.Repeat("é", 1025) + `"}`),
		`compatibility must be a string`:                        front(`{"name":"refunds","description":"d","compatibility":1}`),
		`metadata must be a mapping`:                            front(`{"name":"refunds","description":"d","metadata":"x"}`),
		`allowed-tools must be`:                                 front(`{"name":"refunds","description":"d","allowed-tools":1}`),
		`file "../x"`:                                           file("../x"),
		`file "/x"`:                                             file("/x"),
		`file "x.md": file is also the folder of`:               file("x.md/y"),
		`skill has 513 files (limit 512)`: with(func(s *promptskills.Skill) {
			for i := range 511 {
				s.Files[fmt.Sprint(i)] = nil
			}
		}),
		`(limit 16777216)`: with(func(s *promptskills.Skill) { s.Files["large"] = make([]byte, promptskills.MaxBytes) }),
		`Files and Dynamic are both set`: with(func(s *promptskills.Skill) {
			s.Dynamic = func(context.Context) (fs.FS, error) { return nil, nil }
		}),
	} {
		var reg promptskills.Registry
		err := reg.Add(s)
		assert.ErrorContains(t, err, want)
		var e *promptskills.Error
		assert.ErrorAs(t, err, &e, want)
		assert.Zero(t, reg.Len(), want)
	}
}

func TestLimitsAreIncluded(t *testing.T) {
	t.Parallel()
	s := skill("a")
	for i := range promptskills.MaxFiles - 2 {
		s.Files[fmt.Sprint("f", i)] = nil
	}
	s.Files["large"] = make([]byte, promptskills.MaxBytes-len(s.Files["SKILL.md"]))
	var reg promptskills.Registry
	require.NoError(t, reg.Add(s))
	assert.ErrorContains(t, reg.Add(skill("a/b")), `skill "a": skill has too many files, including skills below it (limit 512)`)
	assert.Equal(t, 1, reg.Len())
}

// The files of a skill below another are in one of them.
func TestNestedFilesClash(t *testing.T) {
	t.Parallel()
	var reg promptskills.Registry
	require.NoError(t, reg.Add(skill("a", "b/x.md", "x")))
	assert.ErrorContains(t, reg.Add(skill("a/b")), `skill "a": file "b/x.md": file belongs to the folder of skill "a/b"; move it to that skill`)
	require.NoError(t, reg.Update(func(tx *promptskills.Tx) error {
		return tx.Set(skill("a/b", "x.md", "x"), skill("a"))
	}))
	assert.Equal(t, 2, reg.Len())
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	var reg promptskills.Registry
	changed := make(chan struct{}, 2)
	defer reg.OnChange(func() { changed <- struct{}{} })()
	require.NoError(t, reg.Add(skill("b"), skill("a/c")))
	assert.ErrorIs(t, reg.Add(skill("b")), promptskills.ErrExists)
	assert.ErrorIs(t, reg.Add(skill("d"), skill("d")), promptskills.ErrExists)
	<-changed
	require.NoError(t, reg.Set(skill("b")))
	assert.Empty(t, changed, "the same skill was set again")
	failed := errors.New("failed")
	assert.ErrorIs(t, reg.Update(func(tx *promptskills.Tx) error {
		assert.True(t, tx.Remove("b"))
		_, ok := tx.Lookup("b")
		assert.False(t, ok)
		return failed
	}), failed)
	s, ok := reg.Lookup("b")
	assert.True(t, ok)
	assert.Equal(t, "skill://b/SKILL.md", s.URI())
	var paths []string
	for s := range reg.All() {
		paths = append(paths, s.Path)
	}
	assert.Equal(t, []string{"a/c", "b"}, paths)
	assert.True(t, reg.Remove("b"))
	assert.False(t, reg.Remove("b"))
	<-changed
}

// What was replaced counts toward MaxTotalBytes for as long as it is retained,
// and equal contents count once. A change over the limit changes nothing.
func TestMaxTotalBytes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		version := func(n int) promptskills.Skill { return skill("a", "x", strings.Repeat(fmt.Sprint(n), 1000)) }
		reg := promptskills.Registry{MaxTotalBytes: 2500}
		require.NoError(t, reg.Set(version(1)))
		require.NoError(t, reg.Set(version(2)))
		assert.ErrorIs(t, reg.Set(version(3)), promptskills.ErrTooLarge)
		s, _ := reg.Lookup("a")
		assert.Equal(t, version(2).Files, s.Files)
		require.NoError(t, reg.Set(version(1)), "which is retained")
		time.Sleep(time.Minute - time.Nanosecond)
		assert.ErrorIs(t, reg.Set(version(3)), promptskills.ErrTooLarge)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.NoError(t, reg.Set(version(3)))
		assert.True(t, reg.Remove("a"))
		time.Sleep(time.Minute)
		synctest.Wait()
		s = skill("b", "x", strings.Repeat("4", 2300))
		require.NoError(t, reg.Set(s), "nothing else is held")
		many := promptskills.Registry{MaxTotalBytes: 2500, Retain: -1}
		for n := range 100 {
			require.NoError(t, many.Set(version(n%10)))
		}
		_ = many.Remove("a")
	})
}

// Readers see all of a change or nothing of it.
func TestReadersSeeWholeChanges(t *testing.T) {
	t.Parallel()
	var reg promptskills.Registry
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				n := 0
				for range reg.All() {
					n++
				}
				if n != 0 && n != 3 {
					assert.Fail(t, "half a change", "%d skills", n)
					return
				}
			}
		})
	}
	for range 500 {
		require.NoError(t, reg.Add(skill("a"), skill("a/b"), skill("c")))
		_ = reg.Update(func(tx *promptskills.Tx) error {
			return errors.Join(tx.Set(), ignore(tx.Remove("a/b")), ignore(tx.Remove("a")), ignore(tx.Remove("c")))
		})
	}
	close(stop)
	wg.Wait()
}

func ignore(bool) error { return nil }

// However many changes there are, a bounded number of snapshots is retained.
func TestManySnapshots(t *testing.T) {
	t.Parallel()
	reg := promptskills.Registry{MaxTotalBytes: 25_000}
	refused := 0
	for n := range 1500 {
		if reg.Set(skill("a", "x", fmt.Sprintf("%020d", n))) != nil {
			refused++
		}
	}
	assert.Zero(t, refused, "20 bytes of 1024 snapshots and one more")
}

func TestMustAdd(t *testing.T) {
	t.Parallel()
	var reg promptskills.Registry
	reg.MustAdd(skill("a"))
	assert.Equal(t, 1, reg.Len())
	assert.PanicsWithError(t, `promptskills: `+reg.Add(skill("a")).Error(), func() { reg.MustAdd(skill("a")) })
}

package main

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// files makes a repository of names and texts.
func files(texts map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range texts {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// sites returns what cites what, as "id by site" with the worth of a site that
// is no test.
func sites(found []citation) []string {
	worth := map[kind]string{isHelper: ", a helper", notRun: ", not run"}
	list := []string{}
	for _, c := range found {
		list = append(list, c.id.String()+" by "+c.by.name+worth[c.by.kind])
	}
	return list
}

func TestCitationsInGo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		src  string
		want []string
	}{
		"in a function's comment":   {"// ZZZ-01\nfunc TestA(t *testing.T) {}", []string{"ZZZ-01 by TestA"}},
		"in a function":             {"func TestA(t *testing.T) {\n\t// ZZZ-01\n}", []string{"ZZZ-01 by TestA"}},
		"in a message":              {"func TestA(t *testing.T) { t.Log(\"ZZZ-01: %s\") }", []string{"ZZZ-01 by TestA"}},
		"in a raw string":           {"func TestA(t *testing.T) { t.Log(`\nZZZ-01`) }", []string{"ZZZ-01 by TestA"}},
		"in a subtest":              {"func TestA(t *testing.T) { t.Run(\"ZZZ-01\", nil) }", []string{"ZZZ-01 by TestA"}},
		"behind a function":         {"func TestA(t *testing.T) {} // ZZZ-01\nfunc TestB(t *testing.T) {}", []string{"ZZZ-01 by TestA"}},
		"between functions":         {"func TestA(t *testing.T) {}\n\n// ZZZ-01\n\nfunc TestB(t *testing.T) {}", []string{"ZZZ-01 by TestB"}},
		"behind an import":          {"import \"testing\" // ZZZ-01\nfunc TestA(t *testing.T) {}", []string{"ZZZ-01 by TestA"}},
		"a range over two lines":    {"// It holds (ZZZ-01 to\n// ZZZ-02).\nfunc TestA(t *testing.T) {}", []string{"ZZZ-01 by TestA", "ZZZ-02 by TestA"}},
		"in a fuzz target":          {"// ZZZ-01\nfunc FuzzA(f *testing.F) {}", []string{"ZZZ-01 by FuzzA"}},
		"a test of no more name":    {"// ZZZ-01\nfunc Test(t *testing.T) {}", []string{"ZZZ-01 by Test"}},
		"a test with an underscore": {"// ZZZ-01\nfunc Test_a(t *testing.T) {}", []string{"ZZZ-01 by Test_a"}},
		"a small letter":            {"// ZZZ-01\nfunc Testify(t *testing.T) {}", []string{"ZZZ-01 by Testify, a helper"}},
		"a helper":                  {"// ZZZ-01\nfunc check(t *testing.T) {}", []string{"ZZZ-01 by check, a helper"}},
		"a method":                  {"// ZZZ-01\nfunc (s suite) TestA() {}", []string{"ZZZ-01 by TestA, a helper"}},
		"TestMain":                  {"// ZZZ-01\nfunc TestMain(m *testing.M) {}", []string{"ZZZ-01 by TestMain, a helper"}},
		"a benchmark":               {"// ZZZ-01\nfunc BenchmarkA(b *testing.B) {}", []string{"ZZZ-01 by BenchmarkA, not run"}},
		"an example":                {"// ZZZ-01\nfunc Example() {\n\tprintln()\n\t// Output:\n\t// a\n}", []string{"ZZZ-01 by Example"}},
		"an example of a method":    {"// ZZZ-01\nfunc ExampleT_M_more() {\n\tprintln()\n\t// Unordered output: a\n}", []string{"ZZZ-01 by ExampleT_M_more"}},
		"an example of nothing":     {"// ZZZ-01\nfunc ExampleA() {\n\tprintln()\n\t// Output:\n}", []string{"ZZZ-01 by ExampleA"}},
		"an example without output": {"// ZZZ-01\nfunc ExampleA() { println() }", []string{"ZZZ-01 by ExampleA, not run"}},
		"a table":                   {"var cases = []string{\n\t\"a\", // ZZZ-01\n}", []string{"ZZZ-01 by cases, a helper"}},
		"one of several variables":  {"var (\n\ta = 1\n\t// ZZZ-01\n\tb = 2 // ZZZ-02\n\t// ZZZ-03\n)", []string{"ZZZ-01 by b, a helper", "ZZZ-02 by b, a helper", "ZZZ-03 by b, a helper"}},
		"a type":                    {"// ZZZ-01\ntype client struct{}", []string{"ZZZ-01 by client, a helper"}},
		"a declaration of nothing":  {"// ZZZ-01\nvar ()", []string{"ZZZ-01 by , a helper"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, faults, err := inGo("a_test.go", "package a\n"+test.src+"\n")
			require.NoError(t, err)
			assert.Empty(t, faults)
			for i := range found {
				assert.Regexp(t, `^a_test\.go:\d+$`, found[i].where)
				found[i].by.name = found[i].by.name[len("a_test.go:"):]
			}
			assert.Equal(t, test.want, sites(found))
		})
	}
}

// What belongs to nothing does not count, and does not go unseen.
func TestFaultsOfCitations(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"// ZZZ-01\npackage a\nfunc TestA() {}":           "a_test.go:1: ZZZ-01 is cited at the file's end or head",
		"package a\nfunc TestA() {}\n// ZZZ-01":           "a_test.go:3: ZZZ-01 is cited at the file's end or head",
		"package a // ZZZ-01":                             "a_test.go:1: ZZZ-01 is cited at the file's end or head",
		"package a\n// ZZZ-03 to ZZZ-02\nfunc TestA() {}": "a_test.go:2: ZZZ-03 to ZZZ-02 is no range",
	} {
		found, faults, err := inGo("a_test.go", src)
		require.NoError(t, err)
		assert.Empty(t, found, src)
		if assert.Len(t, faults, 1, src) {
			assert.Contains(t, faults[0], want)
		}
	}
}

func TestCitationsInSession(t *testing.T) {
	t.Parallel()
	found, faults, err := inSession("testdata/sessions/a.txt",
		"# ZZZ-01: comment\nC> {\"id\":\"ZZZ-02\"}\n#ZZZ-03…04\nS> # ZZZ-05\n# ZZZ-07…06\n")
	require.NoError(t, err)
	const by = " by testdata/sessions/a.txt"
	assert.Equal(t, []string{"ZZZ-01" + by, "ZZZ-03" + by, "ZZZ-04" + by}, sites(found))
	assert.Equal(t, "testdata/sessions/a.txt:3", found[2].where)
	assert.Equal(t, []string{"testdata/sessions/a.txt:5: ZZZ-07 to ZZZ-06 is no range"}, faults)
}

// Test files of all modules are read, and nothing that go test does not look
// at.
func TestWhichFilesAreRead(t *testing.T) {
	t.Parallel()
	const src, session = "package a\n// ZZZ-01\nfunc TestA() {}\n", "# ZZZ-01\n"
	found, faults, err := findCitations(files(map[string]string{
		"a_test.go":                       src,
		"internal/b/b_test.go":            src,
		"nested/go.mod":                   "module nested\n",
		"nested/c/c_test.go":              src,
		"testdata/sessions/s.txt":         session,
		"nested/testdata/sessions/t.txt":  session,
		"a.go":                            src,
		"README.md":                       session,
		"testdata/a_test.go":              src,
		"testdata/s.txt":                  session,
		"testdata/sessions/s.golden":      session,
		"testdata/sessions/deeper/s.txt":  session,
		"mytestdata/sessions/s.txt":       session,
		"vendor/v/v_test.go":              src,
		"nested/node_modules/n_test.go":   src,
		".hidden/h_test.go":               src,
		"_off/o_test.go":                  src,
		"internal/ledger/ledger_test.go":  src,
		"internal/ledger2/ledger_test.go": src,
	}))
	require.NoError(t, err)
	assert.Empty(t, faults)
	assert.ElementsMatch(t, []string{
		"ZZZ-01 by a_test.go:TestA",
		"ZZZ-01 by internal/b/b_test.go:TestA",
		"ZZZ-01 by internal/ledger2/ledger_test.go:TestA",
		"ZZZ-01 by nested/c/c_test.go:TestA",
		"ZZZ-01 by testdata/sessions/s.txt",
		"ZZZ-01 by nested/testdata/sessions/t.txt",
	}, sites(found))
}

func TestTestFileThatDoesNotParse(t *testing.T) {
	t.Parallel()
	_, _, err := findCitations(files(map[string]string{"a_test.go": "package"}))
	assert.ErrorContains(t, err, "a_test.go:1")
}

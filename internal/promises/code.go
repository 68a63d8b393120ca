package promises

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// code is what there is to know of the repository.
type code struct {
	tests  map[string]map[string]bool // names by folder
	limits map[string]limit           // by the name that the table has for them
}

// limit is an option with a number or a time, or a constant.
type limit struct {
	documented string   // the default that an option's comment says
	value      *float64 // nil if it is no constant's
	isDue      bool     // the table must have it
}

// readCode reads all Go files of the repository, nested modules included.
func readCode(fsys fs.FS) (*code, error) {
	c := &code{tests: map[string]map[string]bool{}, limits: map[string]limit{}}
	packages := map[string][]*ast.File{}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if base := path.Base(name); base != "." && (strings.HasPrefix(base, ".") || slices.Contains([]string{"testdata", "vendor", "node_modules"}, base)) {
				return fs.SkipDir
			}
			return nil
		case path.Ext(name) != ".go":
			return nil
		}
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := path.Dir(name)
		if strings.HasSuffix(name, "_test.go") {
			c.addTests(folder, file)
		} else {
			packages[folder] = append(packages[folder], file)
		}
		return nil
	})
	// Of two packages of one name the one that authors import counts.
	for _, isPublic := range []bool{false, true} {
		for folder, files := range packages {
			if isImported(folder) == isPublic {
				c.addLimits(folder, files)
			}
		}
	}
	return c, err
}

// isImported reports whether authors import the package in a folder.
func isImported(folder string) bool {
	return !slices.ContainsFunc(strings.Split(folder, "/"), func(part string) bool { return part == "internal" || part == "examples" })
}

// addTests adds the tests and the fuzz targets of a file.
func (c *code) addTests(folder string, file *ast.File) {
	if c.tests[folder] == nil {
		c.tests[folder] = map[string]bool{}
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name != "TestMain" && (isRun(f.Name.Name, "Test") || isRun(f.Name.Name, "Fuzz")) {
			c.tests[folder][f.Name.Name] = true
		}
	}
}

// isRun reports whether go test takes a name for one that begins with prefix.
func isRun(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	first, _ := utf8.DecodeRuneInString(rest)
	return ok && rest != "" && !unicode.IsLower(first)
}

// hasTest reports whether there is a test in a package, which is named by the
// end of its folder; none is the root.
func (c *code) hasTest(pkg, name string) bool {
	if pkg == "" {
		return c.tests["."][name]
	}
	for folder, tests := range c.tests {
		if tests[name] && strings.HasSuffix("/"+folder, "/"+pkg) {
			return true
		}
	}
	return false
}

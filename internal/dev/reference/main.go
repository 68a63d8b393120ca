// Command reference prints docs/options.md: every option of every package, with its type,
// its default and its doc comment.
//
//	go -C internal/dev run ./reference > docs/options.md
//
// CI compares the page with the output.
package main

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/dev/repository"
)

const head = `# Options

<!-- Generated: go -C internal/dev run ./reference > docs/options.md -->

Every option of every package, generated from the code. The zero value of each option is its
default. An option of a server is a field of ` + "`prompts.Options`" + `, and an option of the HTTP
endpoint is a field of ` + "`streamablehttp.Options`" + `. [Limits](limits.md) has the effect of each
limit on a client.
`

var (
	byDefault = regexp.MustCompile(`\s*\bDefaults?: (.*?)\.(?:\s|$)`)
	notPublic = regexp.MustCompile(`(^|/)(internal|examples|cmd|testdata|node_modules|\.\w+)(/|$)`)
	isOptions = regexp.MustCompile(`Options$|Cache$`)
	docLink   = regexp.MustCompile(`\[(\*?[A-Za-z_][\w./]*)\]`)
)

func main() {
	err := repository.Enter()
	if err == nil {
		err = write(os.DirFS("."), os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

// write prints the page of the packages of a repository.
func write(repository fs.FS, w io.Writer) error {
	var dirs []string
	err := fs.WalkDir(repository, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir() || name == ".":
			return nil
		case notPublic.MatchString(name):
			return fs.SkipDir
		}
		dirs = append(dirs, name)
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprint(w, head)
	for _, dir := range append([]string{"."}, dirs...) {
		if err := writePackage(repository, w, dir); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}

// writePackage prints the options of a package, and of the structs of its options.
func writePackage(repository fs.FS, w io.Writer, dir string) error {
	names, err := fs.Glob(repository, path.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	structs := map[string]*ast.StructType{}
	var found []string
	title := ""
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(repository, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		title = file.Name.Name
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.GenDecl); ok {
				for _, spec := range d.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok && t.Name.IsExported() {
						if s, ok := t.Type.(*ast.StructType); ok {
							structs[t.Name.Name] = s
							if isOptions.MatchString(t.Name.Name) {
								found = append(found, t.Name.Name)
							}
						}
					}
				}
			}
		}
	}
	// The fields with a struct of the package have a table, too.
	for i := 0; i < len(found); i++ {
		for _, field := range structs[found[i]].Fields.List {
			if t, ok := field.Type.(*ast.Ident); ok && structs[t.Name] != nil && !slices.Contains(found, t.Name) && isGroup(structs[t.Name]) {
				found = append(found, t.Name)
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	if dir != "." {
		title = dir
	}
	fmt.Fprintf(w, "\n## %s\n", title)
	for _, name := range found {
		fmt.Fprintf(w, "\n### %s.%s\n\n| Option | Type | Default | Effect |\n|---|---|---|---|\n", path.Base(title), name)
		said, by := "", ""
		for _, field := range structs[name].Fields.List {
			if field.Doc != nil { // the next fields without a comment share it
				said, by = field.Doc.Text(), field.Names[0].Name
			}
			for _, id := range field.Names {
				if id.IsExported() {
					value, effect := split(said)
					if id.Name != by {
						effect = "see `" + by + "`"
					}
					if value == "" {
						value = zero(field.Type)
					}
					fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", id.Name, typeOf(field.Type, id.Name), value, effect)
				}
			}
		}
	}
	return nil
}

// isGroup reports whether a struct groups options: each field has a comment with a
// default.
func isGroup(s *ast.StructType) bool {
	return !slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool { return !byDefault.MatchString(oneLine(f.Doc.Text())) })
}

// typeOf returns a type for a table, and the unit of a number.
func typeOf(t ast.Expr, name string) string {
	text := "`" + strings.ReplaceAll(types.ExprString(t), "|", `\|`) + "`"
	if text == "`int`" || text == "`int64`" {
		switch {
		case strings.Contains(name, "Bytes"):
			return text + ", bytes"
		case strings.HasSuffix(name, "PerSecond"):
			return text + ", per second"
		}
		return text + ", number"
	}
	return text
}

// split returns the default and the rest of a doc comment, for a table.
func split(text string) (value, effect string) {
	flat := docLink.ReplaceAllString(prose(text), "`$1`")
	if m := byDefault.FindStringSubmatch(flat); m != nil {
		value = m[1]
		flat = strings.TrimSpace(byDefault.ReplaceAllString(flat, " "))
	}
	return escape(value), escape(oneLine(flat))
}

// prose returns the paragraphs and lists of a doc comment in one line. Code stays out of
// a table.
func prose(text string) string {
	var out []string
	parsed := new(doc.Package).Parser().Parse(text)
	var add func(blocks []comment.Block)
	add = func(blocks []comment.Block) {
		for _, block := range blocks {
			switch block := block.(type) {
			case *comment.Paragraph:
				p := comment.Printer{TextWidth: -1}
				out = append(out, oneLine(string(p.Text(&comment.Doc{Content: []comment.Block{block}}))))
			case *comment.List:
				for _, item := range block.Items {
					add(item.Content)
				}
			}
		}
	}
	add(parsed.Content)
	return strings.Join(out, " ")
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// zero returns the default of an option whose comment names none.
func zero(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		switch t.Name {
		case "bool":
			return "false"
		case "string":
			return "empty"
		}
		return "see the fields"
	case *ast.SelectorExpr:
		return "see the type"
	}
	return "none"
}

// escape returns text for the cell of a table, with its code unchanged.
func escape(text string) string {
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`).Replace(parts[i])
	}
	return strings.Join(parts, "`")
}

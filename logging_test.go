package prompts_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/servertest"
)

// docs/logging.md has a row for each record that the library logs, with its level and
// its attributes, and no others.
func TestLogging(t *testing.T) {
	t.Parallel()
	type row struct{ level, attributes string }
	rows := map[string]row{}
	for _, cells := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (\\w+) \\| ([^|]*) \\|").FindAllStringSubmatch(servertest.ReadText(t, "docs/logging.md"), -1) {
		rows[cells[1]] = row{cells[2], cells[3]}
	}
	events := findEvents(t, os.DirFS("."))
	assert.Greater(t, len(events), 20)
	for message, e := range events {
		r, ok := rows[message]
		if !assert.True(t, ok, "docs/logging.md: no row for %q", message) {
			continue
		}
		for _, level := range e.levels {
			assert.Contains(t, []string{level, "ERROR"}, r.level, message) // a failure can be raised to ERROR
		}
		for _, attribute := range e.attributes {
			assert.Contains(t, r.attributes, "`"+attribute+"`", message)
		}
	}
	for message := range rows {
		assert.NotNil(t, events[message], "docs/logging.md: no record %q", message)
	}
}

// event is a record of the log, as the source has it.
type event struct{ levels, attributes []string }

// findEvents returns the records that the packages of a repository log, by message.
func findEvents(t *testing.T, repository fs.FS) map[string]*event {
	t.Helper()
	events := map[string]*event{}
	constants := map[string][]string{} // by name, which few packages share
	for name, text := range goFiles(t, repository) {
		for _, c := range stringConstant.FindAllStringSubmatch(text, -1) {
			value, err := strconv.Unquote(c[2])
			require.NoError(t, err, name)
			constants[c[1]] = append(constants[c[1]], value)
		}
	}
	for name, text := range goFiles(t, repository) {
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		require.NoError(t, err)
		for _, declaration := range file.Decls {
			values := maps.Clone(constants) // the strings that a variable can have
			ast.Inspect(declaration, func(n ast.Node) bool {
				if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
					for i := range a.Lhs {
						if id, ok := a.Lhs[i].(*ast.Ident); ok {
							values[id.Name] = append(values[id.Name], stringsOf(a.Rhs[i], nil)...)
						}
					}
				}
				return true
			})
			ast.Inspect(declaration, func(n ast.Node) bool {
				add := func(message ast.Expr, level string, rest []ast.Expr) {
					for _, text := range stringsOf(message, values) {
						e := events[text]
						if e == nil {
							e = &event{}
							events[text] = e
						}
						if level != "" {
							e.levels = append(e.levels, level)
						}
						e.attributes = append(e.attributes, attributesOf(rest)...)
					}
				}
				switch n := n.(type) {
				case *ast.CallExpr:
					call, _ := n.Fun.(*ast.SelectorExpr)
					name := ""
					if call != nil {
						name = call.Sel.Name
					} else if id, ok := n.Fun.(*ast.Ident); ok {
						name = id.Name
					}
					at, known := messageAt[name]
					if !known || len(n.Args) <= at {
						return true
					}
					level := strings.ToUpper(strings.TrimSuffix(name, "Context"))
					switch name {
					case "Log", "LogAttrs", "log":
						level = strings.ToUpper(strings.TrimPrefix(nameOf(n.Args[at-1]), "Level"))
						if level == "LEVEL" {
							level = ""
						}
					case "newFailure", "InternalError":
						add(n.Args[at], "ERROR", nil)
						return true
					}
					add(n.Args[at], level, n.Args[at+1:])
				case *ast.AssignStmt: // of a field of a Failure
					if len(n.Lhs) == len(n.Rhs) && nameOf(n.Lhs[0]) == "Event" && strings.Contains(text, "Failure{") {
						add(n.Rhs[0], "", nil)
					}
				case *ast.KeyValueExpr:
					if nameOf(n.Key) == "Event" && strings.Contains(text, "Failure{") {
						add(n.Value, "", nil)
					}
				}
				return true
			})
		}
	}
	return events
}

// goFiles returns the Go files of the packages that log, by name.
func goFiles(t *testing.T, repository fs.FS) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, fs.WalkDir(repository, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && name != "." || notLogging.MatchString(name)):
			return fs.SkipDir
		case path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go"):
			text, err := fs.ReadFile(repository, name)
			all[name] = string(text)
			return err
		}
		return nil
	}))
	return all
}

var (
	stringConstant = regexp.MustCompile(`(?m)^(?:const )?\t?(\w+) += ("[^"]*")$`)
	notLogging     = regexp.MustCompile(`^(examples|internal/(interop|servertest|soak|clienttest|dev|speccheck))$|(^|/)(testdata|node_modules|cmd|examples)$|^prompttest$`)
	// messageAt has the index of the message among the arguments of a function.
	messageAt = map[string]int{
		"Debug": 0, "Info": 0, "Warn": 0, "Error": 0, "DebugContext": 1, "InfoContext": 1, "WarnContext": 1, "ErrorContext": 1,
		"Log": 2, "LogAttrs": 2, "log": 2, "newFailure": 0, "InternalError": 2,
	}
)

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// stringsOf returns the strings that an expression can be.
func stringsOf(e ast.Expr, values map[string][]string) []string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			s, _ := strconv.Unquote(e.Value)
			return []string{s}
		}
	case *ast.BinaryExpr:
		var all []string
		for _, a := range stringsOf(e.X, values) {
			for _, b := range stringsOf(e.Y, values) {
				all = append(all, a+b)
			}
		}
		return all
	case *ast.Ident:
		return values[e.Name]
	}
	return nil
}

// attributesOf returns the names of attributes: of slog.Int("name", n) and of "name", n.
func attributesOf(args []ast.Expr) (names []string) {
	for _, arg := range args {
		if call, ok := arg.(*ast.CallExpr); ok && len(call.Args) > 0 {
			arg = call.Args[0]
		}
		names = append(names, stringsOf(arg, nil)...)
	}
	return names
}

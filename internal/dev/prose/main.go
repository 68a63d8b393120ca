// Command prose checks the wording of the documentation:
//
//	go -C internal/dev run ./prose [-v]
//
// For each page, for the tables of each page, for the doc comments of each public package
// and for the help texts of the command prompts, it counts the pronouns in 100 words and
// the sentences that begin with a pronoun. Code and headings do not count. In all pages, comments and strings it reports the
// words of words.txt. With -v it prints the figures of every text.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-prompts/prompts/internal/dev/repository"
)

// The limits for a text of at least minWords words.
const (
	minWords         = 200
	maxPronouns      = 5.0 // in 100 words
	maxOpenings      = 1.0 // percent of the sentences
	maxShortOpenings = 4.0 // percent in a text of fewer than 1,000 words
)

//go:embed words.txt
var wordList string

var (
	word        = regexp.MustCompile(`[A-Za-z'-]+`)
	pronoun     = regexp.MustCompile(`(?i)^(its?|that|this|ones?|those|the[my]|what|which|who|whom|whose)$`)
	opening     = regexp.MustCompile(`^([-*] )?(What|Who|Whoever|Whatever|Where|One that|Of|That|Which|Those)\b`)
	sentenceEnd = regexp.MustCompile("[.!?:;]\\s+([A-Z`\"(*-])")
	space       = regexp.MustCompile(`\s+`)

	notProse = []struct {
		pattern     *regexp.Regexp
		replacement string
	}{
		{regexp.MustCompile("(?ms)^(```|~~~).*?^(```|~~~)$"), ""},
		{regexp.MustCompile(`(?m)^#.*$`), ""},
		{regexp.MustCompile(`!\[.*?\]\(.*?\)`), ""},
		{regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`), "$1"},
		{regexp.MustCompile("`[^`]*`"), "X"},
		{regexp.MustCompile(`<[^>]+>`), ""},
	}

	tableRow  = regexp.MustCompile(`(?m)^\|.*$`)
	tableRule = regexp.MustCompile(`^[\s|:-]*$`)

	// Everything that is not for users, apart from the words in its source.
	notPublic = regexp.MustCompile(`(^|/)(internal|examples|cmd|testdata)(/|$)`)
	skipped   = regexp.MustCompile(`^(testdata|node_modules|\.git)$`)
)

// A replacement is a line of words.txt.
type replacement struct {
	pattern *regexp.Regexp
	advice  string
}

func main() {
	verbose := flag.Bool("v", false, "print the figures of every text")
	flag.Parse()
	ok, err := false, repository.Enter()
	if err == nil {
		ok, err = run(os.DirFS("."), os.Stdout, *verbose)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
	}
	if !ok || err != nil {
		os.Exit(1)
	}
}

// run prints the texts over the limits and the places of the words, and reports
// whether it found none.
func run(repository fs.FS, w io.Writer, verbose bool) (ok bool, err error) {
	words := readWords()
	docs := map[string]*strings.Builder{} // by package
	var help strings.Builder
	ok = true
	check := func(name, text string) {
		for _, r := range words {
			for _, at := range r.pattern.FindAllStringIndex(text, -1) {
				ok = false
				line := 1 + strings.Count(text[:at[0]], "\n")
				fmt.Fprintf(w, "%s:%d: %q: write %s\n", name, line, text[at[0]:at[1]], r.advice)
			}
		}
	}
	measured := func(name, text string) {
		f := measure(text)
		if over := f.isOver(); over || verbose {
			ok = ok && !over
			fmt.Fprintf(w, "%s: %d words, %.1f pronouns in 100 words (at most %.0f), %.1f %% of the sentences begin with one (at most %.0f)\n",
				name, f.words, f.pronouns, maxPronouns, f.openings, f.maxOpenings())
		}
	}
	err = fs.WalkDir(repository, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && skipped.MatchString(entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		isPage := path.Ext(name) == ".md" && !strings.Contains(name, "/") ||
			(path.Dir(name) == "docs" || path.Dir(name) == "docs/clients") && path.Ext(name) == ".md" && path.Base(name) != "ledger.md" // a table of the specification
		if !isPage && path.Ext(name) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(repository, name)
		if err != nil {
			return err
		}
		if isPage {
			page := withoutCode(string(text))
			check(name, page)
			measured(name, tableRow.ReplaceAllString(page, ""))
			measured(name+" (tables)", cells(page))
			return nil
		}
		source, err := parseGo(name, text)
		if err != nil {
			return err
		}
		check(name, source.words)
		if strings.HasPrefix(name, "cmd/") {
			help.WriteString(source.help)
		}
		if dir := path.Dir(name); !notPublic.MatchString(dir) {
			if docs[dir] == nil {
				docs[dir] = &strings.Builder{}
			}
			docs[dir].WriteString(source.doc)
		}
		return nil
	})
	for _, dir := range slices.Sorted(maps.Keys(docs)) {
		measured("doc comments of "+dir, docs[dir].String())
	}
	measured("help of the command", help.String())
	return ok, err
}

// cells returns the cells of the tables of a page, each as a sentence.
func cells(page string) string {
	var out strings.Builder
	for _, row := range tableRow.FindAllString(page, -1) {
		if tableRule.MatchString(row) {
			continue
		}
		for _, cell := range strings.Split(strings.ReplaceAll(strings.Trim(row, "|"), `\|`, " "), "|") {
			if cell = strings.TrimSpace(cell); len(strings.Fields(cell)) > 2 {
				out.WriteString(strings.ToUpper(cell[:1]) + cell[1:] + ".\n")
			}
		}
	}
	return out.String()
}

func readWords() (words []replacement) {
	for line := range strings.Lines(wordList) {
		if pattern, advice, found := strings.Cut(strings.TrimSpace(line), "\t"); found {
			words = append(words, replacement{regexp.MustCompile(`(?i)\b(` + pattern + `)\b`), advice})
		}
	}
	return words
}

// withoutCode returns the prose of a page, with the lines in their places.
func withoutCode(text string) string {
	for _, n := range notProse {
		text = n.pattern.ReplaceAllStringFunc(text, func(s string) string {
			lines := strings.Count(s, "\n")
			s = n.pattern.ReplaceAllString(s, n.replacement)
			return s + strings.Repeat("\n", lines-strings.Count(s, "\n"))
		})
	}
	return text
}

// source is what a Go file has to say: its comments and strings with the lines in
// their places, the prose of the doc comments of its exported names, and the strings of
// eight words or more, which are help texts and messages.
type source struct{ words, doc, help string }

func parseGo(name string, text []byte) (source, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments)
	if err != nil {
		return source{}, err
	}
	lines := make([]string, 1+strings.Count(string(text), "\n"))
	add := func(at token.Pos, s string) {
		for i, line := range strings.Split(s, "\n") {
			lines[files.Position(at).Line-1+i] += line + " "
		}
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			add(c.Slash, c.Text)
		}
	}
	var help strings.Builder
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			s, _ := strconv.Unquote(literal.Value)
			if len(strings.Fields(s)) >= 8 {
				help.WriteString(s + "\n")
			}
			if literal.Value[0] != '`' {
				s = strings.ReplaceAll(s, "\n", " ")
			}
			add(literal.ValuePos, s)
		}
		return true
	})
	ast.FileExports(file)
	var docs []*ast.CommentGroup
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.File:
			docs = append(docs, n.Doc)
		case *ast.GenDecl:
			docs = append(docs, n.Doc)
		case *ast.FuncDecl:
			docs = append(docs, n.Doc)
			return false
		case *ast.TypeSpec:
			docs = append(docs, n.Doc, n.Comment)
		case *ast.ValueSpec:
			docs = append(docs, n.Doc, n.Comment)
		case *ast.Field:
			docs = append(docs, n.Doc, n.Comment)
		}
		return true
	})
	var doc strings.Builder
	for _, group := range slices.DeleteFunc(docs, func(g *ast.CommentGroup) bool { return g == nil }) {
		var p comment.Parser
		writeProse(&doc, p.Parse(group.Text()).Content)
	}
	return source{strings.Join(lines, "\n"), doc.String(), help.String()}, nil
}

// writeProse writes the paragraphs and lists of a doc comment.
func writeProse(w *strings.Builder, blocks []comment.Block) {
	for _, block := range blocks {
		switch block := block.(type) {
		case *comment.Paragraph:
			writeText(w, block.Text)
			w.WriteString("\n\n")
		case *comment.List:
			for _, item := range block.Items {
				w.WriteString("- ")
				writeProse(w, item.Content)
			}
		}
	}
}

func writeText(w *strings.Builder, text []comment.Text) {
	for _, t := range text {
		switch t := t.(type) {
		case comment.Plain:
			w.WriteString(string(t))
		case comment.Italic:
			w.WriteString(string(t))
		case *comment.Link:
			writeText(w, t.Text)
		case *comment.DocLink:
			writeText(w, t.Text)
		}
	}
}

type figures struct {
	words              int
	pronouns, openings float64
}

func measure(text string) (f figures) {
	pronouns := 0
	for _, w := range word.FindAllString(text, -1) {
		f.words++
		if pronoun.MatchString(w) {
			pronouns++
		}
	}
	sentences, openings := 0, 0
	text = sentenceEnd.ReplaceAllString(space.ReplaceAllString(text, " "), ".\n$1")
	for s := range strings.SplitSeq(text, "\n") {
		if s = strings.TrimSpace(s); len(strings.Fields(s)) > 2 {
			sentences++
			if opening.MatchString(s) {
				openings++
			}
		}
	}
	if f.words == 0 || sentences == 0 {
		return figures{}
	}
	f.pronouns = 100 * float64(pronouns) / float64(f.words)
	f.openings = 100 * float64(openings) / float64(sentences)
	return f
}

func (f figures) maxOpenings() float64 {
	if f.words < 1000 {
		return maxShortOpenings
	}
	return maxOpenings
}

func (f figures) isOver() bool {
	return f.words >= minWords && (f.pronouns > maxPronouns || f.openings > f.maxOpenings())
}

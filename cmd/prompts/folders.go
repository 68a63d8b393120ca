package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/portable"
	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/internal/regular"
	"github.com/mcp-prompts/prompts/promptfs"
)

// watchFolders follows changes until ctx ends. onReload, if not nil, returns a function for each folder that is
// called after each reload. names has what is in front of the names of the prompts of a folder.
func watchFolders(ctx context.Context, reg *prompts.Registry, dirs []string, names map[string]string, o promptfs.Options, onReload func(dir string) func(promptfs.Report)) error {
	logger := o.Logger
	o.ReadIgnore = readIgnore
	for _, dir := range dirs {
		foreign := findForeign(ctx, dir)
		o.SourcePrefix, o.NamePrefix, o.OnReload, o.Logger = prefixOf(dir), names[dir], nil, logger
		if len(foreign.paths) > 0 {
			e := foreign.error()
			logger.WarnContext(ctx, "folder is in the format of another program", slog.String("path", dir), slog.Any("error", e.Err), slog.String("fix", e.Hint))
			o.Logger = slog.New(onceHandler{logger.Handler(), &foreign})
		}
		if onReload != nil {
			report := onReload(dir)
			o.OnReload = func(r promptfs.Report) {
				r.Err = foreign.once(r.Err)
				report(r)
			}
			if len(foreign.paths) > 0 { // no reload may report anything
				report(promptfs.Report{Err: foreign.once(nil)})
			}
		}
		folder := promptfs.NewDir(reg, dir, o)
		err := folder.Reload(ctx)
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && len(foreign.paths) == 0 && !hasPrompts(reg, o.SourcePrefix) {
			logger.WarnContext(ctx, "no prompts", slog.String("path", dir), slog.String("error", foreign.noPrompts()), slog.String("fix", noPromptsHint))
		}
		go folder.Watch(ctx) // ends with ctx
	}
	return nil
}

// loadFolders returns the errors of files, too. ctx, which may have a coverage, is that of the templates.
func loadFolders(ctx context.Context, dirs []string) (*prompts.Registry, []*finding) {
	reg := new(prompts.Registry)
	var errs []*finding
	for _, dir := range dirs {
		var loaded prompts.Registry
		err := promptfs.NewFolder(&loaded, regular.FS(dir), promptfs.Options{Logger: slog.New(slog.DiscardHandler), SourcePrefix: prefixOf(dir), ReadIgnore: readIgnore}).Reload(ctx)
		for _, err := range all(err) {
			errs = append(errs, findingOf(dir, "file", err))
		}
		for p := range loaded.All() {
			if other, ok := reg.Lookup(p.Name); ok {
				errs = append(errs, &finding{Path: p.Source, Level: levelError, Rule: "duplicate-name", Message: fmt.Sprintf("prompt %q is also in %s; rename one of the two, or serve the folders as NAME=DIR", p.Name, other.Source)})
				continue
			}
			if err := reg.Add(p); err != nil {
				errs = append(errs, &finding{Path: p.Source, Level: levelError, Rule: "file", Message: err.Error()})
			}
		}
	}
	return reg, errs
}

type testSuite struct {
	dir      string
	fsys     fs.FS
	registry *prompts.Registry
	renderer *renderer
	files    []*cases.File // without errors
	errs     []*finding    // of prompts and of test files
}

func loadTests(ctx context.Context, dir string) *testSuite {
	reg, faults := loadFolders(ctx, []string{dir})
	files, errs := loadCases(dir, reg, faults)
	return &testSuite{dir: dir, fsys: cases.Dir(dir), registry: reg, renderer: newRenderer(reg), files: files, errs: append(faults, errs...)}
}

// loadCases returns the test files without errors. That the prompt of a file in known does not exist is no error.
func loadCases(dir string, reg *prompts.Registry, known []*finding) (files []*cases.File, errs []*finding) {
	isInvalid := map[string]bool{} // files of prompts, without their extensions
	for _, f := range known {
		isInvalid[strings.TrimSuffix(f.Path, path.Ext(f.Path))] = true
	}
	found, faults := cases.Load(visibleFS(dir), promptfile.ParseYAML)
	isBroken := map[string]bool{}
	add := func(err error) {
		e := findingOf(dir, "case", err)
		errs = append(errs, e)
		isBroken[e.Path] = true
	}
	for _, err := range faults {
		add(err)
	}
	all := cases.PromptsOf(reg)
	for _, f := range found {
		file := prefixOf(dir) + f.Path
		if isInvalid[strings.TrimSuffix(file, cases.Extension)] {
			continue
		}
		for _, err := range f.Check(all) {
			add(err)
		}
		if !isBroken[file] {
			files = append(files, f)
		}
	}
	return files, errs
}

func patternOf(args []string) (string, error) {
	pattern := norm.NFC.String(strings.Join(args, ""))
	if _, err := path.Match(pattern, ""); err != nil {
		return "", usageErrorf("invalid pattern %q; write a pattern such as 'review/*'", pattern)
	}
	return pattern, nil
}

func isSelected(pattern, name string) bool {
	ok, _ := path.Match(pattern, name)
	return ok || pattern == ""
}

const (
	settingsFile    = "prompts.yaml" // at the root; it comes from everybody who writes to the folder
	maxSettingsFile = 64 << 10       // bytes
	maxInstructions = 4 << 10        // bytes
)

// settings are decisions of a team for a folder. Flags win.
type settings struct {
	Clients      []string         `json:"clients,omitempty"`
	Ignore       []string         `json:"ignore,omitempty"`
	Rules        map[string]level `json:"rules,omitempty"`
	Tools        string           `json:"tools,omitempty"`
	Instructions string           `json:"instructions,omitempty"`
}

// readSettings returns the valid settings of a folder, and a [*promptfs.Error] for each of the others.
func readSettings(fsys fs.FS) (s settings, err error) {
	content, err := regular.Read(context.Background(), fsys, settingsFile, maxSettingsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		if p := (*fs.PathError)(nil); errors.As(err, &p) {
			err = p.Err
		}
		return s, &promptfs.Error{Path: settingsFile, Err: err}
	}
	return parseSettings(content)
}

// pulledSettings returns the settings of a release without those that do not count.
func pulledSettings(content []byte) []byte {
	var s settings
	if len(content) <= maxSettingsFile {
		s, _ = parseSettings(content)
	}
	kept, _ := json.Marshal(settings{Clients: s.Clients, Ignore: s.Ignore}) // lists of texts
	return append(kept, '\n')
}

func parseSettings(content []byte) (s settings, err error) {
	value, lineOf, err := promptfile.ParseYAML(settingsFile, content)
	if err != nil {
		return s, err
	}
	var errs []error
	fail := func(pointer string, err error) {
		fix, bare := hint.Split(err)
		errs = append(errs, &promptfs.Error{Path: settingsFile, Line: lineOf(pointer), Err: bare, Hint: fix})
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(value, &members) // ParseYAML returns null or an object
	keys := map[string]struct {
		into any
		form string
	}{
		"clients":      {&s.Clients, "a list of clients such as [Claude Code, opencode]"},
		"ignore":       {&s.Ignore, `a list of patterns such as [old, "*.draft.md"]`},
		"rules":        {&s.Rules, "a map of rules such as {no-description: off}"},
		"tools":        {&s.Tools, "each or pair"},
		"instructions": {&s.Instructions, "a text"},
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		k, known := keys[key]
		if !known {
			fail("/"+key, unknown("key", key, slices.Sorted(maps.Keys(keys))))
		} else if json.Unmarshal(members[key], k.into) != nil {
			fail("/"+key, fmt.Errorf("%s must be %s, got %s", key, k.form, members[key]))
		}
	}
	invalid := func(key string, check func(text string) error) func(text string) bool {
		return func(text string) bool {
			err := check(text)
			if err != nil {
				fail("/"+key, fmt.Errorf("%s: %w", key, err))
			}
			return err != nil
		}
	}
	s.Clients = slices.DeleteFunc(s.Clients, invalid("clients", checkClient))
	s.Ignore = slices.DeleteFunc(s.Ignore, invalid("ignore", checkPattern))
	for _, rule := range slices.Sorted(maps.Keys(s.Rules)) {
		if err := checkRule(rule, s.Rules[rule]); err != nil {
			fail("/rules/"+rule, fmt.Errorf("rules: %w", err))
			delete(s.Rules, rule)
		}
	}
	if err := checkToolsOf("tools", s.Tools); err != nil {
		fail("/tools", err)
		s.Tools = ""
	}
	if invalid("instructions", checkInstructions)(s.Instructions) {
		s.Instructions = ""
	}
	slices.SortStableFunc(errs, func(a, b error) int { return a.(*promptfs.Error).Line - b.(*promptfs.Error).Line })
	return s, errors.Join(errs...)
}

// readIgnore returns the files that are ignored, for package promptfs. The settings are one of them.
func readIgnore(fsys fs.FS) ([]string, error) {
	s, err := readSettings(fsys)
	return append(s.Ignore, "/"+settingsFile), err
}

// readStoreIgnore is for a store, of which a newer version of the program may have other settings.
func readStoreIgnore(fsys fs.FS) ([]string, error) {
	ignore, _ := readIgnore(fsys)
	return ignore, nil
}

func visibleFS(dir string) visibleFolder {
	ignore, _ := readIgnore(regular.FS(dir)) // loadFolders reports the errors
	return newVisible(dir, ignore)
}

func clientNames() []string {
	var names []string
	for _, r := range portable.Rules {
		if !slices.Contains(names, r.Client) {
			names = append(names, r.Client)
		}
	}
	return names
}

func checkClient(name string) error {
	if names := clientNames(); !slices.Contains(names, name) {
		return unknown("client", name, names)
	}
	return nil
}

func checkPattern(pattern string) error {
	_, err := path.Match(pattern, "")
	switch {
	case err != nil || pattern == "":
		return hint.New("write a pattern such as *.draft.md", "invalid pattern %q", pattern)
	case strings.Contains(pattern, "**") || pattern[0] == '!' || strings.HasSuffix(pattern, "/"):
		return hint.New("a pattern without a slash matches in each folder", "pattern %q must have no **, no ! in front and no / at the end", pattern)
	}
	return nil
}

func checkRule(rule string, lv level) error {
	var ids []string
	for _, r := range rules {
		ids = append(ids, r.id)
	}
	switch {
	case !slices.Contains(ids, rule):
		return unknown("rule", rule, ids)
	case rule == "secret" && lv != levelError && lv != levelWarning:
		return fmt.Errorf("secret must be error or warning, got %q", lv)
	case !slices.Contains([]level{levelError, levelWarning, levelNote, levelOff}, lv):
		return fmt.Errorf("%s must be error, warning, note or off, got %q", rule, lv)
	}
	return nil
}

// checkInstructions rejects, beside long ones, instructions that people see differently than models.
func checkInstructions(text string) error {
	if len(text) > maxInstructions {
		return fmt.Errorf("text must have at most %d bytes, got %d", maxInstructions, len(text))
	}
	for _, r := range text {
		isTag := r >= 0xE0000 && r < 0xE0080
		if isControl(r) && r != '\n' && r != '\t' || isTag || r == unicode.ReplacementChar {
			return fmt.Errorf("text must have no control characters, got %U", r)
		}
	}
	return nil
}

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/regular"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/schema"
)

func newExport() *cobra.Command {
	names := formatNames(isExported)
	slices.Sort(names)
	var list strings.Builder
	for _, name := range names {
		f := formatOf(name, isExported)
		fmt.Fprintf(&list, "  %-9s %s: %s\n", name, f.title, path.Join(f.dir, fmt.Sprintf(f.file, "NAME")))
	}
	return &cobra.Command{
		Use:   "export [CLIENT] DIR [TARGET]",
		Short: "Write prompts as commands of a client",
		Long: `Export writes a file with a command of the client for each prompt in DIR, below TARGET or
below the client's folder in the current one. It replaces files that it wrote before, and no
others. DIR may be the folder of a client's own commands, such as .claude/commands, too.
Without CLIENT, export writes commands for the clients in the file prompts.yaml of DIR.

The clients:
` + list.String() + `
A command has what the user writes in the place of the arguments. An argument with a default
always has the default. A prompt that compares a value, that has an argument of a type other
than string, or that has more than text cannot be a command, and is refused.

The exit code is 1 if a prompt was refused.`,
		Example: `  prompts export claude prompts
  prompts export prompts
  prompts export skills .claude/commands .agents/skills`,
		Args:              between(1, 3, "client and folder are missing"),
		ValidArgsFunction: completeFirst(names, cobra.ShellCompDirectiveFilterDirs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Contains(args, "") {
				return errEmptyPath
			}
			f := formatOf(args[0], isExported)
			switch {
			case len(args) > 1 && f == nil:
				return unknown("client", args[0], names)
			case len(args) == 1 && f != nil && !exists(args[0]):
				return usageErrorf("folder is missing; usage: %s", cmd.UseLine())
			}
			formats := []*format{f}
			dirs := args[min(len(args)-1, 1):][:1]
			if err := openFound(cmd, dirs); err != nil {
				return err
			}
			if len(args) == 1 {
				var err error
				if formats, err = formatsOfTeam(cmd, dirs[0]); err != nil {
					return err
				}
			}
			var refused error
			for _, f := range formats {
				target := filepath.FromSlash(f.dir)
				if len(args) == 3 {
					target = args[2]
				}
				err := export(cmd, f, dirs, target)
				if refused = cmp.Or(refused, err); err != nil && !errors.Is(err, errReported) {
					return err
				}
			}
			return refused
		},
	}
}

func formatsOfTeam(cmd *cobra.Command, dir string) (formats []*format, err error) {
	s, err := readSettings(regular.FS(dir))
	if err != nil {
		return nil, usageError{findingOf(dir, "file", all(err)[0])}
	}
	if len(s.Clients) == 0 {
		return nil, usageErrorf("client is missing; give one of %s, or set clients in %s%s", strings.Join(formatNames(isExported), ", "), prefixOf(dir), settingsFile)
	}
	for _, client := range s.Clients {
		i := slices.IndexFunc(commandFormats, func(f format) bool {
			return isExported(&f) && (f.title == client || slices.Contains(f.readers, client))
		})
		if i < 0 {
			fmt.Fprintf(cmd.OutOrStdout(), "%s has no commands in files; connect it to prompts serve\n", client)
		} else if !slices.Contains(formats, &commandFormats[i]) {
			formats = append(formats, &commandFormats[i])
		}
	}
	return formats, nil
}

func export(cmd *cobra.Command, f *format, dirs []string, target string) error {
	e := &exporting{
		format: f, out: cmd.OutOrStdout(), target: target, prompts: new(prompts.Registry),
		lines: newLineReader(dirs[0]).lines, notes: map[string][]note{}, names: map[string]string{},
	}
	if from := formatOfFolder(dirs[0]); from != nil {
		if err := e.convert(cmd.Context(), from, dirs[0]); err != nil {
			return err
		}
	} else {
		reg, loadErr, err := loadShown(cmd, dirs)
		if err = cmp.Or(err, loadErr); err != nil {
			return err
		}
		e.prompts = reg
	}
	return e.run(cmd.Context())
}

type exporting struct {
	*format
	out     io.Writer
	target  string
	prompts *prompts.Registry
	lines   func(source string) []string
	notes   map[string][]note // of import, by prompt
	names   map[string]string // prompts by their files
	refused int
}

func (e *exporting) convert(ctx context.Context, from *format, dir string) error {
	return convert(ctx, from, dir, func(c *conversion) {
		if !c.isRefused {
			p := c.parsed
			p.Source = prefixOf(dir) + c.source
			if err := e.prompts.Add(p); err != nil {
				c.refuse(0, "%v", err)
			}
			e.notes[p.Name] = c.notes
		}
		if c.isRefused {
			e.refused++
			writeOutcome(e.out, c.source, "", c.notes)
		}
	})
}

func (e *exporting) run(ctx context.Context) error {
	r, n := newRenderer(e.prompts), 0
	for p := range e.prompts.All() {
		name, notes, err := e.write(ctx, r, &p)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			e.refused++
			writeOutcome(e.out, p.Name, "", []note{{0, err.Error()}})
			continue
		}
		n++
		target := filepath.ToSlash(filepath.Join(e.target, name))
		writeOutcome(e.out, p.Name, target, append(e.notes[p.Name], notes...))
	}
	fmt.Fprintf(e.out, "%s exported for %s, %d refused\n", plural(n, "prompt"), e.title, e.refused)
	if e.refused > 0 {
		return errReported
	}
	return nil
}

// exportMark, with the name of the prompt behind it, is in the first line of a file, or of its front matter.
const exportMark = "# prompts export "

func (e *exporting) write(ctx context.Context, r *renderer, p *prompts.Prompt) (name string, notes []note, err error) {
	name = e.commandName(p.Name)
	if name == "" {
		return "", nil, fmt.Errorf("name %q cannot be the name of a file; rename the prompt", p.Name)
	}
	name = fmt.Sprintf(e.file, name)
	if other, ok := e.names[strings.ToLower(name)]; ok {
		return "", nil, fmt.Errorf("file %s is the one of the prompt %q; rename one of the two", name, other)
	}
	e.names[strings.ToLower(name)] = p.Name
	content, notes, err := e.content(ctx, r, p)
	if err != nil {
		return "", nil, err
	}
	return name, notes, writeOwn(ctx, e.target, name, content, false, func(path, content string) error {
		if strings.HasPrefix(strings.TrimPrefix(content, "---\n"), exportMark) {
			return nil
		}
		return fmt.Errorf("file %s exists, and export did not write it", path)
	})
}

var (
	notInFileName  = regexp.MustCompile(`[^\p{L}\p{N}._-]+`)
	notInSkillName = regexp.MustCompile(`[^a-z0-9]+`)
	// notAfterDollar matches names that Codex takes for variables of the shell after a "$".
	notAfterDollar = regexp.MustCompile(`^(?:home|lang|path|pwd|shell|temp|term|tmp|tmpdir|user)$`)
)

// commandName returns a path, or one word for clients that do not read folders.
func (e *exporting) commandName(name string) string {
	if e.all == "" {
		return strings.Trim(notInSkillName.ReplaceAllString(strings.ToLower(name), "-"), "-")
	}
	var parts []string
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '/' || r == ':' }) {
		if part = strings.Trim(notInFileName.ReplaceAllString(part, "-"), ".-"); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "/")
}

// appendedLabel is the end of a text to which import appends what the user writes.
var appendedLabel = regexp.MustCompile(`\n\n(?:ARGUMENTS: |/\S+ )?$`)

const maxOpen = 99 // arguments that have a place in a command

func (e *exporting) content(ctx context.Context, r *renderer, p *prompts.Prompt) (content []byte, notes []note, err error) {
	var open []prompts.Argument
	for _, a := range p.Arguments {
		if always := orEmpty(schema.Of(a.Schema)).Default; always != nil {
			notes = append(notes, note{0, fmt.Sprintf("%s is always %s", a.Name, always)})
		} else {
			open = append(open, a)
		}
	}
	if len(open) > maxOpen {
		return nil, nil, fmt.Errorf("prompt has %d arguments without a default (limit %d)", len(open), maxOpen)
	}
	parts, err := e.parts(ctx, r, p, open)
	if err != nil {
		return nil, nil, err
	}
	if again, err := e.parts(ctx, r, p, open); err != nil || !slices.Equal(parts, again) {
		return nil, nil, cmp.Or(err, errors.New("text differs each time, and a command is a text that stays; serve the prompt over MCP"))
	}
	if e.all == "" && len(parts) == 3 && open[0].Name == allWords && appendedLabel.MatchString(parts[0]) && parts[2] == "" {
		parts, open = []string{strings.TrimSpace(appendedLabel.ReplaceAllString(parts[0], ""))}, nil // the client appends it itself
	}
	text := &commandWriter{exporting: e, open: open}
	for i, part := range parts {
		if i%2 == 0 {
			text.literal(part)
			continue
		}
		n, _ := strconv.Atoi(part)
		text.argument(n, parts[i+1])
	}
	text.end()
	more, err := text.check(e.lines(p.Source))
	if err != nil {
		return nil, nil, err
	}
	description := strings.Join(strings.Fields(cmp.Or(p.Description, p.Title, p.Name)), " ")
	var b bytes.Buffer
	if path.Ext(e.file) == ".toml" {
		fmt.Fprintf(&b, "%s%s\n", exportMark, printable(p.Name))
		err = toml.NewEncoder(&b).Encode(struct {
			Description string `toml:"description"`
			Prompt      string `toml:"prompt,multiline"`
		}{description, text.String() + "\n"})
		return b.Bytes(), append(notes, more...), err
	}
	fmt.Fprintf(&b, "---\n%s%s\n", exportMark, printable(p.Name))
	if path.Base(e.file) == "SKILL.md" {
		name := e.commandName(p.Name)
		fmt.Fprintf(&b, "name: %s\n", name)
		if notAfterDollar.MatchString(name) {
			more = append(more, note{0, fmt.Sprintf("Codex reads $%s as a variable of the shell, not as the skill; rename the prompt", name)})
		}
	}
	fmt.Fprintf(&b, "description: %s\n", asJSON(description))
	if strings.Contains(e.keys, "argument-hint") && len(open) > 0 {
		var hints []string
		for _, a := range open {
			hints = append(hints, hintOf(a))
		}
		fmt.Fprintf(&b, "argument-hint: %s\n", asJSON(strings.Join(hints, " ")))
	}
	fmt.Fprintf(&b, "---\n\n%s\n", text)
	return b.Bytes(), append(notes, more...), nil
}

func hintOf(a prompts.Argument) string {
	name := a.Name
	if values := sample.Finite(schema.Of(a.Schema)); values != nil {
		name = strings.Join(values, "|")
	}
	if a.Required {
		return "<" + name + ">"
	}
	return "[" + name + "]"
}

package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/problem"
)

func newRender() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "render DIR NAME [KEY=VALUE...]",
		Short: "Print the messages of a prompt",
		Long: `Render prints the messages that a client gets for a prompt.

A value that is @FILE is the content of the file, and - is standard input. To begin
a value with @, write @@. On a terminal, required arguments that are missing are
asked for.`,
		Example: `  prompts render prompts code_review language=go code=@main.go
  git diff | prompts render prompts commit_message diff=-`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return usageErrorf("folder and name of the prompt are missing; usage: %s", cmd.UseLine())
			case 1:
				return usageErrorf("name of the prompt is missing; to list the names, run: %s", shellQuoted("prompts", "list", args[0]))
			}
			return nil
		},
		ValidArgsFunction: completeRender,
		RunE: func(cmd *cobra.Command, args []string) error {
			reg, loadErr, err := loadShown(cmd, args[:1])
			if err != nil {
				return err
			}
			args[1] = norm.NFC.String(args[1]) // the name of a file of macOS may be in NFD
			p, ok := reg.Lookup(args[1])
			restore := func() {}
			if f, ok := cmd.InOrStdin().(*os.File); ok {
				if state, err := term.GetState(int(f.Fd())); err == nil {
					restore = func() { _ = term.Restore(int(f.Fd()), state) }
				}
			}
			renderer := newRenderer(reg)
			// What is typed and what another program writes may never come.
			values, err := untilDone(cmd.Context(), func() (map[string]string, error) {
				values, err := readValues(args[2:], cmd.InOrStdin())
				if err == nil && ok && isTerminal(cmd.InOrStdin()) && isTerminal(cmd.ErrOrStderr()) {
					err = renderer.askMissing(cmd.Context(), &p, values, cmd.InOrStdin(), cmd.ErrOrStderr())
				}
				return values, err
			})
			if err != nil {
				restore() // there may be no echo, because a secret is typed
				return err
			}
			result, raw, cause, err := renderer.render(cmd.Context(), args[1], values)
			switch {
			case err != nil && !ok && loadErr != nil:
				return fmt.Errorf("%w\nThese files have errors:\n%w", renderError(err, cause), loadErr)
			case err != nil:
				return renderError(err, cause)
			case asJSON:
				return writeIndented(cmd.OutOrStdout(), raw)
			}
			return writeMessages(unchanged(cmd.OutOrStdout()), result)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result of prompts/get as JSON")
	return cmd
}

// loadErr has the errors of files; err is that of a folder or of an interrupt.
func loadShown(cmd *cobra.Command, dirs []string) (reg *prompts.Registry, loadErr, err error) {
	if err := openFound(cmd, dirs); err != nil {
		return nil, nil, err
	}
	_, end := startProgress(cmd.ErrOrStderr(), "prompts read")
	defer end()
	var faults []*finding
	reg, err = untilDone(cmd.Context(), func() (reg *prompts.Registry, _ error) {
		reg, faults = loadFolders(cmd.Context(), dirs)
		return reg, nil
	})
	if err != nil {
		return nil, nil, err
	}
	var errs []error
	for _, f := range faults {
		errs = append(errs, f)
	}
	return reg, errors.Join(errs...), nil
}

func completeRender(_ *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	if openFolders(args[:1]) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	reg, _ := loadFolders(context.Background(), args[:1])
	var all []string
	if len(args) == 1 {
		for p := range reg.All() {
			all = append(all, cobra.CompletionWithDesc(p.Name, p.Description))
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	}
	p, ok := reg.Lookup(args[1])
	if !ok {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, a := range p.Arguments {
		if key, _, ok := strings.Cut(toComplete, "="); ok {
			if key == a.Name {
				for _, v := range sample.Finite(schema.Of(a.Schema)) {
					all = append(all, key+"="+v)
				}
			}
			continue
		}
		all = append(all, cobra.CompletionWithDesc(a.Name+"=", a.Description))
	}
	return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

const maxValueBytes = 4 << 20 // of a value that is read from a file

func readValues(args []string, in io.Reader) (map[string]string, error) {
	values := map[string]string{}
	usedInput := ""
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		if !ok || key == "" {
			return nil, usageErrorf("argument must have the form KEY=VALUE, got %q", arg)
		}
		if _, twice := values[key]; twice {
			return nil, usageErrorf("argument %q is given twice", key)
		}
		var err error
		switch {
		case value == "-":
			if usedInput != "" {
				return nil, usageErrorf("standard input cannot be the value of both %q and %q", usedInput, key)
			}
			usedInput = key
			value, err = readLimited(in)
		case strings.HasPrefix(value, "@@"):
			value = value[1:]
		case strings.HasPrefix(value, "@"):
			var f *os.File
			if f, err = os.Open(value[1:]); err == nil { // a pipe, too, such as <(command) of a shell
				value, err = readLimited(f)
				f.Close()
			}
		}
		if err != nil {
			return nil, fmt.Errorf("value of %q: %w", key, err)
		}
		values[key] = value
	}
	return values, nil
}

func readLimited(r io.Reader) (string, error) {
	content, err := io.ReadAll(io.LimitReader(r, maxValueBytes+1))
	if err == nil && len(content) > maxValueBytes {
		err = fmt.Errorf("exceeds the limit of %d bytes", maxValueBytes)
	}
	return string(content), err
}

// askMissing asks for each required argument without a value until the server accepts the answer.
func (r *renderer) askMissing(ctx context.Context, p *prompts.Prompt, values map[string]string, in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	for _, a := range p.Arguments {
		if _, ok := values[a.Name]; ok || !a.Required {
			continue
		}
		if a.Description != "" {
			fmt.Fprintln(out, printable(a.Description))
		}
		if few := sample.Finite(schema.Of(a.Schema)); few != nil {
			fmt.Fprintln(out, printable("one of: "+strings.Join(few, ", ")))
		}
		for isAsked := false; !isAsked; {
			fmt.Fprintf(out, "%s: ", printable(a.Name))
			value, err := readAnswer(&a, in, lines, out)
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return fmt.Errorf("no value for the argument %q: %w", a.Name, err)
			}
			values[a.Name], isAsked = value, true
			_, _, _, err = r.render(ctx, p.Name, values)
			for _, wrong := range problem.Of(err) {
				if wrong.Argument == a.Name {
					fmt.Fprintln(out, printable(wrong.Message))
					isAsked = false
				}
			}
		}
	}
	return nil
}

func readAnswer(a *prompts.Argument, in io.Reader, lines *bufio.Reader, out io.Writer) (string, error) {
	if a.Sensitive {
		secret, err := term.ReadPassword(int(in.(*os.File).Fd()))
		fmt.Fprintln(out)
		return string(secret), err
	}
	line, err := lines.ReadString('\n')
	if line != "" && errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.TrimRight(line, "\r\n"), err
}

// writeMessages writes a single text of the user unchanged, and others as a prompt file has them.
func writeMessages(w io.Writer, r *prompts.Result) error {
	if len(r.Messages) == 1 && r.Messages[0].Role == prompts.RoleUser {
		if t, ok := r.Messages[0].Content.(*prompts.Text); ok {
			_, err := fmt.Fprintln(w, t.Text)
			return err
		}
	}
	b := bufio.NewWriter(w)
	for i, m := range r.Messages {
		if i > 0 {
			fmt.Fprintln(b)
		}
		text := ""
		head := string(m.Role)
		switch c := m.Content.(type) {
		case *prompts.Text:
			text = c.Text
		case *prompts.Image:
			head += fmt.Sprintf(": image %s, %d bytes", c.MIMEType, len(c.Data))
		case *prompts.Audio:
			head += fmt.Sprintf(": audio %s, %d bytes", c.MIMEType, len(c.Data))
		case *prompts.EmbeddedResource:
			head += ": resource " + c.URI
			if text = c.Text; c.Blob != nil {
				head += fmt.Sprintf(", %d bytes", len(c.Blob))
			}
		case *prompts.ResourceLink:
			head += ": link " + c.URI
		}
		fmt.Fprintf(b, "--- %s ---\n", printable(head))
		if text != "" {
			fmt.Fprintln(b, text)
		}
	}
	return b.Flush()
}

func newList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "list DIR...",
		Short:             "List the prompts in folders",
		Example:           "  prompts list prompts",
		Args:              atLeastOne("folder"),
		ValidArgsFunction: completeFolders,
		RunE: func(cmd *cobra.Command, dirs []string) error {
			reg, loadErr, err := loadShown(cmd, dirs)
			if err != nil {
				return err
			}
			list := listTable
			if asJSON {
				list = listJSON
			}
			if err := list(cmd.OutOrStdout(), reg); err != nil {
				return err
			}
			if loadErr != nil {
				return fmt.Errorf("these files have errors and are not listed:\n%w", loadErr)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the prompts as JSON")
	return cmd
}

type listing struct {
	Name        string            `json:"name"`
	Title       string            `json:"title,omitempty"`
	Description string            `json:"description,omitempty"`
	File        string            `json:"file"`
	Arguments   []listingArgument `json:"arguments"`
}

type listingArgument struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required"`
}

func listJSON(w io.Writer, reg *prompts.Registry) error {
	all := []listing{}
	for p := range reg.All() {
		l := listing{Name: p.Name, Title: p.Title, Description: p.Description, File: p.Source, Arguments: []listingArgument{}}
		for _, a := range p.Arguments {
			l.Arguments = append(l.Arguments, listingArgument{a.Name, a.Description, a.Required})
		}
		all = append(all, l)
	}
	return writeIndented(w, all)
}

func listTable(w io.Writer, reg *prompts.Registry) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NAME\tARGUMENTS\tDESCRIPTION")
	for p := range reg.All() {
		var names []string
		for _, a := range p.Arguments {
			name := a.Name
			if !a.Required {
				name = "[" + name + "]"
			}
			names = append(names, name)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", printable(p.Name), printable(strings.Join(names, " ")), shortened(p.Description))
	}
	return t.Flush()
}

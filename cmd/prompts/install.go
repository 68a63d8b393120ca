package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-prompts/prompts/internal/regular"
	"github.com/mcp-prompts/prompts/promptoci"
)

// client is a program to whose configuration install adds the server.
type client struct {
	name, title string
	// user is the file of the configuration. The first word of the path is ~ for the home folder, or
	// CONFIG for the folder of configurations. Of several files, the first that exists is changed, or
	// else the last. project is the file of a project, from its folder; empty for none.
	user    []string
	project string
	// keys is the place of the servers in the file. local and remote are what the file has of a
	// server that the client starts, or of one over HTTP, which may be nil.
	keys   []string
	local  entry
	remote *entry
	isYAML bool // with a list of servers
	// add and remove are the client's own commands, which are run instead of a change of a file. ofURL is
	// what follows add for a URL.
	add, ofURL, remove string
	hasScopes          bool   // of the commands
	hasNoPrompts       bool   // and needs them as tools
	root               string // of the project, in its configuration. Default: where the client starts the server
	next               string // what the client wants of the user before it starts the server
}

// scopes are for the user in the current project, for everybody in it, and for all projects of the user.
var scopes = []string{"local", "project", "user"}

type server struct {
	name    string
	command string
	args    []string
	url     string // of a server that runs; then command and args are empty
}

type entry struct {
	Name    string   `json:"-" yaml:"name"` // of a list
	Type    string   `json:"type,omitempty" yaml:"type,omitempty"`
	Command any      `json:"command,omitempty" yaml:"command,omitempty"` // with the arguments if it is a list
	Args    []string `json:"args,omitempty" yaml:"args,flow,omitempty"`
	URL     string   `json:"url,omitempty" yaml:"url,omitempty"`
	HTTPURL string   `json:"httpUrl,omitempty" yaml:"-"`
	Tools   []string `json:"tools,omitempty" yaml:"-"`
	Enabled bool     `json:"enabled,omitempty" yaml:"-"`
}

func (c *client) entry(s server, isProject bool) entry {
	e := c.local
	if s.url != "" {
		e = *c.remote
	}
	switch _, isList := e.Command.([]string); {
	case e.HTTPURL != "":
		e.HTTPURL = s.url
	case s.url != "":
		e.URL = s.url
	case isList:
		e.Command = append([]string{s.command}, s.args...)
	default:
		e.Command, e.Args = s.command, s.args
	}
	if e.Name = s.name; isProject && e.Tools != nil { // Claude Code reads the file, too
		e.Type, e.Tools = strings.TrimSuffix(e.Type, "local"), nil
	}
	return e
}

func (c *client) command(s server, scope string, isRemoved bool) []string {
	words := strings.Fields(c.add)
	if isRemoved {
		words = strings.Fields(c.remove)
	}
	if scope != "" {
		words = append(words, "--scope", scope)
	}
	switch {
	case isRemoved:
		return append(words, s.name)
	case s.url == "":
		return append(append(words, s.name, "--", s.command), s.args...)
	}
	for word := range strings.FieldsSeq(c.ofURL) {
		words = append(words, cmp.Or(map[string]string{"NAME": s.name, "URL": s.url}[word], word))
	}
	return words
}

var (
	mcpServers = []string{"mcpServers"}
	allTools   = []string{"*"} // without which Copilot CLI offers none
	ofURL      = &entry{URL: "URL"}
	ofHTTPURL  = &entry{HTTPURL: "URL"}
)

var clients = []client{
	{
		name: "claude-code", title: "Claude Code", project: ".mcp.json", keys: mcpServers, remote: &entry{Type: "http"}, hasScopes: true,
		add: "claude mcp add", ofURL: "--transport http NAME URL", remove: "claude mcp remove",
	},
	{name: "claude-desktop", title: "Claude Desktop", user: []string{"CONFIG/Claude/claude_desktop_config.json"}, keys: mcpServers},
	{name: "cline", title: "Cline", hasNoPrompts: true, add: "cline mcp add --yes", ofURL: "--transport http NAME URL"},
	{name: "codex", title: "Codex", hasNoPrompts: true, add: "codex mcp add", ofURL: "NAME --url URL", remove: "codex mcp remove"},
	{
		name: "continue", title: "Continue CLI", hasNoPrompts: true, user: []string{"~/.continue/config.yaml"}, keys: mcpServers, isYAML: true,
		remote: &entry{Type: "streamable-http"},
	},
	{
		name: "copilot", title: "Copilot CLI", hasNoPrompts: true, user: []string{"~/.copilot/mcp-config.json"}, project: ".mcp.json", keys: mcpServers,
		local: entry{Type: "local", Tools: allTools}, remote: &entry{Type: "http", Tools: allTools},
	},
	{name: "cursor", title: "Cursor", user: []string{"~/.cursor/mcp.json"}, project: ".cursor/mcp.json", keys: mcpServers, remote: ofURL, root: "${workspaceFolder}"},
	{
		name: "gemini", title: "Gemini CLI", user: []string{"~/.gemini/settings.json"}, project: ".gemini/settings.json", keys: mcpServers, remote: ofHTTPURL,
		// https://github.com/google-gemini/gemini-cli/pull/26457
		next: "In a folder that you do not trust, Gemini CLI shows the server as Disabled. Run gemini in the folder and trust the folder, or run /permissions there.",
	},
	{
		name: "opencode", title: "opencode", user: []string{"~/.config/opencode/opencode.jsonc", "~/.config/opencode/opencode.json"}, project: "opencode.json",
		keys: []string{"mcp"}, local: entry{Type: "local", Command: []string{}, Enabled: true}, remote: &entry{Type: "remote", Enabled: true},
	},
	{
		name: "pi", title: "pi", user: []string{"~/.pi/agent/mcp.json"}, project: ".pi/mcp.json", keys: mcpServers,
		next: "pi shows prompts with the package pi-mcp-adapter: run pi install npm:pi-mcp-adapter, and start pi twice. Without the package, install the server with --tools.",
	},
	{name: "qwen", title: "Qwen Code", user: []string{"~/.qwen/settings.json"}, project: ".qwen/settings.json", keys: mcpServers, remote: ofHTTPURL},
	{
		name: "vscode", title: "VS Code", user: []string{"CONFIG/Code/User/mcp.json"}, project: ".vscode/mcp.json", keys: []string{"servers"},
		local: entry{Type: "stdio"}, remote: &entry{Type: "http"}, root: "${workspaceFolder}",
		// https://code.visualstudio.com/docs/agent-customization/mcp-servers
		next: "VS Code asks whether you trust the server before its first start.",
	},
	{name: "zed", title: "Zed", user: []string{zedSettings()}, project: ".zed/settings.json", keys: []string{"context_servers"}, remote: ofURL},
}

func zedSettings() string {
	if runtime.GOOS == "windows" {
		return "CONFIG/Zed/settings.json"
	}
	return "~/.config/zed/settings.json"
}

func (c *client) path(isProject bool) (path string, err error) {
	switch {
	case isProject && c.project == "":
		return "", usageErrorf("%s has no configuration for a project; omit --project", c.title)
	case isProject: // which may be a repository of others
		if path, err = inFolder(".", c.project); err != nil {
			err = fmt.Errorf("cannot change the configuration of the project: %w; name the file with --file to change it nevertheless", err)
		}
		return path, err
	case c.name == "claude-desktop" && runtime.GOOS == "linux":
		return "", errors.New("no Claude Desktop exists for Linux; give the path of a configuration with --file")
	}
	for _, name := range c.user {
		first, rest, _ := strings.Cut(name, "/")
		dir, err := os.UserHomeDir()
		if first == "CONFIG" {
			dir, err = os.UserConfigDir()
		}
		if path = filepath.Join(dir, filepath.FromSlash(rest)); err != nil || exists(path) {
			return path, err
		}
	}
	return path, nil
}

type installOptions struct {
	name, file, scope             string
	tools                         string
	print, project, force, skills bool
	remove                        bool
}

func (o *installOptions) isShared() bool { return o.project || o.scope == "project" }

func newInstall() *cobra.Command {
	var o installOptions
	names := make([]string, len(clients))
	titles := make([]string, len(clients))
	for i, c := range clients {
		names[i] = cobra.CompletionWithDesc(c.name, c.title)
		titles[i] = fmt.Sprintf("  %-15s %s", c.name, c.title)
	}
	cmd := &cobra.Command{
		Use:   "install CLIENT DIR... | URL | REF",
		Short: "Add the server to the configuration of a client",
		Long: `Install adds a server for the folders to the configuration of a client. It keeps
comments and the order of the file, and leaves a copy of the file before its first change, with
the extension .bak. For a client with a command of its own for that, it runs the command.

Instead of folders, a URL such as https://prompts.example.org/mcp names a server that runs, and a
reference such as oci://ghcr.io/acme/prompts:production a release. With --project, the entry
works for others who have the project: the program is prompts, and paths begin at the project.
With --remove, install removes the server.

The clients:
` + strings.Join(titles, "\n"),
		Example: `  prompts install gemini prompts
  prompts install vscode --project prompts
  prompts install claude-code --scope user prompts
  prompts install claude-desktop --print prompts
  prompts install opencode --project https://prompts.example.org/mcp
  prompts install --remove gemini prompts`,
		Args:              between(1, math.MaxInt, "client or folder is missing"),
		ValidArgsFunction: completeFirst(names, cobra.ShellCompDirectiveFilterDirs),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.install(cmd, args[0], args[1:])
		},
	}
	cmd.Flags().StringVar(&o.name, "name", "", "name of the server in the client (default: name of the folder)")
	cmd.Flags().StringVar(&o.file, "file", "", "change this file instead of the client's usual one")
	addTools(cmd.Flags(), &o.tools, "serve the prompts as tools, too: --tools or --tools=each, or --tools=pair; for a client without prompts, each is the default")
	cmd.Flags().BoolVar(&o.skills, "skills", false, "serve skills, too")
	cmd.Flags().BoolVar(&o.print, "print", false, "print the entry or the command, and change nothing")
	cmd.Flags().BoolVar(&o.project, "project", false, "change the configuration of the project in the current folder")
	cmd.Flags().BoolVar(&o.remove, "remove", false, "remove the server")
	cmd.Flags().StringVar(&o.scope, "scope", "", "scope of the server in Claude Code: local, project or user (default: local)")
	cmd.Flags().BoolVar(&o.force, "force", false, "change a server of the same name")
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions(scopes, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *installOptions) install(cmd *cobra.Command, clientName string, dirs []string) error {
	n := slices.IndexFunc(clients, func(c client) bool { return c.name == clientName })
	if n < 0 {
		var names []string
		for _, c := range clients {
			names = append(names, c.name)
		}
		return unknown("client", clientName, names)
	}
	c := &clients[n]
	if len(dirs) == 0 && !(o.remove && o.name != "") {
		return usageErrorf("client or folder is missing; usage: %s", cmd.UseLine())
	}
	if err := checkTools(o.tools, dirs); err != nil {
		return err
	}
	s, err := o.serverOf(c, dirs)
	if err != nil {
		return err
	}
	switch {
	case strings.HasPrefix(s.name, "-"):
		return usageErrorf("name %q begins with a hyphen; choose another with --name", s.name)
	case o.file == "" && cmd.Flags().Changed("file"):
		return usageErrorf("--file is empty; give the path of a file")
	case o.scope != "" && !c.hasScopes:
		return usageErrorf("%s has no scopes; omit --scope", c.title)
	case o.scope != "" && !slices.Contains(scopes, o.scope):
		return usageErrorf("--scope must be local, project or user, got %q", o.scope)
	case o.scope != "" && (o.project || o.file != ""):
		return usageErrorf("--scope is for the command of %s, and --project and --file change a file; give only one of them", c.title)
	case c.add == "", o.project && c.project != "", o.file != "":
		return o.change(cmd, c, s)
	case o.project || o.force:
		return usageErrorf("--project and --force have no effect on the command of %s; omit them", c.title)
	}
	return o.run(cmd, c, s)
}

func (o *installOptions) change(cmd *cobra.Command, c *client, s server) (err error) {
	if c.keys == nil {
		return usageErrorf("%s has no configuration file to change; omit --file", c.title)
	}
	var added *entry
	keys := append(slices.Clone(c.keys), s.name)
	switch {
	case o.remove && o.print:
		return usageErrorf("%s has no command that removes a server; omit --print, or delete the entry %s", c.title, s.name)
	case !o.remove:
		e := c.entry(s, o.project)
		switch added = &e; {
		case o.print && c.isYAML:
			_, err := io.WriteString(cmd.OutOrStdout(), yamlOf(map[string][]entry{c.keys[0]: {e}}))
			return err
		case o.print:
			return writeIndented(cmd.OutOrStdout(), nested(keys, e))
		}
	}
	path := o.file
	if path == "" {
		if path, err = c.path(o.project); err != nil {
			return err
		}
	}
	edit := editJSON
	if c.isYAML {
		edit = editYAML
	}
	changed, err := changeFile(cmd.Context(), path, func(document []byte) ([]byte, error) { return edit(document, keys, added, o.force) })
	out := cmd.OutOrStdout()
	switch {
	case err != nil:
		return err
	case o.remove && !changed:
		return fmt.Errorf("%s has no server %s", path, s.name)
	case o.remove:
		fmt.Fprintf(out, "%s removed from %s; start %s again\n", s.name, path, c.title)
	case !changed:
		fmt.Fprintf(out, "%s already has the server %s\n", path, s.name)
	default:
		fmt.Fprintf(out, "%s has the server %s; start %s again\n", path, s.name, c.title)
		if c.next != "" {
			fmt.Fprintln(out, c.next)
		}
	}
	return nil
}

func (o *installOptions) serverOf(c *client, args []string) (server, error) {
	s := server{name: o.name}
	if len(args) == 0 {
		return s, nil
	}
	if u, err := url.Parse(args[0]); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		s.name, s.url = cmp.Or(s.name, strings.ReplaceAll(u.Hostname(), ".", "-")), args[0]
		return s, o.checkURL(c, u, len(args))
	}
	dirs, names, err := namedFolders(args)
	var ref promptoci.Ref
	isRef := len(args) == 1 && isReference(args[0])
	if isRef {
		ref, err = promptoci.ParseRef(args[0])
		s.name = cmp.Or(s.name, path.Base(cmp.Or(ref.Repository, filepath.ToSlash(ref.Layout))))
	}
	if err != nil {
		return s, usageError{bare(err)}
	}
	at, err := filepath.Abs(dirs[0]) // with its symbolic links
	s.name = cmp.Or(s.name, filepath.Base(at))
	if o.remove || err != nil {
		return s, err
	}
	ofTools := o.tools
	if !isRef {
		if err := openFolders(dirs); err != nil {
			return s, err
		}
		for _, dir := range dirs {
			own, _ := readSettings(regular.FS(dir)) // serve reports the errors
			ofTools = cmp.Or(ofTools, own.Tools)
		}
	}
	if s.command = "prompts"; !o.isShared() {
		if s.command, err = programPath(os.Executable, os.Args[0]); err != nil {
			return s, err
		}
	}
	s.args = []string{"serve"}
	switch {
	case o.tools == "pair":
		s.args = append(s.args, "--tools=pair")
	case o.tools == "each", c.hasNoPrompts && ofTools == "":
		s.args = append(s.args, "--tools")
	}
	if o.skills {
		s.args = append(s.args, "--skills")
	}
	if isRef && ref.Layout == "" {
		s.args = append(s.args, args[0])
		return s, nil
	}
	if isRef {
		dirs = []string{ref.Layout}
	}
	for _, dir := range dirs {
		at, err := o.pathOf(c, dir)
		if err != nil {
			return s, err
		}
		if isRef {
			ref.Layout = at
			at = ref.String()
		} else if name := names[dir]; name != "" {
			at = strings.TrimSuffix(name, "/") + "=" + at
		}
		s.args = append(s.args, at)
	}
	return s, nil
}

func (o *installOptions) checkURL(c *client, u *url.URL, n int) error {
	switch {
	case n > 1 || u.Host == "":
		return usageErrorf("URL must be one such as https://prompts.example.org/mcp, and stand alone")
	case u.User != nil:
		return usageErrorf("URL must have no user and no password; set them in %s", c.title)
	case o.tools != "" || o.skills:
		return usageErrorf("--tools and --skills have no effect on a server that runs; give them to prompts serve")
	case o.remove:
	case c.name == "claude-desktop":
		return usageErrorf("%s has no entry for a URL; add the URL in Settings > Connectors", c.title)
	case c.ofURL == "" && c.remote == nil:
		return usageErrorf("%s has no entry for a URL", c.title)
	}
	return nil
}

// pathOf returns an absolute path: a client starts the server in any folder. A shared one is of the project.
func (o *installOptions) pathOf(c *client, dir string) (string, error) {
	at, err := filepath.Abs(dir)
	if !o.isShared() {
		return at, err
	}
	relative, err := filepath.Rel(absolute("."), absolute(dir))
	if err != nil || !isWithin(dir, ".") {
		return "", usageErrorf("%s is not in the project; others do not have %s. Omit --project, or give a URL or a release", dir, at)
	}
	return path.Join(c.root, filepath.ToSlash(relative)), nil
}

// programPath finds the program by the command line if the system does not know it, as Linux without /proc.
func programPath(executable func() (string, error), word string) (string, error) {
	path, err := executable()
	if err != nil {
		path, err = exec.LookPath(word)
	}
	if err != nil {
		return "", fmt.Errorf("cannot find the path of the program; start the program with the full path: %w", err)
	}
	return filepath.Abs(path)
}

func (o *installOptions) run(cmd *cobra.Command, c *client, s server) error {
	if o.remove && c.remove == "" {
		return usageErrorf("%s has no command that removes a server; remove %s in %s", c.title, s.name, c.title)
	}
	command := c.command(s, o.scope, o.remove)
	if o.print {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), shellQuoted(command...))
		return err
	}
	if _, err := exec.LookPath(command[0]); err != nil {
		return fmt.Errorf("%s is not installed, or not in PATH; the command would be:\n  %s", c.title, shellQuoted(command...))
	}
	return execute(cmd.Context(), cmd, command)
}

func execute(ctx context.Context, cmd *cobra.Command, command []string) error {
	p, err := newCommand(ctx, command)
	if err != nil {
		return fmt.Errorf("%s: %w", shellQuoted(command...), err)
	}
	p.Stdin, p.Stdout, p.Stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	if out, errOut := fileOf(p.Stdout), fileOf(p.Stderr); out != nil && errOut != nil { // the program of the user may ask on a terminal
		p.Stdout, p.Stderr = out, errOut
	}
	if err := p.Run(); err != nil {
		return fmt.Errorf("%s: %w", shellQuoted(command...), err)
	}
	return nil
}

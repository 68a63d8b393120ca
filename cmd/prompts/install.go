package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
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
	// path returns the file of the configuration. project is true for the one of the
	// folder in which the command runs.
	path func(project bool) (string, error)
	// keys is the place of the servers in the file.
	keys []string
	// entry returns what the file has of a server.
	entry func(s server) any
	// command, if not nil, returns the client's own command, which is run instead of a
	// change of a file. scope is one of scopes, or empty for the client's default.
	command func(s server, scope string) []string
	// hasScopes reports whether the command has scopes.
	hasScopes bool
	// hasNoPrompts reports whether the client shows no prompts, and needs them as tools.
	hasNoPrompts bool
	// url, if not nil, returns what the file has of a server over HTTP.
	url func(url string) any
	// remove has the command that removes a server, without the name.
	remove []string
	// root is the folder of the project, in the configuration of the project. Default: where the
	// client starts the server.
	root string
	// next says what the client wants of the user before it starts the server.
	next string
}

// scopes are those of Claude Code: for the user in the current project, for everybody in
// the project, and for all projects of the user.
var scopes = []string{"local", "project", "user"}

// server is what a client starts.
type server struct {
	name    string
	command string
	args    []string
	url     string // of a server that runs; then command and args are empty
}

// commandEntry is the entry that most clients have.
type commandEntry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func plainEntry(s server) any { return commandEntry{Command: s.command, Args: s.args} }

// added returns the command of a client that adds the server. ofURL are its flags for a URL.
func (s server) added(command []string, ofURL ...string) []string {
	if s.url != "" {
		return append(append(command, ofURL...), s.name, s.url)
	}
	return append(append(command, s.name, "--", s.command), s.args...)
}

// urlEntry returns the entry of a URL, with its key and others.
func urlEntry(key string, others map[string]any) func(url string) any {
	return func(url string) any {
		entry := map[string]any{key: url}
		maps.Copy(entry, others)
		return entry
	}
}

// clients are sorted by name.
var clients = []client{
	{name: "claude-code", title: "Claude Code", hasScopes: true, command: func(s server, scope string) []string {
		command := []string{"claude", "mcp", "add"}
		if scope != "" {
			command = append(command, "--scope", scope)
		}
		return s.added(command, "--transport", "http")
	}, remove: []string{"claude", "mcp", "remove"}},
	{name: "claude-desktop", title: "Claude Desktop", path: claudeDesktopPath, keys: []string{"mcpServers"}, entry: plainEntry},
	{name: "cline", title: "Cline", hasNoPrompts: true, command: func(s server, _ string) []string {
		return s.added([]string{"cline", "mcp", "add", "--yes"}, "--transport", "http")
	}},
	{name: "codex", title: "Codex", hasNoPrompts: true, command: func(s server, _ string) []string {
		if s.url != "" {
			return []string{"codex", "mcp", "add", s.name, "--url", s.url}
		}
		return s.added([]string{"codex", "mcp", "add"})
	}, remove: []string{"codex", "mcp", "remove"}},
	{
		name: "continue", title: "Continue CLI", hasNoPrompts: true, path: inHomeOnly(".continue/config.yaml"), keys: []string{"mcpServers"},
		entry: func(s server) any { return yamlEntry{s.name, s.command, s.args} },
	},
	{name: "copilot", title: "Copilot CLI", hasNoPrompts: true, path: inHomeOnly(".copilot/mcp-config.json"), keys: []string{"mcpServers"}, entry: func(s server) any {
		// Without tools, Copilot CLI offers none of the server.
		return struct {
			commandEntry
			Tools []string `json:"tools"`
		}{commandEntry{Type: "local", Command: s.command, Args: s.args}, []string{"*"}}
	}, url: urlEntry("url", map[string]any{"type": "http", "tools": []string{"*"}})},
	{name: "cursor", title: "Cursor", path: inHome(".cursor/mcp.json"), keys: []string{"mcpServers"}, entry: plainEntry, url: urlEntry("url", nil), root: "${workspaceFolder}"},
	{
		name: "gemini", title: "Gemini CLI", path: inHome(".gemini/settings.json"), keys: []string{"mcpServers"}, entry: plainEntry, url: urlEntry("httpUrl", nil),
		// https://github.com/google-gemini/gemini-cli/pull/26457
		next: "In a folder that you do not trust, Gemini CLI shows the server as Disabled. Run gemini in the folder and trust the folder, or run /permissions there.",
	},
	{name: "opencode", title: "opencode", path: opencodePath, keys: []string{"mcp"}, entry: func(s server) any {
		return struct {
			Type    string   `json:"type"`
			Command []string `json:"command"`
			Enabled bool     `json:"enabled"`
		}{"local", append([]string{s.command}, s.args...), true}
	}, url: urlEntry("url", map[string]any{"type": "remote", "enabled": true})},
	{
		name: "pi", title: "pi", path: piPath, keys: []string{"mcpServers"}, entry: plainEntry,
		next: "pi shows prompts with the package pi-mcp-adapter: run pi install npm:pi-mcp-adapter, and start pi twice. Without the package, install the server with --tools.",
	},
	{name: "qwen", title: "Qwen Code", path: inHome(".qwen/settings.json"), keys: []string{"mcpServers"}, entry: plainEntry, url: urlEntry("httpUrl", nil)},
	{
		name: "vscode", title: "VS Code", path: vscodePath, keys: []string{"servers"}, url: urlEntry("url", map[string]any{"type": "http"}), root: "${workspaceFolder}",
		entry: func(s server) any { return commandEntry{Type: "stdio", Command: s.command, Args: s.args} },
		// https://code.visualstudio.com/docs/agent-customization/mcp-servers
		next: "VS Code asks whether you trust the server before its first start.",
	},
	{name: "zed", title: "Zed", path: zedPath, keys: []string{"context_servers"}, entry: plainEntry, url: urlEntry("url", nil)},
}

// inHome returns the path of a file in the home folder, or in the project.
func inHome(name string) func(project bool) (string, error) {
	return func(project bool) (string, error) {
		if project {
			return filepath.FromSlash(name), nil
		}
		home, err := os.UserHomeDir()
		return filepath.Join(home, filepath.FromSlash(name)), err
	}
}

// inHomeOnly is [inHome] for a client without a configuration of a project.
func inHomeOnly(name string) func(project bool) (string, error) {
	return func(project bool) (string, error) {
		if project {
			return "", errNoProject
		}
		return inHome(name)(false)
	}
}

// errNoProject is for a client without a configuration of a project.
var errNoProject = errors.New("client has no configuration for a project; omit --project")

func claudeDesktopPath(project bool) (string, error) {
	if project {
		return "", errNoProject
	}
	if runtime.GOOS == "linux" {
		return "", errors.New("no Claude Desktop exists for Linux; give the path of a configuration with --file")
	}
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "Claude", "claude_desktop_config.json"), err
}

func vscodePath(project bool) (string, error) {
	if project {
		return filepath.Join(".vscode", "mcp.json"), nil
	}
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "Code", "User", "mcp.json"), err
}

func opencodePath(project bool) (string, error) {
	if project {
		return "opencode.json", nil
	}
	dir, err := inHome(".config/opencode")(false)
	if err != nil {
		return "", err
	}
	if path := filepath.Join(dir, "opencode.jsonc"); exists(path) {
		return path, nil
	}
	return filepath.Join(dir, "opencode.json"), nil
}

func piPath(project bool) (string, error) {
	if project {
		return filepath.Join(".pi", "mcp.json"), nil
	}
	return inHome(".pi/agent/mcp.json")(false)
}

func zedPath(project bool) (string, error) {
	if project {
		return filepath.Join(".zed", "settings.json"), nil
	}
	if runtime.GOOS == "windows" {
		dir, err := os.UserConfigDir()
		return filepath.Join(dir, "Zed", "settings.json"), err
	}
	return inHome(".config/zed/settings.json")(false)
}

type installOptions struct {
	name, file, scope             string
	tools                         string
	print, project, force, skills bool
	remove                        bool
	isShared                      bool // others get the entry
}

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
		Args: between(1, math.MaxInt, "client or folder is missing"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return names, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
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
	o.isShared = o.project || o.scope == "project"
	s, err := o.serverOf(cmd, c, dirs)
	if err != nil {
		return err
	}
	if strings.HasPrefix(s.name, "-") {
		return usageErrorf("name %q begins with a hyphen; choose another with --name", s.name)
	}
	if o.file == "" && cmd.Flags().Changed("file") {
		return usageErrorf("--file is empty; give the path of a file")
	}
	if err := o.checkScope(c); err != nil {
		return err
	}
	if c.command != nil && o.file == "" {
		return o.run(cmd, c, s)
	}
	return o.change(cmd, c, s)
}

// checkScope reports a scope that the client does not have.
func (o *installOptions) checkScope(c *client) error {
	switch {
	case o.scope != "" && !c.hasScopes:
		return usageErrorf("%s has no scopes; omit --scope", c.title)
	case o.scope != "" && !slices.Contains(scopes, o.scope):
		return usageErrorf("--scope must be local, project or user, got %q", o.scope)
	case o.project && c.hasScopes:
		return usageErrorf("--project has no effect on the command of %s; use --scope project", c.title)
	}
	return nil
}

// change adds the server to the file of a client, or prints the entry.
func (o *installOptions) change(cmd *cobra.Command, c *client, s server) error {
	if c.path == nil {
		return usageErrorf("%s has no configuration file to change; omit --file", c.title)
	}
	inYAML, isYAML := c.entry(s).(yamlEntry)
	var entry any
	switch {
	case o.remove && isYAML:
		return usageErrorf("%s keeps its servers in YAML, where prompts only adds; delete the entry %s", c.title, s.name)
	case o.remove:
	case s.url != "" && c.url == nil:
		return usageErrorf("%s has no entry for a URL", c.title)
	case s.url != "":
		entry = c.url(s.url)
	default:
		entry = c.entry(s)
	}
	switch {
	case o.print && isYAML:
		_, err := io.WriteString(cmd.OutOrStdout(), yamlOf(map[string][]yamlEntry{c.keys[0]: {inYAML}}))
		return err
	case o.print && !o.remove:
		return writeIndented(cmd.OutOrStdout(), nested(append(c.keys, s.name), entry))
	}
	path := o.file
	if path == "" {
		var err error
		if path, err = c.path(o.project); err != nil {
			return err
		}
		if o.project { // which may be a repository of others
			if path, err = inFolder(".", filepath.ToSlash(path)); err != nil {
				return fmt.Errorf("cannot change the configuration of the project: %w; name the file with --file to change it nevertheless", err)
			}
		}
	}
	changed, err := changeFile(cmd.Context(), path, func(document []byte) ([]byte, error) {
		switch {
		case o.remove:
			return removeFromJSON(document, append(c.keys, s.name))
		case isYAML:
			return addToYAML(document, append(c.keys, s.name), inYAML, o.force)
		}
		return addToJSON(document, append(c.keys, s.name), entry, o.force)
	})
	if err != nil {
		return err
	}
	if o.remove {
		if !changed {
			return fmt.Errorf("%s has no server %s", path, s.name)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s removed from %s; start %s again\n", s.name, path, c.title)
		return nil
	}
	if !changed {
		fmt.Fprintf(cmd.OutOrStdout(), "%s already has the server %s\n", path, s.name)
		return nil
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s has the server %s; start %s again\n", path, s.name, c.title)
	if c.next != "" {
		fmt.Fprintln(cmd.OutOrStdout(), c.next)
	}
	return nil
}

// serverOf returns the server for folders, for a release, or for a URL.
func (o *installOptions) serverOf(cmd *cobra.Command, c *client, args []string) (server, error) {
	s := server{name: o.name}
	if len(args) == 0 {
		return s, nil
	}
	if u, err := url.Parse(args[0]); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		s.name = cmp.Or(s.name, strings.ReplaceAll(u.Hostname(), ".", "-"))
		switch s.url = args[0]; {
		case len(args) > 1 || u.Host == "":
			return s, usageErrorf("URL must be one such as https://prompts.example.org/mcp, and stand alone")
		case u.User != nil:
			return s, usageErrorf("URL must have no user and no password; set them in %s", c.title)
		case o.tools != "" || o.skills:
			return s, usageErrorf("--tools and --skills have no effect on a server that runs; give them to prompts serve")
		case c.command == nil && c.url == nil && c.name == "claude-desktop":
			return s, usageErrorf("%s has no entry for a URL; add the URL in Settings > Connectors", c.title)
		case c.command == nil && c.url == nil:
			return s, usageErrorf("%s has no entry for a URL", c.title)
		}
		return s, nil
	}
	dirs, names, err := namedFolders(args)
	var ref promptoci.Ref
	isRef := len(args) == 1 && promptoci.IsRef(args[0])
	if isRef {
		ref, err = promptoci.ParseRef(args[0])
		s.name = cmp.Or(s.name, path.Base(cmp.Or(ref.Repository, filepath.ToSlash(ref.Layout))))
	}
	if err != nil {
		return s, usageError{bare(err)}
	}
	s.name = cmp.Or(s.name, filepath.Base(absolutePath(dirs[0])))
	if o.remove {
		return s, nil
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
	if s.command = "prompts"; !o.isShared {
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

// pathOf returns the path of a folder for the entry: an absolute one, because a client starts the
// server in a folder of its own, or the one from the folder of the project.
func (o *installOptions) pathOf(c *client, dir string) (string, error) {
	at := absolutePath(dir)
	if !o.isShared {
		return at, nil
	}
	relative, err := filepath.Rel(absolute("."), absolute(dir))
	if err != nil || !isWithin(dir, ".") {
		return "", usageErrorf("%s is not in the project; others do not have %s. Omit --project, or give a URL or a release", dir, at)
	}
	return path.Join(c.root, filepath.ToSlash(relative)), nil
}

// absolutePath returns the absolute path, with its symbolic links.
func absolutePath(path string) string {
	if at, err := filepath.Abs(path); err == nil {
		return at
	}
	return path
}

// programPath returns the absolute path of this program. If the system does not know it,
// as Linux without /proc, the path is found from the first word of the command line.
func programPath(executable func() (string, error), word string) (string, error) {
	if path, err := executable(); err == nil {
		return path, nil
	}
	path, err := exec.LookPath(word)
	if err != nil {
		return "", fmt.Errorf("cannot find the path of the program; start the program with the full path: %w", err)
	}
	return filepath.Abs(path)
}

// run runs or prints the command of a client.
func (o *installOptions) run(cmd *cobra.Command, c *client, s server) error {
	if o.project || o.force {
		return usageErrorf("--project and --force have no effect on the command of %s; omit them", c.title)
	}
	var command []string
	switch {
	case !o.remove:
		command = c.command(s, o.scope)
	case c.remove == nil:
		return usageErrorf("%s has no command that removes a server; remove %s in %s", c.title, s.name, c.title)
	default:
		command = slices.Clone(c.remove)
		if o.scope != "" {
			command = append(command, "--scope", o.scope)
		}
		command = append(command, s.name)
	}
	if o.print {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), shellQuoted(command))
		return err
	}
	if _, err := exec.LookPath(command[0]); err != nil {
		return fmt.Errorf("%s is not installed, or not in PATH; the command would be:\n  %s", c.title, shellQuoted(command))
	}
	return execute(cmd.Context(), cmd, command)
}

func execute(ctx context.Context, cmd *cobra.Command, command []string) error {
	p, err := newCommand(ctx, command)
	if err != nil {
		return fmt.Errorf("%s: %w", shellQuoted(command), err)
	}
	p.Stdin, p.Stdout, p.Stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	if out, errOut := fileOf(p.Stdout), fileOf(p.Stderr); out != nil && errOut != nil { // the program of the user may ask on a terminal
		p.Stdout, p.Stderr = out, errOut
	}
	if err := p.Run(); err != nil {
		return fmt.Errorf("%s: %w", shellQuoted(command), err)
	}
	return nil
}

// shellQuoted returns a command as a POSIX shell reads it.
func shellQuoted(command []string) string {
	words := make([]string, len(command))
	for i, w := range command {
		words[i] = w
		if w == "" || strings.ContainsFunc(w, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r))
		}) {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

//go:build unix

package hosts_test

import (
	"regexp"

	"github.com/mcp-prompts/prompts/prompttools"
)

func toolName(prompt string) string { return prompttools.ToolName(prompt) }

// host is a host that the tests run.
type host struct {
	name    string // in "prompts install", and of the file in testdata
	title   string // in the documentation
	npm     string // its package
	seen    string // the day of the last run, if it is not that of most hosts
	folder  string // the folder of the package.json that has the package
	program string // a file in node_modules
	command string // what a user calls, if "prompts install" calls it, too
	env     string
	files   map[string]string // in the home folder, before the server is added
	// say returns the arguments for one case without a terminal, or is nil if the host needs one.
	say func(c *testCase) []string
	// boilerplate matches the parts of a request that are the host's own.
	boilerplate *regexp.Regexp
	// noise matches what a run shows and another does not.
	noise *regexp.Regexp
	// setup is a command before the server is added.
	setup string
	// first are the arguments of a run after the server is added: the host knows the prompts
	// from its second start on.
	first []string
	// patience is a file, and the text for its end after the server is added: the default
	// time for the start of a server is too short on a loaded machine.
	patience [2]string
	// How the server is added over HTTP: by a command, or, if it is empty, by an entry in
	// urlFile. The entry is a member of the object urlKey, or else a text for the end.
	urlCommand, urlFile, urlKey, urlEntry string
	// command or entry for standard input and output, if "prompts install" does not know the host
	addCommand, addEntry string
	// readSkill is the host's tool that reads a resource, with the URI of a skill.
	readSkill string
	// callTool is the host's tool that calls all others, and the format of its arguments: the name of
	// a tool, and the arguments of that.
	callTool [2]string

	screen    *screen // nil if the tests use no terminal
	noPrompts bool    // only tools
	maySkip   string  // a line of the golden file for what the host does in some runs only
}

// screen is how the tests use a host in a terminal.
type screen struct {
	args  []string
	ready string // on the screen when the host waits for its user
	// confirm are questions at the start, and the keys that answer them.
	confirm map[string][]string
	prefix  string // what the user types before the name of a prompt
	suffix  string // and after the arguments
	// late is a line that the user sees before or after the answer of the model.
	late string
	// plainNames matches what the host replaces in names by an underscore, or is nil.
	plainNames *regexp.Regexp
	// menu is what the user types to see the prompts named new1, two and so on.
	menu   string
	submit []string // keys
	// answer answers the question of the prompt ask.
	answer []string // keys, and texts that begin with "="
	// allow is part of the question whether a tool may be called. Enter answers it.
	allow string
	// failed is what an error of the host begins with. Default: "✕".
	failed string
	// noise matches lines that have nothing to do with the prompt.
	noise *regexp.Regexp
	// pictures are names of pictures, and what the user types before. A text that ends
	// with a line feed is submitted.
	pictures [][2]string
	all      bool // all cases, because the host shows prompts nowhere else
	// again begins a new session, with an empty screen, in a host that does not show what the user has typed.
	again string
}

// notPlain matches what opencode replaces in names.
var notPlain = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// openCodeModel and openCodeURL are parts of the configuration of opencode and its fork.
const (
	openCodeModel = `{"model":"mock/mock","experimental":{"mcp_timeout":60000},"provider":{"mock":{"npm":"@ai-sdk/openai-compatible",` +
		`"options":{"baseURL":"{model}/v1","apiKey":"x"},` +
		`"models":{"mock":{"attachment":true,"modalities":{"input":["text","image","audio"],"output":["text"]}}}}}}`
	openCodeURL = `{"type":"remote","url":"{url}","enabled":true}`
)

func openCodeSay(c *testCase) []string {
	if c.tool+c.ownTool != "" {
		return []string{"run", c.call("review_")}
	}
	return append([]string{"run", "--command", "review:" + notPlain.ReplaceAllString(c.prompt, "_")}, c.words...)
}

var hosts = []*host{
	{
		urlCommand: "mcp add --transport http review {url}",
		readSkill:  `ReadMcpResourceTool {"server":"review","uri":"skill://refunds/SKILL.md"}`,
		name:       "claude-code", title: "Claude Code", npm: "@anthropic-ai/claude-code", seen: "2026-11-28", folder: "node",
		program: "@anthropic-ai/claude-code-{platform}/claude", command: "claude",
		env: "ANTHROPIC_BASE_URL={model} ANTHROPIC_API_KEY=any ENABLE_TOOL_SEARCH=false MCP_CONNECTION_NONBLOCKING=0 MCP_CONNECT_TIMEOUT_MS=60000 MCP_TIMEOUT=60000 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1",
		files: map[string]string{".claude.json": `{"hasCompletedOnboarding":true,"customApiKeyResponses":{"approved":["any"]},` +
			`"projects":{"{work}":{"hasTrustDialogAccepted":true}}}`},
		screen: &screen{
			args: []string{"--permission-mode", "default"}, ready: `for shortcuts`, prefix: "/mcp__review__", menu: "/", submit: []string{"Enter"},
			confirm:  map[string][]string{"Press Enter": {"Enter"}, "trust this folder": {"Enter"}},
			answer:   []string{"=my words", "Enter", "Enter"},
			noise:    regexp.MustCompile(`^(✻|tmux focus|ctrl\+y|⏸|❯$)`),
			pictures: [][2]string{{"menu", "/review:"}, {"use", "/review:commit-message\tfixed-a-typo\n"}},
		},
		boilerplate: regexp.MustCompile(`(?s)<system-reminder>.*?</system-reminder>`),
		say: func(c *testCase) []string {
			if c.tool+c.ownTool != "" {
				return []string{"-p", c.call("mcp__review__"), "--allowedTools", "mcp__review", "ReadMcpResourceTool"}
			}
			return []string{"-p", c.line("/mcp__review__" + c.prompt)}
		},
	},
	{
		urlFile: ".config/opencode/opencode.json", urlKey: "mcp", urlEntry: openCodeURL,
		readSkill: `read_mcp_resource {"server":"review","uri":"skill://refunds/SKILL.md"}`,
		name:      "opencode", title: "opencode", npm: "opencode-ai", seen: "2026-11-28", folder: "node",
		program: "opencode-{platform}/bin/opencode",
		env:     "OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_LSP_DOWNLOAD=1",
		files:   map[string]string{".config/opencode/opencode.json": openCodeModel},
		screen: &screen{
			// The space closes the menu.
			ready: `Ask anything`, prefix: "/review:", suffix: " ", menu: "/", submit: []string{"Enter"}, plainNames: notPlain,
			noise:    regexp.MustCompile(`ctrl\+p commands$`),
			pictures: [][2]string{{"menu", "/review:"}},
		},
		say: openCodeSay,
	},
	{
		urlCommand: "mcp add review --url {url}",
		patience:   [2]string{".codex/config.toml", "startup_timeout_sec = 60\n"},
		readSkill:  `read_mcp_resource {"server":"review","uri":"skill://refunds/SKILL.md"}`,
		name:       "codex", title: "Codex", npm: "@openai/codex", seen: "2026-11-28", folder: "node", noPrompts: true,
		program: "@openai/codex/bin/codex.js", command: "codex",
		env: "MOCK_KEY=x",
		files: map[string]string{".codex/config.toml": `model = "mock"
model_provider = "mock"

[model_providers.mock]
name = "mock"
base_url = "{model}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
`},
		screen: &screen{
			args: []string{"--no-alt-screen", "-c", "approval_policy=on-request"}, ready: `context left|/model to change|\? for shortcuts`, menu: "/", submit: []string{"Enter"},
			confirm: map[string][]string{"trust": {"Enter"}},
			allow:   "Allow the review MCP server", answer: []string{"=my words", "Enter"},
			noise:    regexp.MustCompile(`^(› (Ask|Explain|Find|Implement|Improve|Run|Summarize|Use|Write) |mock default|← for agents|Worked for)`),
			pictures: [][2]string{{"use", `Call tool triage {"report":"The page is empty."}` + "\n"}},
		},
		boilerplate: regexp.MustCompile(`(?s)<environment_context>.*</environment_context>`),
		noise:       regexp.MustCompile(`(?s)^.*?\n--------\n.*?\n--------\n`),
		say: func(c *testCase) []string {
			return []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", c.call("")}
		},
	},
	{
		urlFile: ".copilot/mcp-config.json", urlKey: "mcpServers", urlEntry: `{"type":"http","url":"{url}","tools":["*"]}`,
		name: "copilot", title: "Copilot CLI", npm: "@github/copilot", seen: "2026-11-28", folder: "node", noPrompts: true,
		program: "@github/copilot-{platform}/copilot", command: "copilot",
		env: "COPILOT_PROVIDER_BASE_URL={model}/v1 COPILOT_MODEL=mock COPILOT_PROVIDER_API_KEY=x COPILOT_AUTO_UPDATE=false",
		screen: &screen{
			args: []string{"--allow-all-tools", "--disable-builtin-mcps"}, ready: `/ commands|for shortcuts|@ mention`, menu: "/", submit: []string{"Enter"},
			confirm:  map[string][]string{"trust": {"Enter"}},
			answer:   []string{"=my words", "Enter", "Enter"},
			noise:    regexp.MustCompile(`^(● Working|←|Copilot v|Check for mistakes|~/shop)`),
			pictures: [][2]string{{"use", `Call tool review-triage {"report":"The page is empty."}` + "\n"}},
		},
		boilerplate: regexp.MustCompile(`(?s)<current_datetime>.*?</current_datetime>`),
		maySkip:     "\ttools/list after list_changed\n",
		noise:       regexp.MustCompile(`(?s)\nChanges  .*|Package extraction took <duration>\n*`),
		say: func(c *testCase) []string {
			return []string{"-p", c.call("review-"), "--allow-all-tools", "--disable-builtin-mcps"}
		},
	},
}

// gemini shows its prompts in a terminal only.
var gemini = &host{
	readSkill: `read_mcp_resource {"uri":"skill://refunds/SKILL.md"}`,
	urlFile:   ".gemini/settings.json", urlKey: "mcpServers", urlEntry: `{"httpUrl":"{url}"}`,
	name: "gemini", title: "Gemini CLI", npm: "@google/gemini-cli", seen: "2026-11-28", folder: "node",
	program: "@google/gemini-cli/bundle/gemini.js",
	// Gemini CLI starts no server in a folder that is not trusted.
	env:         "GOOGLE_GEMINI_BASE_URL={model} GEMINI_API_KEY=any GEMINI_CLI_TRUST_WORKSPACE=true",
	files:       map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"disableAutoUpdate":true}}`},
	boilerplate: regexp.MustCompile(`(?s)<session_context>.*</session_context>`),
	screen: &screen{
		// The default model asks the model which model to take, and expects JSON.
		args: []string{"-m", "gemini-2.5-pro"}, ready: `Type your message`, prefix: "/", menu: "/",
		submit: []string{"Escape", "Enter"}, all: true, allow: "Allow execution of MCP tool",
		late:     "ℹ Prompts updated for server: review",
		pictures: [][2]string{{"menu", "/review"}, {"use", "/commit-message \"fixed a typo\"\n"}},
	},
}

// qwen is a fork of Gemini CLI that shows its prompts without a terminal, too.
var qwen = &host{
	urlFile: ".qwen/settings.json", urlKey: "mcpServers", urlEntry: `{"httpUrl":"{url}","discoveryTimeoutMs":60000}`,
	name: "qwen", title: "Qwen Code", npm: "@qwen-code/qwen-code", seen: "2026-11-29", folder: "more",
	program: "@qwen-code/qwen-code/cli-entry.js",
	env:     "OPENAI_BASE_URL={model}/v1 OPENAI_API_KEY=x OPENAI_MODEL=mock QWEN_CODE_TRUST_WORKSPACE=true QWEN_CODE_NO_RELAUNCH=true",
	// By default the model finds tools by a search of its own.
	files:       map[string]string{".qwen/settings.json": `{"security":{"auth":{"selectedType":"openai"}},"general":{"disableAutoUpdate":true},"tools":{"toolSearch":{"enabled":false}}}`},
	boilerplate: regexp.MustCompile(`(?s)<system-reminder>.*?</system-reminder>|This is the Qwen Code.*`),
	noise:       regexp.MustCompile(`(?m)^Ripgrep not available: .*\n`), // npm has run no script of the package
	screen: &screen{
		ready: `Type your message`, prefix: "/", menu: "/", submit: []string{"Escape", "Enter"}, allow: "Allow execution of MCP tool",
		pictures: [][2]string{{"menu", "/review"}, {"use", "/commit-message \"fixed a typo\"\n"}},
	},
	say: func(c *testCase) []string {
		if c.tool+c.ownTool != "" {
			return []string{"--yolo", "-p", c.call("")}
		}
		if c.name == skill {
			return []string{"-p", "@review:skill://refunds/SKILL.md"}
		}
		return []string{"-p", c.line("/" + c.prompt)}
	},
}

// pi shows prompts with the package pi-mcp-adapter, in a terminal: with -p, it may end before the model
// gets the prompt.
var pi = &host{
	urlFile: ".pi/agent/mcp.json", urlKey: "mcpServers", urlEntry: `{"url":"{url}"}`,
	addEntry: `{"command":"{prompts}","args":["serve","{folder}"]}`,
	name:     "pi", title: "pi", npm: "@earendil-works/pi-coding-agent", seen: "2026-11-29", folder: "more",
	program: "@earendil-works/pi-coding-agent/dist/cli.js",
	env:     "PI_OFFLINE=1",
	first:   []string{"-p", "hello"},
	noise:   regexp.MustCompile(`(?m)^Client\.listTools\(\) called .*\n`),
	files: map[string]string{
		".pi/agent/models.json": `{"providers":{"mock":{"baseUrl":"{model}/v1","api":"openai-completions","apiKey":"x",` +
			`"models":[{"id":"mock","input":["text","image"]}]}}}`,
		".pi/agent/settings.json": `{"packages":["{modules}/pi-mcp-adapter"],"defaultProvider":"mock","defaultModel":"mock",` +
			`"extensions":["-builtin:mcp"]}`,
	},
	screen: &screen{
		// The space closes the menu.
		ready: `MCP: 1 server`, prefix: "/mcp__review__", suffix: " ", menu: "/mcp__review__", submit: []string{"Enter"}, plainNames: regexp.MustCompile(notPlain.String() + "+"),
		noise:    regexp.MustCompile(`^(~/shop|↑\d|[\d.]+%/128k|🔌|Client\.listTools|Warning: tmux |and restart tmux)`),
		answer:   []string{"Enter", "Enter", "=my words", "Enter", "Enter"},
		pictures: [][2]string{{"menu", "/mcp__review__"}, {"use", "/mcp__review__commit-message \"fixed a typo\" \n"}},
		all:      true,
		failed:   " Error: ",
		again:    "/new ",
	},
	callTool: [2]string{"mcp", `{"tool":"review_%s","args":%s}`},
}

// kilo is a fork of opencode, with the same configuration.
var kilo = &host{
	name: "kilo", title: "Kilo Code", npm: "@kilocode/cli-linux-x64", folder: "more",
	program: "@kilocode/cli-{platform}/bin/kilo",
	env:     "KILO_DISABLE_AUTOUPDATE=1 KILO_DISABLE_LSP_DOWNLOAD=1 KILO_TELEMETRY_LEVEL=off",
	files:   map[string]string{".config/kilo/kilo.json": openCodeModel},
	urlFile: ".config/kilo/kilo.json", urlKey: "mcp",
	addEntry: `{"type":"local","command":["{prompts}","serve","{folder}"],"enabled":true}`,
	say:      openCodeSay,
}

// more are hosts that only -all runs.
var more = []*host{
	qwen, pi,
	{
		name: "continue", title: "Continue CLI", npm: "@continuedev/cli", seen: "2026-11-28", folder: "more", noPrompts: true,
		program: "@continuedev/cli/dist/cn.js", command: "cn",
		env: "CONTINUE_TELEMETRY_ENABLED=0 FORCE_NO_TTY=true",
		files: map[string]string{"config.yaml": `name: test
version: 1.0.0
schema: v1
models:
  - name: mock
    provider: openai
    model: mock
    apiBase: {model}/v1
    apiKey: x
    capabilities: [tool_use]
mcpServers:
`},
		urlFile:  "config.yaml",
		urlEntry: "  - name: review\n    type: streamable-http\n    url: {url}\n",
		addEntry: "  - name: review\n    command: {prompts}\n    args: [serve, --tools, {folder}]\n",
		say: func(c *testCase) []string {
			return []string{"--config", "../config.yaml", "-p", c.call(""), "--auto"}
		},
	},
	{
		name: "cline", title: "Cline", npm: "cline", seen: "2026-11-28", folder: "more", noPrompts: true,
		program: "@cline/cli-{platform}/bin/cline", command: "cline",
		setup:      "auth -p openai-compatible -k x -m mock -b {model}/v1",
		urlCommand: "mcp add --yes --transport http review {url}",
		noise:      regexp.MustCompile(`(?m)^(\s*Warning: AI SDK|DeprecationWarning: |\s+at .*bunfs).*\n+`),
		say: func(c *testCase) []string {
			return []string{"-P", "openai-compatible", "-m", "mock", c.call("")}
		},
	},
}

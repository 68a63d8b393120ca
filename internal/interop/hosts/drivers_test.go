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
	folder  string // the folder of the package.json that has the package
	program string // a file in node_modules
	command string // what a user calls, if "prompts install" calls it, too
	env     string
	files   map[string]string // in the home folder, before the server is added
	// say returns the arguments for one case without a terminal.
	say func(c *testCase) []string
	// boilerplate matches the parts of a request that are the host's own.
	boilerplate *regexp.Regexp
	// noise matches what a run shows and another does not.
	noise *regexp.Regexp
	// urlCommand adds a server over HTTP, or, if it is empty, urlFile has urlEntry under
	// urlKey.
	urlCommand, urlFile, urlKey, urlEntry string

	noPrompts  bool // only tools
	listsAgain bool // after list_changed
}

// notPlain matches what opencode replaces in names.
var notPlain = regexp.MustCompile(`[^A-Za-z0-9_-]`)

var hosts = []*host{
	{
		urlCommand: "mcp add --transport http review {url}",
		name:       "claude-code", title: "Claude Code", npm: "@anthropic-ai/claude-code", folder: "node",
		program: "@anthropic-ai/claude-code-{platform}/claude", command: "claude",
		env: "ANTHROPIC_BASE_URL={model} ANTHROPIC_API_KEY=any CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1",
		files: map[string]string{".claude.json": `{"hasCompletedOnboarding":true,"customApiKeyResponses":{"approved":["any"]},` +
			`"projects":{"{work}":{"hasTrustDialogAccepted":true}}}`},
		boilerplate: regexp.MustCompile(`(?s)<system-reminder>.*?</system-reminder>`),
		say: func(c *testCase) []string {
			if c.tool != "" {
				return []string{"-p", c.call("mcp__review__"), "--allowedTools", "mcp__review"}
			}
			return []string{"-p", c.line("/mcp__review__" + c.prompt)}
		},
	},
	{
		urlFile: ".config/opencode/opencode.json", urlKey: "mcp", urlEntry: `{"type":"remote","url":"{url}","enabled":true}`,
		name: "opencode", title: "opencode", npm: "opencode-ai", folder: "node",
		program: "opencode-{platform}/bin/opencode",
		env:     "OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_LSP_DOWNLOAD=1",
		files: map[string]string{".config/opencode/opencode.json": `{"$schema":"https://opencode.ai/config.json","model":"mock/mock",` +
			`"provider":{"mock":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"{model}/v1","apiKey":"x"},"models":{"mock":{"attachment":true,"modalities":{"input":["text","image","audio"],"output":["text"]}}}}}}`},
		say: func(c *testCase) []string {
			if c.tool != "" {
				return []string{"run", c.call("review_")}
			}
			return append([]string{"run", "--command", "review:" + notPlain.ReplaceAllString(c.prompt, "_")}, c.words...)
		},
	},
	{
		urlCommand: "mcp add review --url {url}",
		name:       "codex", title: "Codex", npm: "@openai/codex", folder: "node", noPrompts: true,
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
		boilerplate: regexp.MustCompile(`(?s)<environment_context>.*</environment_context>`),
		noise:       regexp.MustCompile(`(?s)^.*?\n--------\n.*?\n--------\n`),
		say: func(c *testCase) []string {
			return []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", c.call("")}
		},
	},
	{
		urlFile: ".copilot/mcp-config.json", urlKey: "mcpServers", urlEntry: `{"type":"http","url":"{url}","tools":["*"]}`,
		name: "copilot", title: "Copilot CLI", npm: "@github/copilot", folder: "node", noPrompts: true,
		program: "@github/copilot-{platform}/copilot", command: "copilot",
		env:         "COPILOT_PROVIDER_BASE_URL={model}/v1 COPILOT_MODEL=mock COPILOT_PROVIDER_API_KEY=x COPILOT_AUTO_UPDATE=false",
		boilerplate: regexp.MustCompile(`(?s)<current_datetime>.*?</current_datetime>`), listsAgain: true,
		noise: regexp.MustCompile(`(?s)\nChanges  .*`),
		say: func(c *testCase) []string {
			return []string{"-p", c.call("review-"), "--allow-all-tools", "--disable-builtin-mcps"}
		},
	},
}

// gemini shows its prompts in a terminal only.
var gemini = &host{
	urlFile: ".gemini/settings.json", urlKey: "mcpServers", urlEntry: `{"httpUrl":"{url}"}`,
	name: "gemini", title: "Gemini CLI", npm: "@google/gemini-cli", folder: "node",
	program: "@google/gemini-cli/bundle/gemini.js",
	// Gemini CLI starts no server in a folder that is not trusted.
	env:   "GOOGLE_GEMINI_BASE_URL={model} GEMINI_API_KEY=any GEMINI_CLI_TRUST_WORKSPACE=true",
	files: map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"disableAutoUpdate":true}}`},
}

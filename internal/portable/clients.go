package portable

// CheckedOn is the day on which the sources of [Rules] were read.
const CheckedOn = "2026-11-22"

const (
	geminiSource = "https://github.com/google-gemini/gemini-cli/blob/0164b7960b5b749659e35b6a4a03675438f6cb98/packages/cli/src/services/McpPromptLoader.ts"
	zedSource    = "https://github.com/zed-industries/zed/blob/0613651ce5f9530e2217b9c31ec9efef96882ccb/crates/assistant_slash_commands/src/context_server_command.rs"
)

// Rules are the limitations of clients, in the order of the clients' names. Clients
// change: to correct a rule, read the sources of the other rules again, and change
// CheckedOn.
var Rules = []Rule{
	{"Claude Code", oneWordValues, "splits the input at every space, even in quotes, so the words of a value become several arguments",
		"https://github.com/anthropics/claude-code/issues/70284"},
	{"Codex", noPrompts, "does not offer the prompts of a server",
		"https://github.com/openai/codex/issues/8342"},
	{"Continue", textOnly, "drops the message",
		"https://github.com/continuedev/continue/blob/18bac3fcb3cc6a36f19801e3e93deb58045b6964/core/commands/slash/mcpSlashCommand.ts"},
	{"Copilot CLI", noPrompts, "does not offer the prompts of a server",
		"https://github.com/github/copilot-cli/issues/505"},
	{"Gemini CLI", oneMessage, "sends only the first message", geminiSource},
	{"Gemini CLI", textOnly, "rejects the prompt if its first message is not text, and drops other messages", geminiSource},
	{"Gemini CLI", noSpaces, "replaces each space with a hyphen", geminiSource},
	{"goose", alternatingOnly, "stops with an error",
		"https://github.com/aaif-goose/goose/blob/fffba4e0ddb2d3adbb7075a1bbd395bce1548fca/crates/goose/src/agents/execute_commands.rs"},
	{"VS Code", plainNames, "replaces each other character with an underscore",
		"https://github.com/microsoft/vscode/blob/c7ab649915a6af28c5874ad8dd7cc4dcc7c06859/src/vs/workbench/contrib/mcp/common/mcpTypes.ts"},
	{"Zed", oneArgument, "does not offer the prompt",
		"https://github.com/zed-industries/zed/issues/21944"},
	{"Zed", userOnly, "rejects the prompt", zedSource},
	{"Zed", textOnly, "drops the message", zedSource},
}

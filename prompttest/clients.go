package prompttest

// limitation is a way in which a client cannot show a prompt.
type limitation int

const (
	noPrompts       limitation = iota // it has none at all
	oneArgument                       // more than one argument
	oneWordValues                     // values with a space in them, beside other arguments
	oneMessage                        // more than one message
	textOnly                          // content that is not text
	userOnly                          // a message of the assistant
	alternatingOnly                   // messages that are not the user's and the assistant's by turns
	noSpaces                          // a name with a space
	plainNames                        // a name with more than ASCII letters, digits and _ . -
)

// clientRule is what a client was seen to do.
type clientRule struct {
	client string
	cannot limitation
	effect string // what becomes of a prompt that has it
	source string // where that can be seen
	seen   string // the day on which it was looked at
}

// clientRules are what is known of clients, each from a source that anybody can
// read. Clients change: a rule that is wrong is to be mended here, with the day
// on which it was looked at.
var clientRules = []clientRule{
	{
		client: "Claude Code", cannot: oneWordValues,
		effect: "splits what is typed at every space, in quotes too, so a value of several words is spread over the arguments",
		source: "https://github.com/anthropics/claude-code/issues/70284",
		seen:   "2026-11-22",
	},
	{
		client: "Codex", cannot: noPrompts,
		effect: "does not offer the prompts of a server",
		source: "https://github.com/openai/codex/issues/8342",
		seen:   "2026-11-22",
	},
	{
		client: "Continue", cannot: textOnly,
		effect: "leaves the message out",
		source: "https://github.com/continuedev/continue/blob/18bac3fcb3cc6a36f19801e3e93deb58045b6964/core/commands/slash/mcpSlashCommand.ts",
		seen:   "2026-11-22",
	},
	{
		client: "Copilot CLI", cannot: noPrompts,
		effect: "does not offer the prompts of a server",
		source: "https://github.com/github/copilot-cli/issues/505",
		seen:   "2026-11-22",
	},
	{
		client: "Gemini CLI", cannot: oneMessage,
		effect: "sends the first message alone",
		source: "https://github.com/google-gemini/gemini-cli/blob/0164b7960b5b749659e35b6a4a03675438f6cb98/packages/cli/src/services/McpPromptLoader.ts",
		seen:   "2026-11-22",
	},
	{
		client: "Gemini CLI", cannot: textOnly,
		effect: "refuses the prompt if its first message is no text, and drops any other",
		source: "https://github.com/google-gemini/gemini-cli/blob/0164b7960b5b749659e35b6a4a03675438f6cb98/packages/cli/src/services/McpPromptLoader.ts",
		seen:   "2026-11-22",
	},
	{
		client: "Gemini CLI", cannot: noSpaces,
		effect: "offers it under another name, with a hyphen for the space",
		source: "https://github.com/google-gemini/gemini-cli/blob/0164b7960b5b749659e35b6a4a03675438f6cb98/packages/cli/src/services/McpPromptLoader.ts",
		seen:   "2026-11-22",
	},
	{
		client: "goose", cannot: alternatingOnly,
		effect: "stops there with an error",
		source: "https://github.com/aaif-goose/goose/blob/fffba4e0ddb2d3adbb7075a1bbd395bce1548fca/crates/goose/src/agents/execute_commands.rs",
		seen:   "2026-11-22",
	},
	{
		client: "VS Code", cannot: plainNames,
		effect: "offers it under another name, with an underscore for each such character",
		source: "https://github.com/microsoft/vscode/blob/c7ab649915a6af28c5874ad8dd7cc4dcc7c06859/src/vs/workbench/contrib/mcp/common/mcpTypes.ts",
		seen:   "2026-11-22",
	},
	{
		client: "Zed", cannot: oneArgument,
		effect: "does not offer the prompt",
		source: "https://github.com/zed-industries/zed/issues/21944",
		seen:   "2026-11-22",
	},
	{
		client: "Zed", cannot: userOnly,
		effect: "refuses the prompt",
		source: "https://github.com/zed-industries/zed/blob/0613651ce5f9530e2217b9c31ec9efef96882ccb/crates/assistant_slash_commands/src/context_server_command.rs",
		seen:   "2026-11-22",
	},
	{
		client: "Zed", cannot: textOnly,
		effect: "leaves the message out",
		source: "https://github.com/zed-industries/zed/blob/0613651ce5f9530e2217b9c31ec9efef96882ccb/crates/assistant_slash_commands/src/context_server_command.rs",
		seen:   "2026-11-22",
	},
}

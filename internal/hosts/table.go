package hosts

const (
	// runs has the tests that run hosts, and their results.
	runs = "https://github.com/mcp-prompts/prompts/blob/main/internal/interop/hosts"

	geminiSource = "https://github.com/google-gemini/gemini-cli/blob/0164b7960b5b749659e35b6a4a03675438f6cb98/packages/cli/src/services/McpPromptLoader.ts"
	kiloSource   = "https://github.com/Kilo-Org/kilocode/blob/002186d50ad4b569733b76b066f15a89fbd8a5cb/packages/opencode/src/session/prompt.ts"
	crushPrompts = "https://github.com/charmbracelet/crush/blob/37f36e93824e5c4f892e4a817f7f628e2682fe14/internal/agent/tools/mcp/prompts.go"
	crushTools   = "https://github.com/charmbracelet/crush/blob/37f36e93824e5c4f892e4a817f7f628e2682fe14/internal/agent/tools/mcp/tools.go"
	crushForm    = "https://github.com/charmbracelet/crush/blob/37f36e93824e5c4f892e4a817f7f628e2682fe14/internal/ui/dialog/arguments.go"
	kimiSource   = "https://github.com/MoonshotAI/kimi-code/blob/d723cc47ee43e5ca3c3c4ec2473f205d44acede2/packages/agent-core-v2/src/agent/toolResultTruncation/toolResultTruncationService.ts"
	kimiOutput   = "https://github.com/MoonshotAI/kimi-code/blob/d723cc47ee43e5ca3c3c4ec2473f205d44acede2/packages/agent-core-v2/src/agent/mcp/output.ts"
	piAdapter    = "https://www.npmjs.com/package/pi-mcp-adapter/v/2.36.0"
	qwenPackage  = "https://www.npmjs.com/package/@qwen-code/qwen-code/v/0.24.4"
	zedSource    = "https://github.com/zed-industries/zed/blob/0613651ce5f9530e2217b9c31ec9efef96882ccb/crates/assistant_slash_commands/src/context_server_command.rs"
)

// Table are the known hosts, in the order of their names. Hosts change: to correct a
// host, run it or read its sources again, and change Version and Seen.
var Table = []Host{
	{"Claude Code", []string{"claude-code"}, "2.1.332", "2026-11-28", []Limit{
		{OneWordValues, "splits the input at every space, even in quotes, and drops the words after the last argument; gets no argument as required if the server asks for arguments", runs + "/testdata/claude-code.golden"},
		{ToolBytes, "keeps 48 kB, and shows the beginning of a longer text and the name of a file with the rest", runs + "/testdata/claude-code.golden"},
	}},
	{"Cline", []string{"@cline/core"}, "3.0.65", "2026-11-28", []Limit{
		{NoPrompts, "does not offer the prompts of a server", runs + "/testdata/cline.golden"},
		{NoToolAudio, "shows the model the JSON of images, audio and links", runs + "/testdata/cline.golden"},
		{ToolBytes, "keeps 8,000 characters, and cuts the middle of a longer text", runs + "/testdata/cline.golden"},
	}},
	{"Codex", []string{"codex-mcp-client"}, "0.171.0", "2026-11-28", []Limit{
		{NoPrompts, "does not offer the prompts of a server", runs + "/testdata/codex.golden"},
		{NoToolAudio, "leaves out audio, and shows the model the JSON of links", runs + "/testdata/codex.golden"},
		{ToolBytes, "keeps 10 kB, and cuts the middle of a longer text", runs + "/testdata/codex.golden"},
		{StructuredOnly, "shows the model `structuredContent`, and the texts only without it", runs + "/testdata/codex.golden"},
	}},
	{"Continue", nil, "", "2026-11-22", []Limit{
		{TextOnly, "drops the message", "https://github.com/continuedev/continue/blob/18bac3fcb3cc6a36f19801e3e93deb58045b6964/core/commands/slash/mcpSlashCommand.ts"},
	}},
	{"Continue CLI", []string{"continue-cli-client"}, "1.5.47", "2026-11-28", []Limit{
		{NoPrompts, "does not offer the prompts of a server", runs + "/testdata/continue.golden"},
		{OnePage, "reads the first page of tools", runs + "/testdata/continue.golden"},
		{NoToolAudio, "shows the model the JSON of images, audio and links", runs + "/testdata/continue.golden"},
	}},
	{"Copilot CLI", []string{"copilot-cli"}, "1.0.102", "2026-11-28", []Limit{
		{NoPrompts, "does not offer the prompts of a server", runs + "/testdata/copilot.golden"},
		{NoToolAudio, "drops images, audio and links", runs + "/testdata/copilot.golden"},
		{JoinedTexts, "joins the texts without a separator", runs + "/testdata/copilot.golden"},
		{ToolBytes, "keeps 16 kB, and shows ten lines of a longer text and the name of a file with the rest", runs + "/testdata/copilot.golden"},
	}},
	{"Crush", []string{"crush"}, "0.90.0", "2026-11-28", []Limit{
		{TextOnly, "gets a line of text in place of the data", crushPrompts},
		{UserOnly, "gets one message of the user with all texts", crushPrompts},
		{OnePage, "reads the first page of prompts and of tools", crushPrompts},
		{NoEmptyServer, "shows no prompts after an error of `tools/list`, and gets an empty list", crushTools},
		{EmptyFields, "sends an empty string for an empty field, and gets the default", crushForm},
	}},
	{"Gemini CLI", []string{"gemini-cli-mcp-client"}, "0.61.0", "2026-11-28", []Limit{
		{OneMessage, "sends only the first message", runs + "/testdata/gemini.golden"},
		{TextOnly, "gets a line of text in place of the data", runs + "/testdata/gemini.golden"},
		{NamedOptional, "gives a value without the name of the argument to a required argument, or drops the value", runs + "/testdata/gemini.golden"},
		{NoSpaces, "replaces each space with a hyphen", geminiSource},
		{OnePage, "reads the first page of prompts and of tools", runs + "/testdata/gemini.golden"},
	}},
	{"goose", nil, "", "2026-11-22", []Limit{
		{AlternatingOnly, "stops with an error", "https://github.com/aaif-goose/goose/blob/fffba4e0ddb2d3adbb7075a1bbd395bce1548fca/crates/goose/src/agents/execute_commands.rs"},
	}},
	{"Kilo Code", []string{"kilo"}, "7.7.9", "2026-11-24", []Limit{
		{Placeholders, "users cannot use this prompt", runs + "/testdata/kilo.golden"},
		{HiddenErrors, "gets a message that says why the prompt cannot be used", runs + "/testdata/kilo.golden"},
		{Dollars, "gets a space after `$`, since Kilo Code puts words of the user in their place, or nothing", kiloSource},
		{Commands, "gets a space after `!`, since Kilo Code runs the command in a shell", kiloSource},
	}},
	{"Kimi Code", []string{"kimi-code"}, "2.1.0", "2026-11-28", []Limit{
		{NoPrompts, "does not offer the prompts of a server", kimiOutput},
		{NoToolLinks, "drops links", kimiOutput},
		{JoinedTexts, "joins the texts without a separator", kimiSource},
		{ToolBytes, "keeps 50,000 characters, and shows 2,000 of a longer text and the name of a file with the rest", kimiSource},
	}},
	{"opencode", []string{"opencode"}, "1.18.33", "2026-11-28", []Limit{
		{Placeholders, "users cannot use this prompt", runs + "/testdata/opencode.golden"},
		{HiddenErrors, "gets a message that says why the prompt cannot be used", runs + "/testdata/opencode.golden"},
		{NoDefaults, "uses an empty text", runs + "/testdata/opencode.golden"},
		{TextOnly, "gets a line of text in place of the data", runs + "/testdata/opencode.golden"},
		{UserOnly, "gets one message of the user with all texts", runs + "/testdata/opencode.golden"},
		{ToolBytes, "keeps 48 kB, and shows the beginning of a longer text and the name of a file with the rest", runs + "/testdata/opencode.golden"},
		{Dollars, "gets a space after `$`, since opencode puts words of the user in their place, or nothing", runs + "/testdata/opencode.golden"},
		{Commands, "gets a space after `!`, since opencode runs the command in a shell", runs + "/testdata/opencode.golden"},
		{PlainNames, "replaces each other character with an underscore", runs + "/testdata/opencode.golden"},
	}},
	{"pi", []string{"pi-mcp-*"}, "1.6.0", "2026-11-29", []Limit{
		{TextOnly, "gets a line of text in place of the data", piAdapter},
		{UserOnly, "gets one message of the user with all texts", piAdapter},
		{PlainNames, "replaces other characters with an underscore", piAdapter},
		{ToolBytes, "keeps 50 kB, and shows the beginning of a longer text and the name of a file with the rest", runs + "/testdata/pi.golden"},
	}},
	{"Qwen Code", []string{"qwen-cli-mcp-client-*"}, "0.24.4", "2026-11-29", []Limit{
		{OneMessage, "sends only the first message", runs + "/testdata/qwen.golden"},
		{TextOnly, "gets a line of text in place of the data", runs + "/testdata/qwen.golden"},
		{OnePage, "reads the first page of prompts", runs + "/testdata/qwen.golden"},
		{OwnNames, "runs its own command or skill in place of the prompt", qwenPackage},
	}},
	{"VS Code", nil, "", "2026-11-22", []Limit{
		{PlainNames, "replaces each other character with an underscore", "https://github.com/microsoft/vscode/blob/c7ab649915a6af28c5874ad8dd7cc4dcc7c06859/src/vs/workbench/contrib/mcp/common/mcpTypes.ts"},
	}},
	{"Zed", nil, "", "2026-11-22", []Limit{
		{OneArgument, "does not offer the prompt", "https://github.com/zed-industries/zed/issues/21944"},
		{UserOnly, "rejects the prompt", zedSource},
		{TextOnly, "drops the message", zedSource},
	}},
}

// ToolBytesOf are how many bytes of a tool's result a host with ToolBytes shows the model.
var ToolBytesOf = map[string]int{
	"Claude Code": 48_000,
	"Cline":       8_000,
	"Codex":       10_000,
	"Copilot CLI": 16_000,
	"Kimi Code":   50_000,
	"opencode":    48_000,
	"pi":          50_000,
}

// OwnNamesOf are the commands and skills of a host with OwnNames, separated by spaces.
var OwnNamesOf = map[string]string{"Qwen Code": "advisor agents approval-mode arena auth batch branch browser-use btw bug cd clear compress compress-fast computer-use config context coordinate copy curator dataviz delete diff directory docs doctor dream " +
	"editor effort export extension-creator extensions forget fork goal goal-draft help history hooks import-config init insight language learn loop lsp mcp memory model new-app output-style peers permissions plan qc-helper quit recap reload-plugins remember rename resume review rewind " +
	"settings setup-github simplify skills stats status statusline stuck summary tasks terminal-setup theme tools trust update vim voice workflow-authoring workflow-creator workflows zvec-grep-install"}

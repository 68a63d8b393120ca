package prompttools

import (
	"strings"

	"github.com/mcp-prompts/prompts"
)

// Content returns the content of a tool's result for the messages of a prompt. It is
// the default of Options.Content.
//
// The content of the messages becomes the content of the result, in order: texts,
// images, audio, resource links and embedded resources, with their annotations. A
// result of a tool has no roles. If all messages are the user's, the content is
// unchanged. Otherwise the prompt is a conversation, and each text begins with "User:"
// or "Assistant:", on a line of its own. Other content comes after such a line. A text
// before other content ends with a newline, because some clients join the texts.
func Content(messages []prompts.Message) []prompts.Content {
	isConversation := false
	for _, m := range messages {
		isConversation = isConversation || m.Role == prompts.RoleAssistant
	}
	content := make([]prompts.Content, 0, len(messages))
	for _, m := range messages {
		if !isConversation {
			content = append(content, m.Content)
			continue
		}
		speaker := "User:"
		if m.Role == prompts.RoleAssistant {
			speaker = "Assistant:"
		}
		if t, ok := m.Content.(*prompts.Text); ok && t != nil {
			own := *t
			own.Text = speaker + "\n" + t.Text
			content = append(content, &own)
			continue
		}
		content = append(content, &prompts.Text{Text: speaker}, m.Content)
	}
	for i := range len(content) - 1 {
		if t, ok := content[i].(*prompts.Text); ok && t != nil && !strings.HasSuffix(t.Text, "\n") {
			own := *t // the prompt's may be shared
			own.Text += "\n"
			content[i] = &own
		}
	}
	return content
}

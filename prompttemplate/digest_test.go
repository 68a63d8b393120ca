package prompttemplate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

// The digest changes with all that the result is made of, and with nothing else.
func TestDigest(t *testing.T) {
	t.Parallel()
	make := func(p prompts.Prompt, partials map[string]string, messages ...prompttemplate.Message) string {
		p.Name = "p"
		made, err := prompttemplate.New(p, prompttemplate.Options{Partials: partials}, messages...)
		require.NoError(t, err)
		require.NoError(t, new(prompts.Registry).Add(made))
		return made.Digest
	}
	who := map[string]string{"a": `{{template "b" .}}`, "b": "you", "unused": "x"}
	hello := prompttemplate.User(`Hello {{template "a" .}}`)
	image := func(data string) prompttemplate.Message {
		return prompttemplate.Message{Role: prompts.RoleUser, Content: &prompts.Image{Data: []byte(data), MIMEType: "image/png"}}
	}
	base := make(prompts.Prompt{}, who, hello, image("a"))
	assert.Equal(t, base, make(prompts.Prompt{}, who, hello, image("a")))
	assert.Equal(t, base, make(prompts.Prompt{}, map[string]string{"a": who["a"], "b": "you"}, hello, image("a")))
	seen := map[string]bool{base: true}
	for name, digest := range map[string]string{
		"message":     make(prompts.Prompt{}, who, prompttemplate.User(`Hi {{template "a" .}}`), image("a")),
		"role":        make(prompts.Prompt{}, who, prompttemplate.Assistant(hello.Text), image("a")),
		"content":     make(prompts.Prompt{}, who, hello, image("b")),
		"partial":     make(prompts.Prompt{}, map[string]string{"a": who["a"], "b": "me"}, hello, image("a")),
		"description": make(prompts.Prompt{Description: "d"}, who, hello, image("a")),
		"argument":    make(prompts.Prompt{Arguments: []prompts.Argument{{Name: "x", Enum: []string{"a"}}}}, who, prompttemplate.User(hello.Text+"{{.x}}"), image("a")),
		"enum":        make(prompts.Prompt{Arguments: []prompts.Argument{{Name: "x", Enum: []string{"a", "b"}}}}, who, prompttemplate.User(hello.Text+"{{.x}}"), image("a")),
	} {
		assert.False(t, seen[digest], name)
		seen[digest] = true
	}
	own := "sha256:" + base[len("sha256:")+1:] + "0"
	assert.Equal(t, own, make(prompts.Prompt{Digest: own}, who, hello))
}

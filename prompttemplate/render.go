package prompttemplate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/mcp-prompts/prompts"
)

// compiled is the messages of a prompt, ready to be executed. It is only read
// from then on.
type compiled struct {
	messages []message
}

// message is one message: content, or the template of a text.
type message struct {
	role     prompts.Role
	content  prompts.Content
	template *template.Template
	size     int // of its source
}

// compile makes of a set without faults what executes it.
func (s *set) compile() *compiled {
	all := template.New("").Funcs(s.funcs).Option("missingkey=zero")
	add := func(name string, t *text) *template.Template {
		completeList(t.tree.Root)
		return template.Must(all.AddParseTree(name, t.tree)) // nothing has been executed yet
	}
	for name, t := range s.partials {
		add(name, t)
	}
	c := &compiled{}
	for i, m := range s.messages {
		made := message{role: m.Role, content: m.Content}
		if t := s.texts[i]; t != nil {
			made.template, made.size = add(t.label, t), len(t.source)
		}
		c.messages = append(c.messages, made)
	}
	return c
}

// maxText is how many bytes the text of a message may have.
const maxText = 16 << 20

// output is the text of a message while it is written. It ends with the
// context, and at a size: a template can repeat itself as often as an argument
// says.
type output struct {
	ctx  context.Context
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	if o.ctx.Err() != nil {
		return 0, context.Cause(o.ctx)
	}
	if o.text.Len()+len(p) > maxText {
		return 0, fmt.Errorf("the text has more than %d bytes", maxText)
	}
	return o.text.Write(p)
}

// render executes the messages.
func (c *compiled) render(ctx context.Context, data any) (*prompts.Result, error) {
	r := &prompts.Result{Messages: make([]prompts.Message, len(c.messages))}
	for i, m := range c.messages {
		content := m.content
		if m.template != nil {
			b := output{ctx: ctx}
			b.text.Grow(m.size)
			if err := m.template.Execute(&b, data); err != nil {
				return nil, err // it says in which message and where
			}
			content = prompts.Text{Text: b.text.String()}
		}
		r.Messages[i] = prompts.Message{Role: m.role, Content: content}
	}
	return r, nil
}

// completeList makes every action that writes a value pass it through
// orEmpty.
func completeList(l *parse.ListNode) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			if len(n.Pipe.Decl) == 0 {
				n.Pipe.Cmds = append(slices.Clip(n.Pipe.Cmds), &parse.CommandNode{
					NodeType: parse.NodeCommand, Pos: n.Pos,
					Args: []parse.Node{parse.NewIdentifier(orEmpty).SetPos(n.Pos)},
				})
			}
		case *parse.IfNode:
			completeBranch(&n.BranchNode)
		case *parse.WithNode:
			completeBranch(&n.BranchNode)
		case *parse.RangeNode:
			completeBranch(&n.BranchNode)
		}
	}
}

func completeBranch(n *parse.BranchNode) {
	completeList(n.List)
	completeList(n.ElseList)
}

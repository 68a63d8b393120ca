// Package coverage records which blocks of templates are rendered. A context carries the
// [Coverage]: templates that are loaded with it have their blocks counted, and renderings
// with it are noted. Without one, templates are what they were.
package coverage

import (
	"context"
	"slices"
	"sync"
)

// Coverage is the blocks of templates, and which of them were rendered. Safe for concurrent use.
type Coverage struct {
	mu     sync.Mutex // protects the field below
	blocks []Block
}

// Block is a part of a template that a rendering may leave out.
type Block struct {
	// Prompt and Message are the prompt and the number of its message, from 1, or
	// Partial is the name of a partial.
	Prompt  string
	Message int
	Partial string
	// Text is the whole template of the message or the partial.
	Text string
	// Line is where the block begins in Text, from 1.
	Line int
	// Action begins the block, such as {{if .brief}}. It is empty for a whole partial.
	Action string
	// IsElse is set for what is rendered if the action does not apply.
	IsElse bool
	// IsRendered is set if the block has been rendered.
	IsRendered bool
}

type key struct{}

func With(ctx context.Context, c *Coverage) context.Context { return context.WithValue(ctx, key{}, c) }

func From(ctx context.Context) *Coverage {
	c, _ := ctx.Value(key{}).(*Coverage)
	return c
}

func (c *Coverage) Add(b Block) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.blocks = append(c.blocks, b)
	return len(c.blocks) - 1
}

// Hit notes that the block with a number is rendered. It does nothing for nil.
func (c *Coverage) Hit(number int) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.blocks[number].IsRendered = true
}

func (c *Coverage) Blocks() []Block {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.blocks)
}

package prompts

// known returns content that the revision knows: c, or what an author puts in
// its place (GAP-37). A link for which there is nothing else becomes a text
// when it is encoded.
func (e *encoder) known(c Content) Content {
	var lacks bool
	switch v := c.(type) {
	case *Audio:
		if v != nil {
			c, lacks = *v, !e.rev.Audio()
		}
	case Audio:
		lacks = !e.rev.Audio()
	case *ResourceLink:
		if v != nil {
			c, lacks = *v, !e.rev.ResourceLink()
		}
	case ResourceLink:
		lacks = !e.rev.ResourceLink()
	}
	if !lacks || e.fallback == nil {
		return c
	}
	if other := e.fallback(c, e.rev.String()); other != nil {
		return other
	}
	return c
}

// text says what a link says to those who know no links.
func (c *ResourceLink) text() string {
	name := c.Name
	if c.Title != "" {
		name = c.Title + " (" + c.Name + ")"
	}
	text := name + ": " + c.URI
	if c.Description != "" {
		text += "\n" + c.Description
	}
	return text
}

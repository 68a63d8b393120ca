package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/trial"
)

type diffRule struct {
	id         string
	isBreaking bool
	text       string
}

// diffRules are in the order of the documentation.
var diffRules = []diffRule{
	{"prompt-removed", true, "A prompt was removed: clients get an error for its name."},
	{"prompt-renamed", true, "A prompt has another name: clients get an error for the old name."},
	{"prompt-invalid", true, "A file has errors now: its prompt is not served."},
	{"argument-removed", true, "An argument was removed: its values are lost or rejected."},
	{"argument-added-required", true, "A required argument was added: requests without it are rejected."},
	{"argument-required", true, "An argument is required now: requests without it are rejected."},
	{"argument-order", true, "Arguments have another order: clients such as Claude Code pass values by position."},
	{"type-changed", true, "An argument has a type that does not accept all values of the old one."},
	{"enum-added", true, "An argument has a list of allowed values now."},
	{"enum-value-removed", true, "A value is not allowed any more."},
	{"limit-narrowed", true, "A limit allows fewer values: minimum, maximum, or a number of characters or elements."},
	{"pattern-changed", true, "An argument has another pattern, or has a pattern now."},
	{"format-changed", true, "An argument has another format, or has a format now."},
	{"prompt-added", false, "A prompt was added."},
	{"argument-added", false, "An optional argument was added behind the others."},
	{"argument-optional", false, "An argument is optional now."},
	{"type-widened", false, "An argument has a type that accepts all values of the old one, such as a string."},
	{"enum-removed", false, "An argument allows all values now."},
	{"enum-value-added", false, "One more value is allowed."},
	{"limit-widened", false, "A limit allows more values."},
	{"pattern-removed", false, "An argument has no pattern any more."},
	{"format-removed", false, "An argument has no format any more."},
	{"default-changed", false, "The value of an absent argument is another one."},
	{"sensitive-changed", false, "An argument is sensitive now, or is not any more."},
	{"suggestions-changed", false, "Other values are offered. All values are accepted as before."},
	{"tags-changed", false, "The prompt has other tags: a filter of the server may show it to other clients."},
	{"text-changed", false, "A title, a description, icons, the version or other metadata changed."},
	{"messages-changed", false, "The text, the roles or the number of messages changed."},
}

type diffChange struct {
	Rule     string `json:"rule"`
	Breaking bool   `json:"breaking"`
	Key      string `json:"key"` // such as title, or argument "code": enum
	Old      string `json:"old,omitempty"`
	New      string `json:"new,omitempty"`
}

type changeList struct{ all []diffChange }

func (c *changeList) add(rule, key, old, new string) {
	i := slices.IndexFunc(diffRules, func(r diffRule) bool { return r.id == rule })
	c.all = append(c.all, diffChange{rule, diffRules[i].isBreaking, key, old, new})
}

func (c *changeList) texts(rule, key, old, new string) {
	if old != new {
		c.add(rule, key, old, new)
	}
}

func changesOf(a, b *prompts.Prompt) []diffChange {
	var c changeList
	if a.Name != b.Name {
		c.add("prompt-renamed", "name", a.Name, b.Name)
	}
	c.texts("text-changed", "title", a.Title, b.Title)
	c.texts("text-changed", "description", a.Description, b.Description)
	c.texts("text-changed", "version", a.Version, b.Version)
	c.texts("text-changed", "icons", asJSON(a.Icons), asJSON(b.Icons))
	c.texts("text-changed", "meta", asJSON(a.Meta), asJSON(b.Meta))
	c.texts("text-changed", "hints", yesNo(!a.DisableHints), yesNo(!b.DisableHints))
	c.texts("tags-changed", "tags", strings.Join(a.Tags, ", "), strings.Join(b.Tags, ", "))
	c.arguments(a, b)
	return c.all
}

func (c *changeList) arguments(from, to *prompts.Prompt) {
	a, b := from.Arguments, to.Arguments
	inA, inB := argumentsByName(a), argumentsByName(b)
	var before, after []string // the names of the old arguments that stay
	for i := range a {
		old := &a[i]
		now := inB[old.Name]
		if now == nil {
			c.add("argument-removed", argumentKey(old.Name, ""), describeArgument(old), "")
			continue
		}
		before = append(before, old.Name)
		c.argument(old, now)
	}
	last := -1 // the place of the last of them
	for i := range b {
		if inA[b[i].Name] != nil {
			after = append(after, b[i].Name)
			last = i
		}
	}
	isInserted := false
	for i := range b {
		now := &b[i]
		if inA[now.Name] != nil {
			continue
		}
		rule := "argument-added"
		if now.Required {
			rule = "argument-added-required"
		} else if i < last {
			isInserted = true
		}
		c.add(rule, argumentKey(now.Name, ""), "", describeArgument(now))
	}
	if !slices.Equal(before, after) || isInserted {
		c.add("argument-order", "arguments", strings.Join(trial.Names(from, false), ", "), strings.Join(trial.Names(to, false), ", "))
	}
}

func argumentsByName(list []prompts.Argument) map[string]*prompts.Argument {
	all := map[string]*prompts.Argument{}
	for i := range list {
		all[list[i].Name] = &list[i]
	}
	return all
}

func argumentKey(name, key string) string {
	if key == "" {
		return fmt.Sprintf("argument %q", name)
	}
	return fmt.Sprintf("argument %q: %s", name, key)
}

func describeArgument(a *prompts.Argument) string {
	text := typeOf(schema.Of(a.Schema))
	if a.Required {
		text += ", required"
	}
	return text
}

func (c *changeList) argument(a, b *prompts.Argument) {
	key := func(key string) string { return argumentKey(a.Name, key) }
	c.texts("text-changed", key("title"), a.Title, b.Title)
	c.texts("text-changed", key("description"), a.Description, b.Description)
	switch {
	case b.Required && !a.Required:
		c.add("argument-required", key("required"), "no", "yes")
	case a.Required && !b.Required:
		c.add("argument-optional", key("required"), "yes", "no")
	}
	c.texts("sensitive-changed", key("sensitive"), yesNo(a.Sensitive), yesNo(b.Sensitive))
	old, now := orEmpty(schema.Of(a.Schema)), orEmpty(schema.Of(b.Schema))
	c.texts("default-changed", key("default"), string(old.Default), string(now.Default))
	c.texts("suggestions-changed", key("complete"), completions(a), completions(b))
	c.schema(key, old, now)
}

func orEmpty(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil {
		return new(jsonschema.Schema)
	}
	return s
}

func (c *changeList) schema(key func(string) string, a, b *jsonschema.Schema) {
	before, after := typeOf(a), typeOf(b)
	switch {
	case before == after:
	case after == "string", before == "integer" && after == "number":
		c.add("type-widened", key("type"), before, after)
	default:
		c.add("type-changed", key("type"), before, after)
	}
	c.enum(key("enum value"), enumOf(a), enumOf(b))
	c.optional("pattern", key("pattern"), a.Pattern, b.Pattern)
	c.optional("format", key("format"), a.Format, b.Format)
	least := func(name string, a, b *float64) { c.limit(key(name), a, b, math.Inf(-1), 1) }
	most := func(name string, a, b *float64) { c.limit(key(name), a, b, math.Inf(1), -1) }
	least("minimum", a.Minimum, b.Minimum)
	most("maximum", a.Maximum, b.Maximum)
	least("minLength", number(a.MinLength), number(b.MinLength))
	most("maxLength", number(a.MaxLength), number(b.MaxLength))
	least("minItems", number(a.MinItems), number(b.MinItems))
	most("maxItems", number(a.MaxItems), number(b.MaxItems))
	if before == "array" && after == "array" {
		c.schema(func(name string) string { return key("items: " + name) }, orEmpty(a.Items), orEmpty(b.Items))
	}
}

// limit compares a limit that allows fewer values the greater it is, or, with sign -1, the smaller.
func (c *changeList) limit(key string, a, b *float64, none, sign float64) {
	before, after := none, none
	if a != nil {
		before = *a
	}
	if b != nil {
		after = *b
	}
	switch {
	case before == after:
	case (after-before)*sign > 0:
		c.add("limit-narrowed", key, asJSON(a), asJSON(b))
	default:
		c.add("limit-widened", key, asJSON(a), asJSON(b))
	}
}

func (c *changeList) optional(rule, key, a, b string) {
	switch {
	case a == b:
	case b == "":
		c.add(rule+"-removed", key, a, b)
	default:
		c.add(rule+"-changed", key, a, b)
	}
}

func (c *changeList) enum(key string, a, b []string) {
	switch {
	case a == nil && b == nil:
	case a == nil:
		c.add("enum-added", key, "", strings.Join(b, ", "))
	case b == nil:
		c.add("enum-removed", key, strings.Join(a, ", "), "")
	default:
		inA, inB := setOf(a), setOf(b)
		for _, value := range a {
			if !inB[value] {
				c.add("enum-value-removed", key, value, "")
			}
		}
		for _, value := range b {
			if !inA[value] {
				c.add("enum-value-added", key, "", value)
			}
		}
	}
}

func setOf(list []string) map[string]bool {
	set := map[string]bool{}
	for _, value := range list {
		set[value] = true
	}
	return set
}

func enumOf(s *jsonschema.Schema) []string {
	var values []string
	for _, v := range s.Enum {
		values = append(values, sample.Text(v))
	}
	return values
}

func typeOf(s *jsonschema.Schema) string { return cmp.Or(orEmpty(s).Type, "string") }

func number(n *int) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func completions(a *prompts.Argument) string {
	if a.Complete == nil {
		return ""
	}
	values, _ := a.Complete(context.Background(), "", nil) // with an error, none are offered
	return strings.Join(values, ", ")
}

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// config says what the server must offer. A check of something that is nil or
// empty is skipped.
type config struct {
	ExpectPrompts   []string     `json:"expectPrompts"`
	Gets            []get        `json:"gets"`
	Unknown         *get         `json:"unknown"`
	MissingArg      *get         `json:"missingArg"`
	Complete        *completion  `json:"complete"`
	CompleteUnknown *completion  `json:"completeUnknown"`
	Pagination      *pagination  `json:"pagination"`
	ListChanged     *listChanged `json:"listChanged"`
	MRTR            *mrtr        `json:"mrtr"`
	Progress        *progress    `json:"progress"`
	Cancel          *get         `json:"cancel"`
}

// get is a prompts/get and what it must answer.
type get struct {
	Name        string            `json:"name"`
	Args        map[string]string `json:"args"`
	ExpectText  string            `json:"expectText"`
	ExpectTypes []string          `json:"expectTypes"`
	ExpectRoles []string          `json:"expectRoles"`
	Codes       []int             `json:"codes"`
}

// completion is a completion/complete and what it must answer.
type completion struct {
	Ref struct {
		Type string `json:"type"`
		Name string `json:"name"`
		URI  string `json:"uri"`
	} `json:"ref"`
	Argument struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"argument"`
	Context *struct {
		Arguments map[string]string `json:"arguments"`
	} `json:"context"`
	ExpectContains []string `json:"expectContains"`
	ExpectAbsent   []string `json:"expectAbsent"`
	Codes          []int    `json:"codes"`
}

type pagination struct {
	MinPages       int    `json:"minPages"`
	BadCursor      string `json:"badCursor"`
	BadCursorCodes []int  `json:"badCursorCodes"`
}

// listChanged says how to make the server change its list.
type listChanged struct {
	Trigger struct {
		Kind string            `json:"kind"` // "prompt" or "tool"
		Name string            `json:"name"`
		Args map[string]string `json:"args"`
	} `json:"trigger"`
	TimeoutMs int `json:"timeoutMs"`
}

// progress is a prompt that reports its progress, at least Min times.
type progress struct {
	Name string            `json:"name"`
	Args map[string]string `json:"args"`
	Min  int               `json:"min"`
}

// mrtr is a prompt that asks the client for input, and the input.
type mrtr struct {
	Name       string            `json:"name"`
	Args       map[string]string `json:"args"`
	Content    map[string]any    `json:"content"`
	ExpectText string            `json:"expectText"`
}

// verify compares the answer to a get with what is expected.
func (g get) verify(m messages) error {
	switch {
	case len(m.types) == 0:
		return errors.New("no messages")
	case !strings.Contains(m.text, g.ExpectText):
		return fmt.Errorf("text not found in %q", m.text)
	case g.ExpectTypes != nil && !slices.Equal(g.ExpectTypes, m.types):
		return fmt.Errorf("types %v", m.types)
	case g.ExpectRoles != nil && !slices.Equal(g.ExpectRoles, m.roles):
		return fmt.Errorf("roles %v", m.roles)
	}
	return nil
}

// verify compares completed values with what is expected.
func (k completion) verify(values []string) error {
	if len(values) > 100 {
		return errors.New("more than 100 values")
	}
	for _, v := range k.ExpectContains {
		if !slices.Contains(values, v) {
			return fmt.Errorf("no %q in %v", v, values)
		}
	}
	for _, v := range k.ExpectAbsent {
		if slices.Contains(values, v) {
			return fmt.Errorf("unexpected %q", v)
		}
	}
	return nil
}

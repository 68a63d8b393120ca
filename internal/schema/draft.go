package schema

import (
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/phrase"
)

// This file rejects schemas of drafts that are not validated, and keywords of another
// draft than that of the schema, which would be ignored.

// drafts are the values of $schema, and whether they name draft 7. Without $schema, the draft is
// 2020-12, which MCP demands as the default. jsonschema-go knows both drafts as well.
var drafts = map[string]bool{
	"": false, "https://json-schema.org/draft/2020-12/schema": false,
	"http://json-schema.org/draft-07/schema#": true, "https://json-schema.org/draft-07/schema#": true,
}

// IsDraft7 reports whether the schema is one of draft 7.
// s must be the root: a schema inside has no $schema, see checkDraft.
func IsDraft7(s *jsonschema.Schema) bool { return drafts[s.Schema] }

// checkDraft checks the draft of the schema and of all schemas inside.
// The specification allows $schema inside of a schema only next to an $id.
func checkDraft(root *jsonschema.Schema) error {
	isDraft7, ok := drafts[root.Schema]
	if !ok {
		return fmt.Errorf("$schema must be https://json-schema.org/draft/2020-12/schema or http://json-schema.org/draft-07/schema#, got %q; remove $schema for draft 2020-12", phrase.Clip(root.Schema, 128))
	}
	for s := range all(root) {
		if s.Schema != "" && s != root {
			return errors.New("$schema inside of a schema is not supported; remove the inner $schema")
		}
		if err := checkKeywordsOfDraft(s, isDraft7); err != nil {
			return err
		}
	}
	return nil
}

// A validator ignores such a keyword, and the author would believe in a rule that is not there.
func checkKeywordsOfDraft(s *jsonschema.Schema, isDraft7 bool) error {
	ignored := func(keyword, draft, instead string) error {
		return fmt.Errorf("%s is ignored in draft %s; use %s", keyword, draft, instead)
	}
	_, isRecursive := s.Extra["$recursiveRef"]
	switch {
	case isRecursive:
		return errors.New("$recursiveRef is ignored in this draft; use $ref")
	case isDraft7 && s.PrefixItems != nil:
		return ignored("prefixItems", "7", "items with an array")
	case isDraft7 && s.DependentRequired != nil:
		return ignored("dependentRequired", "7", "dependencies")
	case isDraft7 && s.DependentSchemas != nil:
		return ignored("dependentSchemas", "7", "dependencies")
	case isDraft7:
		return nil
	case s.ItemsArray != nil:
		return ignored("items with an array", "2020-12", "prefixItems")
	case s.AdditionalItems != nil:
		return ignored("additionalItems", "2020-12", "items next to prefixItems")
	case s.DependencyStrings != nil:
		return ignored("dependencies", "2020-12", "dependentRequired")
	case s.DependencySchemas != nil:
		return ignored("dependencies", "2020-12", "dependentSchemas")
	}
	return nil
}

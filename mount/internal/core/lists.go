package core

import (
	"encoding/json"
	"errors"
)

// Walk passes each page of a list to read. call answers the method of the list.
func Walk(call func(params json.RawMessage) (json.RawMessage, error), read func(page json.RawMessage) error) error {
	params, last := json.RawMessage(`{}`), ""
	for {
		raw, err := call(params)
		if err != nil {
			return err
		}
		if err := read(raw); err != nil {
			return err
		}
		var page struct {
			NextCursor string `json:"nextCursor"`
		}
		if err := json.Unmarshal(raw, &page); err != nil || page.NextCursor == "" {
			return err
		}
		if page.NextCursor == last {
			return errors.New("nextCursor of a page is the cursor of the page")
		}
		last = page.NextCursor
		if params, err = json.Marshal(map[string]string{"cursor": last}); err != nil {
			return err
		}
	}
}

// ListTools returns the entries of all pages of tools/list as JSON, by name. call
// answers tools/list.
func ListTools(call func(params json.RawMessage) (json.RawMessage, error)) (map[string]string, error) {
	all := map[string]string{}
	err := Walk(call, func(raw json.RawMessage) error {
		var page struct {
			Tools []json.RawMessage `json:"tools"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return err
		}
		for _, entry := range page.Tools {
			var tool struct {
				Name string `json:"name"`
			}
			if err := json.Unmarshal(entry, &tool); err != nil {
				return err
			}
			all[tool.Name] = string(entry)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// ReadPrompts returns the entries of a page of prompts/list in the type of an SDK. read gets
// the JSON of an entry, and the entry's _meta, with the digits of numbers unchanged.
func ReadPrompts[P any](page json.RawMessage, read func(entry json.RawMessage, meta map[string]any) (P, error)) ([]P, error) {
	var list struct {
		Prompts []json.RawMessage `json:"prompts"`
	}
	if err := json.Unmarshal(page, &list); err != nil {
		return nil, err
	}
	all := make([]P, len(list.Prompts))
	for i, entry := range list.Prompts {
		meta, err := ReadMeta(entry)
		if err != nil {
			return nil, err
		}
		if all[i], err = read(entry, meta); err != nil {
			return nil, err
		}
	}
	return all, nil
}

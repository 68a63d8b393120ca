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

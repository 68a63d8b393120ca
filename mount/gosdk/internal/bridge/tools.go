package bridge

import "encoding/json"

// ListTools returns the entries of all pages of tools/list as JSON, by name. call
// answers tools/list.
func ListTools(call func(params json.RawMessage) (json.RawMessage, error)) (map[string]string, error) {
	all := map[string]string{}
	for params := json.RawMessage(`{}`); ; {
		raw, err := call(params)
		if err != nil {
			return nil, err
		}
		var page struct {
			Tools      []json.RawMessage `json:"tools"`
			NextCursor string            `json:"nextCursor"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return nil, err
		}
		for _, entry := range page.Tools {
			var tool struct {
				Name string `json:"name"`
			}
			if err := json.Unmarshal(entry, &tool); err != nil {
				return nil, err
			}
			all[tool.Name] = string(entry)
		}
		if page.NextCursor == "" {
			return all, nil
		}
		if params, err = json.Marshal(map[string]string{"cursor": page.NextCursor}); err != nil {
			return nil, err
		}
	}
}

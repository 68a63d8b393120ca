package promptfs

import (
	"encoding/json"
	"strings"
)

// list is the template function that makes a list of the text of an argument:
// a JSON array, else what stands between commas. An element that is no text
// is its JSON.
func list(text string) []string {
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		var raw []json.RawMessage
		if json.Unmarshal([]byte(text), &raw) == nil {
			elements := make([]string, len(raw))
			for i, r := range raw {
				if json.Unmarshal(r, &elements[i]) != nil {
					elements[i] = string(r)
				}
			}
			return elements
		}
	}
	var elements []string
	for element := range strings.SplitSeq(text, ",") {
		if element = strings.TrimSpace(element); element != "" {
			elements = append(elements, element)
		}
	}
	return elements
}

package main

import (
	"fmt"
	"regexp"
	"strconv"
)

// id names a row.
type id struct {
	group  string
	number int
}

func (i id) String() string { return fmt.Sprintf("%s-%02d", i.group, i.number) }

// upTo returns the ids from i to last.
func (i id) upTo(last id) ([]id, error) {
	if i.group != last.group || i.number >= last.number {
		return nil, fmt.Errorf("%v to %v is no range", i, last)
	}
	var ids []id
	for n := i.number; n <= last.number; n++ {
		ids = append(ids, id{i.group, n})
	}
	return ids, nil
}

// reference matches an id or a range of them. After "to" the end has to be an
// id, as a number might be the text's own; there may be a line break of a
// comment before or after it.
var reference = regexp.MustCompile(`\b([A-Z]{3})-(\d\d)(?:(?:(?:…|\.{2,3}|–|-)(?:([A-Z]{3})-)?` +
	`|(?:\s+//)?\s+to(?:\s+//)?\s+([A-Z]{3})-)(\d\d))?\b`)

// notIDs look like ids and are none.
var notIDs = map[string]bool{"UTF-16": true, "UTF-32": true}

// mention is a place in a text that names one id or, as a range, several.
type mention struct {
	offset int
	ids    []id
	err    error // what is wrong with the range
}

// mentions finds all ids in a text.
func mentions(text string) []mention {
	var found []mention
	for _, m := range reference.FindAllStringSubmatchIndex(text, -1) {
		group := func(n int) string {
			if m[2*n] < 0 {
				return ""
			}
			return text[m[2*n]:m[2*n+1]]
		}
		if notIDs[text[m[0]:m[1]]] {
			continue
		}
		first := parseID(group(1), group(2))
		if group(5) == "" {
			found = append(found, mention{m[0], []id{first}, nil})
			continue
		}
		lastGroup := group(3) + group(4) // one of them, or the first id's
		if lastGroup == "" {
			lastGroup = first.group
		}
		ids, err := first.upTo(parseID(lastGroup, group(5)))
		found = append(found, mention{m[0], ids, err})
	}
	return found
}

func parseID(group, digits string) id {
	n, err := strconv.Atoi(digits)
	if err != nil {
		panic(err) // the regular expressions let digits through and nothing else
	}
	return id{group, n}
}

package argument

import (
	"math"
	"slices"
	"strconv"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file lists what completion offers for a schema. The lists are made from the compiled
// schema, so that the compiler can name them before there is any text to complete.

// A member whose schema is false is declared only to be forbidden.
func (s *subschema) namesToComplete() []string {
	return slices.DeleteFunc(slices.Clone(s.names), func(name string) bool { return s.members[name].isFalse })
}

// valuesToComplete returns values if they are few: a string as its text, others as JSON. Other
// keywords may still reject a candidate, which validation reports when the text is sent.
func (s *subschema) valuesToComplete() []string {
	if s.rules.enum != nil {
		texts := make([]string, len(s.rules.enum))
		for i, v := range s.rules.enum {
			if text, ok := v.(string); ok {
				texts[i] = text
			} else {
				texts[i] = jsonenc.Text(v)
			}
		}
		return texts
	}
	var texts []string
	if s.kinds>>strictjson.Bool&1 == 1 {
		texts = append(texts, "true", "false")
	}
	if s.isIntegral {
		texts = append(texts, slices.DeleteFunc(s.rules.integers(), func(text string) bool {
			return !s.rules.fits(instance{kind: strictjson.Number, text: text}.number())
		})...)
	}
	// Null alone is no reason to offer values: a string that may be null has no candidates.
	if s.kinds>>strictjson.Null&1 == 1 && texts != nil {
		texts = append(texts, "null")
	}
	return texts
}

// 101 lets percentages from 0 to 100 be completed. More than 100 values do not fit
// into one response of the protocol.
const maxIntegers = 101

// Beyond exactFloat, adding 1 to a float64 may not change it, so bounds there give no list.
func (r *rules) integers() []string {
	low, high := r.between()
	if math.IsInf(low, 0) || math.IsInf(high, 0) || high-low >= maxIntegers || low < -exactFloat || high > exactFloat {
		return nil
	}
	var texts []string
	for n := int64(low); n <= int64(high); n++ {
		texts = append(texts, strconv.FormatInt(n, 10))
	}
	return texts
}

package sample

import (
	"regexp"
	"regexp/syntax"
	"slices"
)

// matches returns some texts that match a pattern, as far as they can be made of it: the
// simplest ones, and then ones of several characters. There are none for what is too hard.
func matches(pattern string) []string {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	whole, err := regexp.Compile(pattern)
	if err != nil {
		return nil
	}
	var all []string
	for variant := range variants + 2 {
		text := string(grow(nil, tree.Simplify(), variant))
		if whole.MatchString(text) && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// variants is the number of the simplest texts. Two more repeat characters.
const variants = 4

// grownRunes is how long such a text becomes.
const grownRunes = 1 << 16

// grow appends a text that the tree matches. The variant decides where there is a choice.
func grow(text []rune, re *syntax.Regexp, variant int) []rune {
	if len(text) > grownRunes {
		return text
	}
	switch re.Op {
	case syntax.OpLiteral:
		return append(text, re.Rune...)
	case syntax.OpCharClass:
		return append(text, pick(re.Rune, variant))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return append(text, 'a'+rune(variant%26))
	case syntax.OpPlus, syntax.OpStar:
		if re.Op == syntax.OpStar && variant%2 == 0 {
			return text
		}
		if variant < variants || re.Sub[0].Op != syntax.OpCharClass && re.Sub[0].Op != syntax.OpAnyCharNotNL {
			return grow(text, re.Sub[0], variant)
		}
		for i := range 8 {
			text = grow(text, re.Sub[0], variant+i)
		}
		return text
	case syntax.OpQuest:
		if variant%2 == 0 {
			return text
		}
		return grow(text, re.Sub[0], variant)
	case syntax.OpCapture:
		return grow(text, re.Sub[0], variant)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			text = grow(text, sub, variant)
		}
		return text
	case syntax.OpAlternate:
		return grow(text, re.Sub[variant%len(re.Sub)], variant)
	}
	return text // what stands for a place takes no room, and there are no counts once it is simplified
}

// pick returns a character of a class, letters and digits first.
func pick(ranges []rune, variant int) rune {
	var plain []rune
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := max(ranges[i], '0'); r <= min(ranges[i+1], 'z'); r++ {
			if r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r {
				plain = append(plain, r)
			}
		}
	}
	switch {
	case len(plain) > 0:
		return plain[variant*len(plain)/variants%len(plain)]
	case len(ranges) > 1:
		return ranges[variant*2%len(ranges)] // the beginning of one of them
	}
	return 'x'
}

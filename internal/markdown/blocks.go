package markdown

import "strings"

type Block struct {
	Fence, Language string
	Content         string // in whole lines
	Begin, End      int    // the offsets of the block with its fences
	IsOpen          bool   // the text ends before the block
}

// Blocks returns the fenced code blocks of a text, in order. As in CommonMark, a line that
// begins with backquotes and has more of them later is no fence.
func Blocks(text string) []Block {
	var all []Block
	var open *Block
	begin, at := 0, 0 // of the content and of the line
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		fence := fenceOf(bare)
		rest := strings.TrimSpace(bare[len(fence):])
		switch {
		case open == nil && fence != "":
			all = append(all, Block{Fence: fence, Language: strings.ToLower(rest), Begin: at, End: len(text), IsOpen: true})
			open, begin = &all[len(all)-1], at+len(line)
		case open != nil && rest == "" && len(fence) >= len(open.Fence) && fence[0] == open.Fence[0]:
			open.End, open.IsOpen, open.Content = at+len(line), false, text[begin:at]
			open = nil
		}
		at += len(line)
	}
	if open != nil {
		open.Content = text[begin:]
	}
	return all
}

func fenceOf(line string) string {
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, mark)
		if n := len(line) - len(rest); n >= 3 && (mark == "~" || !strings.Contains(rest, mark)) {
			return line[:n]
		}
	}
	return ""
}

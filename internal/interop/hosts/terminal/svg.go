package terminal

import (
	"fmt"
	"html"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Theme is how a picture maps the colors of a terminal.
type Theme struct {
	Name                   string
	foreground, background string
	palette                [16]string
	// isLight turns the lightness of every other color around: the programs choose
	// those for a dark terminal.
	isLight bool
}

// Dark and Light are the themes of the documentation.
var (
	Dark = Theme{Name: "dark", foreground: "#d0d7de", background: "#0d1117", palette: [16]string{
		"#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4",
		"#6e7681", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#f0f6fc",
	}}
	Light = Theme{Name: "light", isLight: true, foreground: "#1f2328", background: "#ffffff", palette: [16]string{
		"#24292f", "#cf222e", "#116329", "#4d2d00", "#0969da", "#8250df", "#1b7c83", "#6e7781",
		"#57606a", "#a40e26", "#1a7f37", "#633c01", "#218bff", "#a475f9", "#3192aa", "#24292f",
	}}
)

// Sizes of a character in pixels.
const (
	charWidth  = 8.4
	lineHeight = 18
	margin     = 12
)

// style is how a piece of text looks.
type style struct {
	fg, bg                    string
	bold, dim, italic, invert bool
}

var sgr = regexp.MustCompile("\x1b\\[([0-9;:]*)m|\x1b\\]8;[^\x1b]*\x1b\\\\|\x1b[()][0-9A-B]|\x0e|\x0f")

// SVG draws lines of a screen, with one empty line for several. It draws only text and
// rectangles, and so is safe in a page.
func (th *Theme) SVG(colored, title string, columns int) string {
	isEmpty := func(line string) bool { return strings.TrimSpace(sgr.ReplaceAllString(line, "")) == "" }
	lines := slices.CompactFunc(strings.Split(colored, "\n"), func(a, b string) bool { return isEmpty(a) && isEmpty(b) })
	if len(lines) > 0 && isEmpty(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	var body strings.Builder
	var now style
	for y, line := range lines {
		x, rest := 0, line
		for rest != "" {
			found := sgr.FindStringSubmatchIndex(rest)
			text := rest
			if found != nil {
				text = rest[:found[0]]
			}
			x += th.draw(&body, &now, x, y, text)
			if found == nil {
				break
			}
			if found[2] >= 0 {
				now.apply(th, rest[found[2]:found[3]])
			}
			rest = rest[found[1]:]
		}
	}
	width, height := int(math.Ceil(float64(columns)*charWidth))+2*margin, len(lines)*lineHeight+2*margin
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="14"><title>%s</title><rect width="100%%" height="100%%" rx="8" fill="%s"/>%s</svg>`+"\n",
		width, height, width, height, html.EscapeString(title), th.background, body.String())
}

// draw draws a text, and returns its width in characters.
func (th *Theme) draw(out *strings.Builder, s *style, x, y int, text string) int {
	n := 0
	for _, r := range text {
		n += runeWidth(r)
	}
	fg, bg := s.fg, s.bg
	if fg == "" {
		fg = th.foreground
	}
	if s.invert {
		if bg == "" {
			bg = th.background
		}
		fg, bg = bg, fg
	}
	left, top := margin+float64(x)*charWidth, margin+y*lineHeight
	if bg != "" {
		fmt.Fprintf(out, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`, left, top, float64(n)*charWidth, lineHeight, bg)
	}
	if strings.TrimSpace(text) == "" {
		return n
	}
	attributes := ""
	if s.bold {
		attributes += ` font-weight="bold"`
	}
	if s.italic {
		attributes += ` font-style="italic"`
	}
	if s.dim {
		attributes += ` opacity=".65"`
	}
	trimmed := strings.TrimLeft(text, " ")
	left += float64(len(text)-len(trimmed)) * charWidth
	trimmed = strings.TrimRight(trimmed, " ")
	n2 := 0
	for _, r := range trimmed {
		n2 += runeWidth(r)
	}
	fmt.Fprintf(out, `<text x="%.1f" y="%d" fill="%s" textLength="%.1f" lengthAdjust="spacingAndGlyphs"%s xml:space="preserve">%s</text>`,
		left, top+13, fg, float64(n2)*charWidth, attributes, html.EscapeString(trimmed))
	return n
}

// runeWidth is the width of a character: two for East Asian characters and emoji.
func runeWidth(r rune) int {
	switch {
	case r == 0xfe0f, r == 0x200d:
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe4f, r >= 0xff00 && r <= 0xff60,
		r >= 0x1f300 && r <= 0x1faff:
		return 2
	}
	return 1
}

// apply applies the numbers of a control sequence "select graphic rendition".
func (s *style) apply(th *Theme, numbers string) {
	var codes []int
	for f := range strings.FieldsFuncSeq(numbers, func(r rune) bool { return r == ';' || r == ':' }) {
		n, _ := strconv.Atoi(f)
		codes = append(codes, n)
	}
	if len(codes) == 0 {
		codes = []int{0}
	}
	for i := 0; i < len(codes); i++ {
		switch c := codes[i]; {
		case c == 0:
			*s = style{}
		case c == 1:
			s.bold = true
		case c == 2:
			s.dim = true
		case c == 3:
			s.italic = true
		case c == 22:
			s.bold, s.dim = false, false
		case c == 23:
			s.italic = false
		case c == 7:
			s.invert = true
		case c == 27:
			s.invert = false
		case c >= 30 && c <= 37:
			s.fg = th.palette[c-30]
		case c >= 90 && c <= 97:
			s.fg = th.palette[c-90+8]
		case c >= 40 && c <= 47:
			s.bg = th.palette[c-40]
		case c >= 100 && c <= 107:
			s.bg = th.palette[c-100+8]
		case c == 39:
			s.fg = ""
		case c == 49:
			s.bg = ""
		case c == 38 || c == 48:
			color, used := th.color(codes[i+1:])
			i += used
			if c == 38 {
				s.fg = color
			} else {
				s.bg = color
			}
		}
	}
}

// color returns the color of 5;n or 2;r;g;b, and how many numbers there were.
func (th *Theme) color(codes []int) (string, int) {
	if len(codes) >= 2 && codes[0] == 5 {
		n := codes[1]
		switch {
		case n < 16:
			return th.palette[n], 2
		case n < 232:
			levels := [6]int{0, 95, 135, 175, 215, 255}
			n -= 16
			return th.rgb(levels[n/36], levels[n/6%6], levels[n%6]), 2
		}
		gray := 8 + (n-232)*10
		return th.rgb(gray, gray, gray), 2
	}
	if len(codes) >= 4 && codes[0] == 2 {
		return th.rgb(codes[1], codes[2], codes[3]), 4
	}
	return "", len(codes)
}

// rgb returns a color. In a light theme its lightness is turned around, and its hue stays.
func (th *Theme) rgb(r, g, b int) string {
	if th.isLight {
		turn := 255 - max(r, g, b) - min(r, g, b)
		r, g, b = r+turn, g+turn, b+turn
	}
	return fmt.Sprintf("#%02x%02x%02x", min(max(r, 0), 255), min(max(g, 0), 255), min(max(b, 0), 255))
}

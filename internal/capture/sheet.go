package capture

import (
	"regexp"
	"strconv"
	"strings"
)

// nothing is the address that replaces one that stays out. The declaration around it remains valid.
const nothing = "data:,"

// requesting are the functions whose strings are addresses.
var requesting = map[string]bool{"url": true, "src": true, "image": true, "image-set": true, "-webkit-image-set": true, "cross-fade": true,
	"-webkit-cross-fade": true}

// sheet rewrites style sheets, so that they contain no address that would be requested.
type sheet struct {
	// embed returns the data: address for a reference, or "".
	embed func(k kind, reference string) string
	// insert writes the style sheet of an @import. If it is nil, there are no imports.
	insert func(i importRule)
	// shows reports whether the page has a character of a unicode-range.
	shows func(ranges string) bool

	out strings.Builder
}

// importRule is an @import.
type importRule struct {
	reference              string
	media, layer, supports string
	layered                bool
}

// rules returns a style sheet without references to other files.
func rules(text string) string { return apart().rewritten(text, true) }

// declarations is like rules for declarations, as in an attribute.
func declarations(text string) string { return apart().rewritten(text, false) }

// apart returns a sheet that keeps only images in data: addresses.
func apart() *sheet {
	return &sheet{embed: func(k kind, reference string) string {
		p := &part{kind: k}
		if !isData(reference) {
			return ""
		}
		_, _, body, ok := decodeData(reference)
		if !ok || p.fill("", "", body, maxDrawings) != nil {
			return ""
		}
		return p.data
	}}
}

func (s *sheet) rewritten(text string, top bool) string {
	s.write(text, top)
	return s.out.String()
}

// write writes a style sheet, or declarations, and closes all blocks and brackets that are still open at the end.
func (s *sheet) write(text string, top bool) {
	text = source(text)
	var open nesting
	imports := top
	for at := 0; at < len(text); {
		t := next(text, at)
		at = t.end
		inside := open.function()
		belongs := open.count(text, t)
		switch {
		case t.kind == commentToken:
			s.out.WriteString("/**/")
		case t.kind == urlToken:
			s.out.WriteString("url(" + s.address(t.value) + ")")
		case t.kind == stringToken && requesting[inside]:
			s.out.WriteString(s.address(t.value))
		case t.kind == stringToken && at == len(text):
			s.out.WriteString(quote(t.value))
		case t.kind == atToken && top:
			at = s.rule(t, text, &imports, len(open))
		case t.kind == closeToken && !belongs && text[t.start] == '}' && len(open) == 0:
			// It would end the block around an imported style sheet.
		default:
			if t.kind == openToken && text[t.start] == '{' {
				imports = false
			}
			s.out.WriteString(text[t.start:t.end])
		}
	}
	for i := len(open) - 1; i >= 0; i-- {
		s.out.WriteByte(open[i].closer)
	}
}

// address returns an address for the file, quoted. References to the page itself stay.
func (s *sheet) address(reference string) string {
	reference = strings.TrimSpace(reference)
	if strings.HasPrefix(reference, "#") {
		return quote(reference)
	}
	data := ""
	if reference != "" { // which would mean the style sheet itself
		data = s.embed(imagePart, reference)
	}
	if data == "" {
		return quote(nothing)
	}
	if _, fragment, ok := strings.Cut(reference, "#"); ok && !isData(reference) {
		data += "#" + fragment
	}
	return quote(data)
}

// rule handles an at-rule that contains addresses, and returns where the text after it begins.
func (s *sheet) rule(t token, text string, imports *bool, depth int) int {
	switch t.value {
	case "charset":
		end, _ := statement(text, t.end)
		return end
	case "import":
		end, prelude := statement(text, t.end)
		if i, ok := parseImport(prelude); ok && *imports && depth == 0 && s.insert != nil {
			i.media, i.supports = declarations(i.media), declarations(i.supports)
			s.insert(i)
		}
		return end
	case "namespace":
		*imports = false
		end, prelude := statement(text, t.end)
		s.namespace(prelude)
		return end
	case "font-face":
		*imports = false
		if end, body, ok := block(text, t.end); ok {
			s.face(body)
			return end
		}
	case "layer": // may be before imports
	default:
		*imports = false
	}
	s.out.WriteString(text[t.start:t.end])
	return t.end
}

// statement returns the text of an at-rule up to its semicolon or block, and where the text after it begins.
func statement(text string, at int) (end int, prelude string) {
	var open nesting
	for i := at; i < len(text); {
		t := next(text, i)
		i = t.end
		switch {
		case len(open) > 0:
		case text[t.start] == ';':
			return t.end, text[at:t.start]
		case text[t.start] == '}': // the end of the block around the rule
			return t.start, text[at:t.start]
		case text[t.start] == '{':
			end, _, _ := block(text, t.start)
			return end, ""
		}
		open.count(text, t)
	}
	return len(text), text[at:]
}

// block returns the content of the block at a position, which may follow white space and comments, and where it ends.
func block(text string, at int) (end int, body string, ok bool) {
	var open nesting
	begin := -1
	for i := at; i < len(text); {
		t := next(text, i)
		i = t.end
		if begin < 0 {
			switch {
			case text[t.start] == '{':
				begin = t.end
			case t.kind != commentToken && !isSpace(text[t.start]):
				return at, "", false
			}
		}
		open.count(text, t)
		if begin >= 0 && len(open) == 0 {
			return t.end, text[begin:t.start], true
		}
	}
	if begin < 0 {
		return at, "", false
	}
	return len(text), text[begin:], true
}

// namespace writes an @namespace with its address as a string, since it is only a name.
func (s *sheet) namespace(prelude string) {
	prefix, address := "", ""
	for at := 0; at < len(prelude); {
		t := next(prelude, at)
		at = t.end
		switch {
		case t.kind == urlToken, t.kind == stringToken:
			address = t.value
		case t.kind == otherToken && isName(prelude[t.start]):
			prefix = prelude[t.start:t.end]
		}
	}
	s.out.WriteString("@namespace " + prefix + " " + quote(address) + ";")
}

// parseImport parses what follows @import.
func parseImport(prelude string) (i importRule, ok bool) {
	at := 0
	for at < len(prelude) && !ok {
		t := next(prelude, at)
		at = t.end
		switch t.kind {
		case urlToken, stringToken:
			i.reference, ok = t.value, true
		case functionToken, commentToken:
		default:
			if !isSpace(prelude[t.start]) {
				return i, false
			}
		}
		if ok && t.kind == stringToken { // the parenthesis of url("…")
			if rest := strings.TrimLeft(prelude[at:], " \t\n"); strings.HasPrefix(rest, ")") {
				at = len(prelude) - len(rest) + 1
			}
		}
	}
	rest := strings.TrimSpace(prelude[at:])
	if name, end := identifier(rest, 0); strings.EqualFold(name, "layer") {
		i.layered = true
		i.layer, rest = argument(rest, end)
	}
	if name, end := identifier(rest, 0); strings.EqualFold(name, "supports") {
		i.supports, rest = argument(rest, end)
	}
	i.media = rest
	return i, ok && i.reference != ""
}

// argument returns the argument of a function whose name ends at a position, and the text after it.
func argument(text string, at int) (value, rest string) {
	if at == len(text) || text[at] != '(' {
		return "", strings.TrimSpace(text[at:])
	}
	var open nesting
	for i := at; i < len(text); {
		t := next(text, i)
		i = t.end
		open.count(text, t)
		if len(open) == 0 {
			return strings.TrimSpace(text[at+1 : t.start]), strings.TrimSpace(text[t.end:])
		}
	}
	return strings.TrimSpace(text[at+1:]), ""
}

// wrap returns the beginning and the end of the blocks around an imported style sheet.
func (i importRule) wrap() (begin, end string) {
	if i.media != "" {
		begin, end = begin+"@media "+i.media+"{", "}"+end
	}
	if i.supports != "" {
		begin, end = begin+"@supports ("+i.supports+"){", "}"+end
	}
	if i.layered {
		begin, end = begin+"@layer "+i.layer+"{", "}"+end
	}
	return begin, end
}

// ranks orders the formats of fonts. All browsers that support the first one prefer it.
var ranks = map[string]int{"woff2": 4, "woff2-variations": 4, "woff": 3, "woff-variations": 3, "truetype": 2, "opentype": 2,
	"truetype-variations": 2, "opentype-variations": 2, "": 1}

// face writes an @font-face with one file, unless the page shows none of its characters.
func (s *sheet) face(body string) {
	var kept []string
	address := ""
	var locals []string
	best := 0
	for _, declaration := range split(body, ';') {
		name, value, _ := strings.Cut(declaration, ":")
		switch strings.ToLower(strings.TrimSpace(uncommented(name))) {
		case "":
		case "unicode-range":
			if s.shows != nil && !s.shows(value) {
				return
			}
			kept = append(kept, declaration)
		case "src":
			locals, best = nil, 0
			for _, source := range split(value, ',') {
				reference, format := fontSource(source)
				switch rank := ranks[format]; {
				case reference == "":
					locals = append(locals, declarations(source))
				case rank > best:
					address, best = reference, rank
				}
			}
		default:
			kept = append(kept, declarations(declaration))
		}
	}
	if best > 0 {
		if data := s.embed(fontPart, address); data != "" {
			locals = append(locals, "url("+quote(data)+")")
		}
	}
	if len(locals) == 0 {
		return
	}
	s.out.WriteString("@font-face{" + strings.Join(append(kept, "src:"+strings.Join(locals, ",")), ";") + "}")
}

// uncommented returns a text without comments.
func uncommented(text string) string {
	var b strings.Builder
	for at := 0; at < len(text); {
		t := next(text, at)
		at = t.end
		if t.kind != commentToken {
			b.WriteString(text[t.start:t.end])
		}
	}
	return b.String()
}

// fontSource returns the address and the format of a font. The address is "" for a font of the system.
func fontSource(text string) (reference, format string) {
	var open nesting
	for at := 0; at < len(text); {
		t := next(text, at)
		at = t.end
		inside := open.function()
		open.count(text, t)
		switch {
		case t.kind == urlToken, t.kind == stringToken && (inside == "url" || inside == "src"):
			reference = t.value
		case inside == "format" && t.kind == stringToken:
			format = t.value
		case inside == "format" && t.kind == otherToken && !isSpace(text[t.start]):
			format = text[t.start:t.end]
		}
	}
	if strings.HasPrefix(reference, "#") {
		reference = ""
	}
	return reference, strings.ToLower(format)
}

var unicodeRange = regexp.MustCompile(`(?i)U\+([0-9A-F]{0,6})(\?{0,6})(?:-([0-9A-F]{1,6}))?`)

// inRanges reports whether one of the characters is in a unicode-range. A range that cannot be read has all of them.
func inRanges(shown map[rune]bool, value string) bool {
	found := unicodeRange.FindAllStringSubmatch(value, 200)
	for _, m := range found {
		low, err := strconv.ParseInt(m[1]+strings.Repeat("0", len(m[2])), 16, 64)
		high, err2 := strconv.ParseInt(m[1]+strings.Repeat("F", len(m[2])), 16, 64)
		if m[3] != "" {
			high, err2 = strconv.ParseInt(m[3], 16, 64)
		}
		if err != nil || err2 != nil {
			return true
		}
		for r := range shown {
			if int64(r) >= low && int64(r) <= high {
				return true
			}
		}
	}
	return len(found) == 0
}

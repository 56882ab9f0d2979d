package cli

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escaping returns a writer that escapes characters that could control a terminal, or hide or reorder
// text. It uses the escapes of JSON, such as \u001b, so JSON stays valid. Line ends and tabs
// are kept, because tables and pages contain them: see Printf.
func Escaping(w io.Writer) io.Writer { return &escaping{w: w} }

// raw returns the writer below an Escaping writer, for the program's own control sequences.
func raw(w io.Writer) io.Writer {
	if e, ok := w.(*escaping); ok {
		return e.w
	}
	return w
}

type escaping struct {
	w    io.Writer
	part []byte // incomplete character at the end of the last write
}

// Write implements io.Writer.
func (e *escaping) Write(p []byte) (int, error) {
	text := append(e.part, p...)
	e.part = nil
	if cut := cutRune(text); cut > 0 {
		e.part = append(e.part, text[len(text)-cut:]...)
		text = text[:len(text)-cut]
	}
	if _, err := io.WriteString(e.w, escape(string(text), "\n\t")); err != nil {
		return 0, err
	}
	return len(p), nil
}

// cutRune returns the length of the incomplete character at the end of a text.
func cutRune(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// oneLine escapes a value for a table cell or a sentence, including line ends and tabs.
func oneLine(value string) string { return escape(value, "") }

// printf is fmt.Fprintf, but escapes strings and errors among the arguments with oneLine. Use it for
// names and other user input, which could otherwise add lines or columns.
func printf(w io.Writer, format string, args ...any) (int, error) {
	shown := make([]any, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case string:
			shown[i] = oneLine(v)
		case error:
			shown[i] = oneLine(v.Error())
		default:
			shown[i] = arg
			if text := reflect.ValueOf(arg); text.Kind() == reflect.String {
				shown[i] = oneLine(text.String())
			}
		}
	}
	return fmt.Fprintf(w, format, shown...)
}

// escape escapes all characters that are not plainly printed, except those in except.
func escape(s, except string) string {
	unsafe := func(r rune) bool { return !prints(r) && !strings.ContainsRune(except, r) }
	if utf8.ValidString(s) && !strings.ContainsFunc(s, unsafe) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\u%04x`, s[0])
		case !unsafe(r):
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		s = s[size:]
	}
	return b.String()
}

// prints reports whether a terminal prints a character in place. Joiners are allowed, because words and
// emoji need them.
func prints(r rune) bool {
	const nonJoiner, joiner = 0x200c, 0x200d
	return unicode.IsPrint(r) || unicode.Is(unicode.Zs, r) || r == nonJoiner || r == joiner
}

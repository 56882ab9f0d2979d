package main

import (
	"bytes"
	"fmt"
	"strings"
)

// oneLine returns the first of some descriptions, as one line.
func oneLine(texts ...any) string {
	for _, text := range texts {
		if s, ok := text.(string); ok && strings.TrimSpace(s) != "" {
			paragraph, _, _ := strings.Cut(strings.TrimSpace(s), "\n\n")
			return strings.Join(strings.Fields(paragraph), " ")
		}
	}
	return ""
}

func last(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// initialisms are parts of names that Go writes in capitals.
var initialisms = map[string]string{"id": "ID", "ids": "IDs", "url": "URL", "html": "HTML", "oauth": "OAuth"}

// title converts a name to one that Go exports: "avatar_url" to "AvatarURL", and "getMe" to "GetMe".
func title(name string) string {
	var out strings.Builder
	for part := range strings.SplitSeq(strings.Trim(name, "_@"), "_") {
		if known, ok := initialisms[part]; ok {
			out.WriteString(known)
		} else if part != "" {
			out.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return out.String()
}

// comment writes a text as a comment whose lines begin with a prefix.
func comment(out *bytes.Buffer, prefix, text string) {
	line := prefix
	for word := range strings.FieldsSeq(text) {
		if len(line)+len(word) > 110 && line != prefix {
			fmt.Fprintln(out, line)
			line = prefix
		}
		line += " " + word
	}
	if line != prefix {
		fmt.Fprintln(out, line)
	}
}

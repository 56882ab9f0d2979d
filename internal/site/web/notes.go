package web

import (
	"strconv"
	"strings"
)

// A note is what a page says once, after a form that led to it. Only its key travels, in
// a cookie, so nobody can put words into our mouth: it is the end of the id of a text,
// after "web.note." or after a room and ".note.". Numbers that are in the text follow it, and
// the key of a removal that the page offers to undo.

// Note is what this page says once, and the removal that can be undone; "" for nothing.
func (v *Visit) Note() (text, undo string) {
	c, err := v.R.Cookie(v.s.noteCookie())
	if err != nil {
		return "", ""
	}
	v.s.setCookie(v.W, v.s.noteCookie(), "", -1)
	key, more, _ := strings.Cut(c.Value, "~")
	var args []any
	for part := range strings.SplitSeq(more, "~") {
		if n, err := strconv.Atoi(part); err == nil {
			args = append(args, n)
		} else if after, ok := strings.CutPrefix(part, "undo-"); ok {
			undo = after
		}
	}
	for _, id := range []string{"web.note." + key, v.room + ".note." + key} {
		if v.s.texts().Languages[0].Has(id) && len(v.s.texts().Languages[0].Verbs(id)) == len(args) {
			return v.T(id, args...), undo
		}
	}
	return "", ""
}

// DoneSo is Done with a note that holds numbers, and offers to undo a removal, if there is one.
func (v *Visit) DoneSo(path, note, undo string, numbers ...int) error {
	for _, n := range numbers {
		note += "~" + strconv.Itoa(n)
	}
	if undo != "" {
		note += "~undo-" + undo
	}
	return v.Done(path, note)
}

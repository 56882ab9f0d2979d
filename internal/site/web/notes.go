package web

import (
	"strconv"
	"strings"

	"vitrine/internal/domain"
)

// A note is a message that a page shows once, after a form redirected to it. The cookie contains
// only its key, so that nobody can forge messages: the end of a text's id, after the name of the page's
// package and ".note.", or else after "web.note.". It is followed by the numbers of the text, and the key of a
// removal that the page offers to undo.

// Deleted is Done after a deletion. The note leads to Trash if the thing is there.
func (v *Visit) Deleted(path, note string, kind domain.TrashKind, id int64) error {
	there, err := v.App().Collections.InTrash(v.R.Context(), v.Actor(), kind, id)
	if err != nil {
		return err
	}
	if there {
		note += "~trash"
	}
	return v.Done(path, note)
}

// Note returns the note of this page, the key of the removal to undo, "" for none, and whether it leads to Trash.
func (v *Visit) Note() (text, undo string, trash bool) {
	c, err := v.R.Cookie(v.s.noteCookie())
	if err != nil {
		return "", "", false
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
		trash = trash || part == "trash"
	}
	for _, id := range []string{v.pageSet + ".note." + key, "web.note." + key} {
		if v.s.texts().Languages[0].Has(id) && len(v.s.texts().Languages[0].Verbs(id)) == len(args) {
			return v.T(id, args...), undo, trash
		}
	}
	return "", "", false
}

// DoneSo is Done with a note that contains numbers. If undo is set, the note offers to undo a
// removal.
func (v *Visit) DoneSo(path, note, undo string, numbers ...int) error {
	for _, n := range numbers {
		note += "~" + strconv.Itoa(n)
	}
	if undo != "" {
		note += "~undo-" + undo
	}
	return v.Done(path, note)
}

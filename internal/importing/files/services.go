package files

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"vitrine/internal/importing/source"
)

// sectioned maps the titles of exports that have sections instead of folders, each a heading and a
// list, to their services.
var sectioned = map[string]string{"Pocket Export": "Pocket", "Instapaper: Export": "Instapaper"}

func (r *bookmarkReader) sections() bool { return r.service != "" && r.service != shaarli }

// headline begins a heading of the first level: of a section, or of the file.
func (r *bookmarkReader) headline(ctx context.Context) error {
	if !r.sections() {
		r.into = &r.heading
		return nil
	}
	err := r.finish(ctx)
	r.section.Reset()
	r.into = &r.section
	return err
}

// list begins a list. With a heading, it is a section and becomes a channel.
func (r *bookmarkReader) list(ctx context.Context) error {
	if !r.sections() {
		return nil
	}
	title := r.section.String()
	r.section.Reset()
	if err := r.finish(ctx); err != nil {
		return err
	}
	if title == "" {
		r.levels[len(r.levels)-1].lists++
		return nil
	}
	above, err := r.top(ctx)
	if err != nil {
		return err
	}
	inner, err := r.tree.Add(ctx, above, source.Channel{Title: title, Where: where(r.line)})
	if inner == above {
		r.levels[len(r.levels)-1].lists++
	} else {
		r.levels = append(r.levels, level{TreeFolder: inner})
	}
	return err
}

const shaarli = "Shaarli"

// shaarliNote matches the address of a note of Shaarli, which is a bookmark of its own page.
var shaarliNote = regexp.MustCompile(`^(?:https?://[^?#]*)?(?:\?|/?shaare/)([A-Za-z0-9_-]{6})$`)

// linkding returns the note of a bookmark. linkding marks its notes within the description, and its
// archived bookmarks by a tag, which is removed.
func linkding(e *entry) (note string, archived bool) {
	note = e.note.String()
	description, rest, marked := strings.Cut(note, "[linkding-notes]")
	if marked {
		notes, _, _ := strings.Cut(rest, "[/linkding-notes]")
		note = strings.TrimSpace(strings.TrimSpace(description) + "\n\n" + strings.TrimSpace(notes))
	}
	tags := len(e.tags)
	e.tags = slices.DeleteFunc(e.tags, func(tag string) bool { return tag == "linkding:archived" })
	return note, len(e.tags) < tags
}

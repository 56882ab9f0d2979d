package files

import (
	"bytes"
	"context"
	"strings"
	"time"
	"unicode"

	"vitrine/internal/importing/source"
)

// entry is a bookmark or the heading of a folder.
type entry struct {
	isFolder         bool
	line             int
	address          string
	title, note      text
	tags             []string
	created          time.Time
	dated            bool // a date is given, but may be unreadable
	private          bool
	toRead, favorite bool
}

// name returns the entry's name for reports.
func (e *entry) name() string {
	switch {
	case e == nil:
		return "A bookmark"
	case e.title.String() != "":
		return source.Shortened(e.title.String())
	case e.address != "":
		return source.Shortened(e.address)
	case e.isFolder:
		return "A folder"
	}
	return "A bookmark"
}

// text collects the text between tags, up to its limit. A nil text discards it.
type text struct{ strings.Builder }

func (t *text) add(some []byte) {
	if t == nil || t.full() {
		return
	}
	if t.Len() == 0 { // String removes it, but start must not find only white space
		some = bytes.TrimLeftFunc(some, unicode.IsSpace)
	}
	if room := maxText - t.Len(); len(some) > room {
		some = some[:room]
	}
	t.Write(some)
}

func (t *text) String() string {
	return strings.TrimSpace(strings.ToValidUTF8(t.Builder.String(), ""))
}

func (t *text) full() bool { return t.Len() >= maxText }

// The methods below look at a few bytes only, because a file may end a tag after every few bytes of a
// long text.

// start returns the beginning of the text, which is longer than the names of all services.
func (t *text) start() string {
	all := t.Builder.String()
	return strings.TrimSpace(strings.ToValidUTF8(all[:min(len(all), 200)], ""))
}

// endsWith reports whether the text ends with a link, not counting white space of up to four bytes after
// it.
func (t *text) endsWith(link string) bool {
	all := t.Builder.String()
	return strings.HasSuffix(strings.TrimSpace(all[max(0, len(all)-len(link)-4):]), link)
}

// level is an open folder. Lists without a heading in it are only counted, so that a file with
// nothing but lists takes no memory.
type level struct {
	*source.TreeFolder
	lists int
}

// top returns the open folder. It creates the channel of the whole file when there is something to
// put into it.
func (r *bookmarkReader) top(ctx context.Context) (*source.TreeFolder, error) {
	last := &r.levels[len(r.levels)-1]
	if last.TreeFolder != nil {
		return last.TreeFolder, nil
	}
	if title := r.heading.String(); title != "" && r.service == "" {
		r.tree.Title = title
	}
	root, err := r.tree.Root(ctx)
	last.TreeFolder = root
	return root, err
}

// folder creates a channel from the heading of a folder. If that fails, it returns the folder
// above.
func (r *bookmarkReader) folder(ctx context.Context, e *entry) (above, inner *source.TreeFolder, err error) {
	if above, err = r.top(ctx); err != nil {
		return above, above, err
	}
	inner, err = r.tree.Add(ctx, above, source.Channel{Title: e.title.String(), Description: e.note.String(), CreatedAt: e.created, Where: where(e.line)})
	return above, inner, err
}

// down enters a list, which belongs to the folder whose heading was just read.
func (r *bookmarkReader) down(ctx context.Context) error {
	if r.entry == nil || !r.entry.isFolder || r.unread > 0 {
		err := r.finish(ctx)
		r.levels[len(r.levels)-1].lists++
		return err
	}
	heading := r.entry
	r.entry, r.into = nil, nil
	above, inner, err := r.folder(ctx, heading)
	if inner == above {
		r.levels[len(r.levels)-1].lists++
	} else {
		r.levels = append(r.levels, level{TreeFolder: inner})
	}
	return err
}

// up leaves a list.
func (r *bookmarkReader) up(ctx context.Context) error {
	if err := r.finish(ctx); err != nil {
		return err
	}
	last := &r.levels[len(r.levels)-1]
	switch {
	case last.lists > 0:
		last.lists--
		return nil
	case len(r.levels) == 1: // an extra end tag
		return nil
	}
	inner := last.TreeFolder
	r.levels = r.levels[:len(r.levels)-1]
	return r.tree.Close(ctx, inner)
}

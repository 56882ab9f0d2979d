// Package sourcetest checks that sources follow the rules of source.Sink, and records their calls.
package sourcetest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/importing/source"
)

// Read reads a source, and returns a line for each call.
func Read(tb testing.TB, s source.Source) []string {
	tb.Helper()
	lines, err := Try(tb, s)
	if err != nil {
		tb.Fatal(err)
	}
	return lines
}

// Try is Read of a source that may fail.
func Try(tb testing.TB, s source.Source) ([]string, error) {
	tb.Helper()
	r := &recorder{tb: tb, open: map[string]bool{}, items: map[string]bool{}}
	err := s.Read(tb.Context(), r)
	if err == nil {
		for channel, open := range r.open {
			if open {
				tb.Errorf("the channel %q was not closed", channel)
			}
		}
	}
	return r.lines, err
}

// Count counts calls and keeps nothing else, for large sources.
type Count struct {
	Channels, Items, Comments, LeftOuts int
	Last                                source.LeftOut
}

func (c *Count) Expect(int) {}
func (c *Count) Channel(context.Context, source.Channel) error {
	c.Channels++
	return nil
}
func (c *Count) Item(context.Context, string, source.Item) error {
	c.Items++
	return nil
}
func (c *Count) Comment(context.Context, string, string, source.Comment) error {
	c.Comments++
	return nil
}
func (c *Count) Close(context.Context, string) error               { return nil }
func (c *Count) Following(context.Context, source.Following) error { return nil }
func (c *Count) Profile(context.Context, source.Profile) error     { return nil }
func (c *Count) Orphan(context.Context, source.Item) error {
	c.Items++
	return nil
}

// LeftOut records the last skipped item.
func (c *Count) LeftOut(l source.LeftOut) {
	c.LeftOuts++
	c.Last = l
}

type recorder struct {
	tb    testing.TB
	mu    sync.Mutex
	lines []string
	open  map[string]bool // by channel; false: closed
	items map[string]bool
}

func (r *recorder) add(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *recorder) Expect(int) {}

func (r *recorder) Channel(_ context.Context, c source.Channel) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.open[c.ID]; known {
		r.tb.Errorf("the channel %q was begun twice", c.ID)
	}
	r.open[c.ID] = true
	var more fields
	more.text("description", c.Description)
	more.text("visibility", string(c.Visibility))
	more.json("metadata", c.Metadata)
	more.text("by", c.Owner.Name)
	more.time("at", c.CreatedAt)
	r.add("channel %s %q%s", c.ID, c.Title, more.String())
	return nil
}

func (r *recorder) Item(ctx context.Context, channel string, it source.Item) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.open[channel] {
		r.tb.Errorf("an item of the channel %q, which is not open", channel)
	}
	if it.ID == "" {
		r.tb.Error("an item without an id")
	}
	if _, known := r.open[it.ID]; it.Kind == source.Nested && !known {
		r.tb.Errorf("the channel %q is nested before it is begun", it.ID)
	}
	r.item(ctx, it, " in "+channel)
	return nil
}

func (r *recorder) Orphan(ctx context.Context, it source.Item) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if it.ID == "" || it.Kind == source.Nested {
		r.tb.Errorf("a loose item %q of the kind %s", it.ID, it.Kind)
	}
	r.item(ctx, it, "")
	return nil
}

func (r *recorder) item(ctx context.Context, it source.Item, in string) {
	r.items[it.ID] = true
	var more fields
	more.text("title", it.Title)
	more.text("description", it.Description)
	more.text("content", it.Content)
	more.text("address", it.Address)
	for _, f := range domain.BlockTextFields {
		if s := *f.Of(&it.BlockTexts); s != nil {
			more.text(f.Name, *s)
		}
	}
	more.json("tags", it.Tags)
	more.json("metadata", it.Metadata)
	more.json("connection", it.ConnectionMetadata)
	for _, h := range it.Highlights {
		more.text("highlight", h.Quote.Exact)
		more.text("note", h.Note)
		more.time("highlighted", h.CreatedAt)
	}
	more.text("by", it.Author.Name)
	more.text("added by", it.AddedBy.Name)
	more.time("at", it.CreatedAt)
	if !it.ConnectedAt.Equal(it.CreatedAt) {
		more.time("connected", it.ConnectedAt)
	}
	if it.Pinned {
		more.text("pinned", "yes")
	}
	more.file(ctx, r.tb, "file", it.File)
	more.file(ctx, r.tb, "preview", it.Preview)
	more.text("where", it.Where)
	r.add("%s %s%s%s", it.Kind, it.ID, in, more.String())
}

func (r *recorder) Following(_ context.Context, f source.Following) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add("follows %s %s %q %s", f.Type, f.ID, f.Name, f.Slug)
	return nil
}

func (r *recorder) Profile(ctx context.Context, p source.Profile) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var more fields
	more.text("about", p.About)
	more.file(ctx, r.tb, "picture", p.Picture)
	r.add("profile%s", more.String())
	return nil
}

func (r *recorder) Comment(_ context.Context, channel, item string, c source.Comment) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.items[item] {
		r.tb.Errorf("a comment on the item %q, which was not handed over", item)
	}
	r.add("comment %s on %s in %s: %q by %s at %s", c.ID, item, channel, c.Body, c.Author.Name, c.CreatedAt.Format(time.RFC3339))
	return nil
}

func (r *recorder) Close(_ context.Context, channel string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.open[channel] {
		r.tb.Errorf("the channel %q was closed and is not open", channel)
	}
	r.open[channel] = false
	r.add("close %s", channel)
	return nil
}

func (r *recorder) LeftOut(l source.LeftOut) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.What == "" || l.Why == "" || strings.HasSuffix(l.Why, ".") {
		r.tb.Errorf("left out without what or why: %+v", l)
	}
	r.add("left out %q, %s: %s", l.What, l.Where, l.Why)
}

// fields formats the known fields of an item.
type fields struct{ strings.Builder }

func (f *fields) text(name, value string) {
	if value != "" {
		fmt.Fprintf(f, " %s=%q", name, value)
	}
}

func (f *fields) json(name string, value any) {
	if text, _ := json.Marshal(value); string(text) != "null" {
		fmt.Fprintf(f, " %s=%s", name, text)
	}
}

func (f *fields) time(name string, at time.Time) {
	if !at.IsZero() {
		fmt.Fprintf(f, " %s=%s", name, at.UTC().Format("2006-01-02T15:04:05.999999"))
	}
}

func (f *fields) file(ctx context.Context, tb testing.TB, name string, file *source.File) {
	if file == nil {
		return
	}
	in, err := file.Open(ctx)
	if err != nil {
		if why, ok := source.ReasonOf(err); ok {
			fmt.Fprintf(f, " %s=%q: %s", name, file.Name, why)
			return
		}
		tb.Errorf("%s: %v", file.Name, err)
		return
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, 1<<20))
	if why, ok := source.ReasonOf(err); ok {
		fmt.Fprintf(f, " %s=%q: %s", name, file.Name, why)
		return
	}
	if err != nil {
		tb.Errorf("%s: %v", file.Name, err)
	}
	if file.Size >= 0 && int64(len(text)) != file.Size {
		tb.Errorf("%s has %d bytes, and %d were promised", file.Name, len(text), file.Size)
	}
	fmt.Fprintf(f, " %s=%q %.60q", name, file.Name, text)
}

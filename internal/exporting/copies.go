package exporting

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"vitrine/internal/app/content"
	"vitrine/internal/domain"
	"vitrine/internal/warc"
)

// Copies exports the saved copies of the pages in a channel, as far as the actor may see them, as a WACZ file. If there are
// none, it returns Unprocessable.
func (e *Exporter) Copies(ctx context.Context, actor domain.Actor, ref domain.Ref, begin Begin) error {
	leave, err := e.enter()
	if err != nil {
		return err
	}
	defer leave()
	full, err := e.o.App.Collections.Channel(ctx, actor, ref)
	if err != nil {
		return err
	}
	all, more, err := e.o.App.Content.ArchivedSnapshots(ctx, actor, full.ID)
	if err != nil {
		return err
	}
	about := warc.About{Title: cmp.Or(strings.TrimSpace(full.Title), full.Slug), Software: "Vitrine " + e.o.Version, Created: e.o.Now()}
	if more {
		about.Description = fmt.Sprintf("The channel has more saved copies. These are the first %d.", content.MaxArchived)
	}
	var out *warc.Writer
	for _, s := range all {
		in, err := e.openCopy(ctx, actor, s.ID)
		if isGone(err) { // deleted, hidden or no longer shared in the meantime
			continue
		}
		if err == nil && out == nil {
			out, err = warc.NewWriter(begin(cmp.Or(safeName(full.Slug), "channel")+".wacz", "application/wacz"), about)
		}
		if err == nil {
			err = out.Add(warc.Page{URL: s.Address, Title: s.Title, Time: s.TakenAt}, s.ContentType, s.Size, contextReader{ctx, in})
		}
		if in != nil {
			_ = in.Close() // it was only read
		}
		if err != nil {
			return err
		}
	}
	if out == nil {
		return domain.NewUnprocessable("The channel has no saved copies that you can see")
	}
	return out.Close()
}

// openCopy opens a saved copy that the actor may still see.
func (e *Exporter) openCopy(ctx context.Context, actor domain.Actor, id domain.SnapshotID) (io.ReadCloser, error) {
	s, _, err := e.o.App.Content.Snapshot(ctx, actor, id)
	if err != nil {
		return nil, err
	}
	f, err := e.o.App.Content.OpenSnapshot(ctx, s)
	if err != nil {
		return nil, err // not a nil *blob.File
	}
	return f, nil
}

package exporting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
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

// copies writes the person's saved copies of the pages of exported blocks.
func (p *person) copies(ctx context.Context) error {
	var w *entry
	for above := domain.SnapshotID(0); ; {
		some, err := p.e.o.App.Content.OwnSnapshots(ctx, p.actor, above, perPage)
		if err != nil {
			return err
		}
		files := make([]*domain.File, len(some))
		for i, s := range some {
			files[i] = &domain.File{BlobID: s.BlobID}
		}
		hashes, err := p.e.o.App.Content.Hashes(ctx, files)
		if err != nil {
			return err
		}
		for _, s := range some {
			above = s.ID
			if !p.blocks.has(int64(s.Block)) || hashes[s.BlobID] == "" { // hidden, or deleted in the meantime
				continue
			}
			if w == nil {
				if w, err = p.zip.create("json/snapshots.jsonl", false); err != nil {
					return err
				}
			}
			out := copyLineOf(s, hashes[s.BlobID])
			if err := errors.Join(line(w, out), p.queue(queuedFile{Path: out.File.Path, Copy: &s})); err != nil {
				return err
			}
		}
		if len(some) < perPage {
			return p.copyFiles(ctx)
		}
	}
}

// copyExtensions are the extensions of saved copies by media type.
var copyExtensions = map[string]string{"text/html": ".html", "image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "application/pdf": ".pdf"}

func copyLineOf(s domain.Snapshot, hash string) copyLine {
	media, _, _ := strings.Cut(s.ContentType, ";")
	extension := copyExtensions[media]
	return copyLine{BlockID: int64(s.Block), Address: s.Address, Title: s.Title, TakenAt: s.TakenAt.UTC(), Source: string(s.Source), Kind: string(s.Kind),
		Shared: s.Shared, Missing: s.Missing, Omitted: s.Omitted, File: fileLine{Path: filesFolder + hash + entryExtension(extension, media), SHA256: hash, Name: "page" + extension,
			ContentType: s.ContentType, Size: s.Size}}
}

// copy adds a saved copy as an entry. If isGone(err), nothing was written.
func (p *person) copy(ctx context.Context, name string, id domain.SnapshotID) error {
	in, err := p.e.openCopy(ctx, p.actor, id)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	return copyInto(ctx, p.zip, name, in)
}

// queue queues bytes for writing, once per path.
func (p *person) queue(f queuedFile) error {
	path := maphash.String(p.seed, f.Path)
	if _, noted := p.entries[path]; noted {
		return nil
	}
	p.entries[path] = struct{}{}
	return line(&p.files, f)
}

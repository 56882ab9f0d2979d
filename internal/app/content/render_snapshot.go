package content

import (
	"bytes"
	"context"

	"vitrine/internal/browser"
	"vitrine/internal/capture"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Browser renders pages.
type Browser interface {
	Render(ctx context.Context, from browser.Getter, first browser.Page, limits browser.Limits) (*browser.Rendered, error)
}

// HasBrowser reports whether a browser renders the pages that this server copies.
func (a *Content) HasBrowser() bool { return a.browser != nil }

// capture copies a page and returns its pictures. If there is a browser, the copy is the page as the browser shows it. If the
// browser fails, the copy is the page as its server sent it, without pictures.
func (a *Content) capture(ctx context.Context, address string, limits capture.Limits) (*capture.Copy, []SnapshotInput, error) {
	ctx, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	source, err := capture.Open(ctx, permitted{a}, address, limits)
	if err != nil {
		return nil, nil, err
	}
	if a.browser == nil {
		made, err := source.Copy(ctx, permitted{a}, limits)
		return made, nil, err
	}
	made, pictures, lost := a.rendered(ctx, source, limits)
	if made == nil {
		if made, err = source.Copy(ctx, permitted{a}, limits); err != nil {
			return nil, nil, err
		}
	}
	if lost {
		made.Missing = append(made.Missing, capture.Missing{Address: source.URL.String(), Reason: "The browser took no picture of the page"})
		made.Omitted++
	}
	return made, pictures, nil
}

// rendered copies a page as the browser shows it, in at most half of the time. It returns nil if that is not possible, and
// whether a picture or the PDF is missing.
func (a *Content) rendered(ctx context.Context, source *capture.Source, limits capture.Limits) (made *capture.Copy, pictures []SnapshotInput, lost bool) {
	l := browser.Default()
	l.Time = min(l.Time, limits.Time/2)
	shown, err := a.browser.Render(ctx, permitted{a}, browser.Page(*source), l)
	if err != nil {
		return nil, nil, true
	}
	rendered := capture.Source{URL: shown.URL, ContentType: "text/html; charset=utf-8", Body: shown.HTML}
	if made, err = rendered.Copy(ctx, shown.Parts, limits); err != nil {
		return nil, nil, true
	}
	for _, p := range []struct {
		kind domain.SnapshotKind
		body []byte
	}{{domain.SnapshotPDF, shown.PDF}, {domain.SnapshotScreenshot, shown.Picture}} {
		if p.body == nil {
			continue
		}
		pictures = append(pictures, SnapshotInput{Kind: p.kind, Length: int64(len(p.body)), Body: bytes.NewReader(p.body)})
	}
	return made, pictures, shown.Lost != nil
}

// stagePictures receives the pictures of a copy, except those for which there is no space. The caller must discard what it
// returns, even with an error.
func (a *Content) stagePictures(ctx context.Context, actor domain.Actor, all []SnapshotInput) (staged []*StagedSnapshot, err error) {
	for _, in := range all {
		one, err := a.StageSnapshot(ctx, actor, in)
		switch domain.KindOf(err) {
		case domain.TooLarge, domain.Forbidden, domain.Invalid:
			continue
		}
		if err != nil {
			return staged, err
		}
		staged = append(staged, one)
	}
	return staged, nil
}

func discardAll(all []*StagedSnapshot) {
	for _, s := range all {
		s.Discard()
	}
}

// keepPictures stores the bytes of the pictures of a copy.
func (a *Content) keepPictures(ctx context.Context, of domain.Snapshot, all []*StagedSnapshot) (pictures []domain.Snapshot, err error) {
	for _, in := range all {
		kept, err := a.keep(ctx, in.staged, in.ContentType)
		if err != nil {
			return nil, err
		}
		p := of
		p.Kind, p.ContentType, p.Size, p.BlobID, p.Object = in.Kind, in.ContentType, in.staged.Size, kept.ID, kept.Object
		p.Text, p.Article = "", false
		pictures = append(pictures, p)
	}
	return pictures, nil
}

// insertPictures stores the pictures of a copy for which the owner's quota has space after the copy. The row of the owner's
// usage is locked.
func (a *Content) insertPictures(ctx context.Context, tx *store.Tx, actor domain.Actor, of domain.Snapshot, pictures []domain.Snapshot) error {
	for _, p := range pictures {
		err := a.affordSnapshot(ctx, tx.Queries, actor, of.Size+p.Size)
		if domain.KindOf(err) == domain.Forbidden {
			continue
		}
		if err != nil {
			return err
		}
		if _, err := tx.Blobs().AddSnapshot(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

package content

import (
	"bytes"
	"context"
	"io"
	"net/url"
	"slices"

	"vitrine/internal/capture"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/page"
	"vitrine/internal/store"
)

const mailType = "text/html; charset=utf-8"

// errMailCopy is the error for a request for another copy of a mail.
var errMailCopy = domain.NewUnprocessable("This text came by mail: its copy is made once, when the mail arrives")

// KeepMail stores the HTML of a mail of the actor, for AddMailCopy. It returns nil if the copy may not be saved, because it
// is too large, for example.
func (a *Content) KeepMail(ctx context.Context, actor domain.Actor, text []byte) (*domain.Snapshot, error) {
	if !page.IsHTML("text/html", text[:min(len(text), maxHead)]) {
		text = append([]byte("<html>"), text...) // mails may begin with any element
	}
	s := domain.Snapshot{Owner: actor.UserID, Source: domain.FromMail, Kind: domain.SnapshotPage, Shared: true}
	in := SnapshotInput{Kind: s.Kind, Source: s.Source, ContentType: mailType, Length: int64(len(text)), Body: bytes.NewReader(text)}
	staged, err := a.StageSnapshot(ctx, actor, in)
	if mayNotSave(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer staged.Discard()
	kept, err := a.keep(ctx, staged.staged, staged.ContentType)
	if mayNotSave(err) {
		return nil, nil
	}
	s.BlobID, s.Object, s.Size, s.ContentType = kept.ID, kept.Object, staged.staged.Size, staged.ContentType
	return &s, err
}

// mayNotSave reports whether an error means that a copy may not be saved.
func mayNotSave(err error) bool {
	switch domain.KindOf(err) {
	case domain.TooLarge, domain.Forbidden, domain.Invalid, domain.Unprocessable:
		return true
	}
	return false
}

// AddMailCopy adds the stored HTML of a mail to its new block of the actor, and queues the job that fetches its images. It
// adds nothing if the actor's quota has no space for it.
func (a *Content) AddMailCopy(ctx context.Context, tx *store.Tx, actor domain.Actor, b domain.Block, s domain.Snapshot) error {
	s.Block, s.TakenAt, s.CreatedAt, s.Address = b.ID, b.CreatedAt, b.CreatedAt, a.copiedAddress(b)
	if b.Title != nil {
		s.Title = *b.Title
	}
	s.Text, s.Article = b.Content.Markdown, true
	err := a.insertSnapshot(ctx, tx, actor, &s, nil)
	if mayNotSave(err) {
		return nil
	}
	if err == nil {
		_, err = a.requestSnapshot(ctx, tx, actor.UserID, b.ID)
	}
	return err
}

// mailCopy returns the copy of a block's mail, or NotFound.
func mailCopy(ctx context.Context, q store.Queries, block domain.BlockID) (s domain.Snapshot, err error) {
	all, err := q.Blobs().SnapshotsOf(ctx, block, true, maxListedSnapshots)
	if err != nil {
		return s, err
	}
	i := slices.IndexFunc(all, func(s domain.Snapshot) bool { return s.Source == domain.FromMail })
	if i < 0 {
		return s, domain.NewNotFound()
	}
	return all[i], nil
}

// refusing fetches nothing.
type refusing struct{ reason error }

func (r refusing) Get(context.Context, fetch.Request) (*fetch.Response, error) {
	return nil, &fetch.Error{Reason: r.reason.Error()}
}

// completeMail replaces the copy of a mail by one without scripts and with the images of other servers, unless the policy
// of the channel or the site is to copy nothing from them.
func (a *Content) completeMail(ctx context.Context, actor domain.Actor, b domain.Block, q domain.SnapshotRequest) error {
	primary := a.Store.AtPrimary().Queries
	was, err := mailCopy(ctx, primary, b.ID)
	if domain.KindOf(err) == domain.NotFound { // the author deleted it
		return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Blobs().EndSnapshotRequest(ctx, q.Block, q.Round) })
	}
	if err != nil {
		return err
	}
	from := capture.Getter(permitted{a})
	if err := a.maySnapshot(ctx, primary, b); domain.KindOf(err) == domain.Unprocessable {
		from = refusing{err}
	} else if err != nil {
		return err
	}
	made, err := a.captureMail(ctx, from, was)
	if err != nil {
		return err
	}
	in := SnapshotInput{Kind: domain.SnapshotPage, Source: domain.FromMail, TakenAt: was.TakenAt, Address: was.Address, Title: was.Title, ContentType: mailType,
		Shared: was.Shared, Missing: missingParts(made.Missing), Omitted: int64(made.Omitted), Length: int64(len(made.HTML)), Body: bytes.NewReader(made.HTML)}
	_, err = a.addSnapshot(ctx, actor, b.ID, in, nil, func(tx *store.Tx) error {
		is, err := tx.Blobs().Snapshot(ctx, was.ID)
		if err == nil && is.Shared != was.Shared {
			err = domain.NewNotFound() // the next run reads it again
		}
		if err != nil {
			return err
		}
		if err := tx.Blobs().DeleteSnapshot(ctx, was.ID); err != nil {
			return err
		}
		return tx.Blobs().EndSnapshotRequest(ctx, q.Block, q.Round)
	})
	return err
}

// captureMail copies the HTML of a stored mail.
func (a *Content) captureMail(ctx context.Context, from capture.Getter, s domain.Snapshot) (*capture.Copy, error) {
	f, err := a.OpenSnapshot(ctx, s)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	closing(f)
	if err != nil {
		return nil, err
	}
	limits := a.captureLimits(ctx)
	limits.Frames = 0
	ctx, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	// Relative addresses lead nowhere: a mail has no address.
	source := capture.Source{URL: &url.URL{Scheme: "about", Opaque: "mail"}, ContentType: s.ContentType, Body: text}
	return source.Copy(ctx, from, limits)
}

package content

import (
	"cmp"
	"context"
	"io"
	"strconv"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/weburl"
)

// Snapshots limits the saved copies of pages.
type Snapshots struct {
	Policy domain.SnapshotPolicy            // when this server takes copies; "" means on request
	Sites  map[string]domain.SnapshotPolicy // the same for the pages of a host and of those below it
	Limit  int64                            // bytes of one
	Quotas map[domain.Tier]int64            // bytes of all of a user; a missing tier or 0 is unlimited
}

// SnapshotInput is a copy of a page to save.
type SnapshotInput struct {
	Kind        domain.SnapshotKind
	Source      domain.SnapshotSource
	TakenAt     time.Time // zero: now
	Address     string    // of the page; "": that of the block
	Title       string    // "": that in the page
	ContentType string    // header of the body; only its character set is used
	Shared      bool
	Missing     []domain.MissingPart
	Omitted     int64 // number of missing parts, including those that Missing does not list
	Length      int64 // of the body, -1 if unknown
	Body        io.Reader
}

// Limits for the time at which a copy was taken: clocks of browsers may be wrong, but not by more than a day.
var (
	firstSnapshot = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)
	clockError    = 24 * time.Hour
)

// maxHead is the number of bytes of a body that identify its format.
const maxHead = 4 << 10

// Validate checks everything except the body.
func (in SnapshotInput) Validate(now time.Time) error {
	var f domain.Faults
	domain.Among(&f, "kind", in.Kind, domain.SnapshotPage, domain.SnapshotScreenshot, domain.SnapshotPDF)
	f.Text("title", in.Title, domain.MaxTitle)
	if in.Address != "" {
		core.CheckURL(&f, "url", in.Address, domain.MaxURL)
	}
	if !in.TakenAt.IsZero() && (in.TakenAt.Before(firstSnapshot) || in.TakenAt.After(now.Add(clockError))) {
		f.Add("taken_at", domain.FieldOutOfRange, "must be a time in the past, from 1990 on")
	}
	return f.Err()
}

// StagedSnapshot is a received copy of a page, which AttachSnapshot adds to a block.
type StagedSnapshot struct {
	SnapshotInput
	staged  *blob.Staged
	discard func()
}

// Discard removes the received bytes. The caller must call it.
func (s *StagedSnapshot) Discard() { s.discard() }

// AddSnapshot saves a copy of the page of a block of the actor. A copy with the same bytes as one that the block has is not
// saved again: the existing one is returned. Only the actor sees the copy unless it is shared.
func (a *Content) AddSnapshot(ctx context.Context, actor domain.Actor, block domain.BlockID, in SnapshotInput) (domain.Snapshot, error) {
	return a.addSnapshot(ctx, actor, block, in, nil, func(*store.Tx) error { return nil })
}

// addSnapshot is AddSnapshot with pictures that belong to the copy and a write in the same transaction.
func (a *Content) addSnapshot(ctx context.Context, actor domain.Actor, block domain.BlockID, in SnapshotInput, with []SnapshotInput,
	also func(tx *store.Tx) error) (s domain.Snapshot, err error) {
	if err := in.Validate(a.Now()); err != nil {
		return s, err
	}
	b, err := a.Store.AtPrimary().Blocks().Block(ctx, actor.UserID, block)
	if err != nil {
		return s, err
	}
	if err := hasCopies(actor, b, in.Source); err != nil {
		return s, err
	}
	staged, err := a.StageSnapshot(ctx, actor, in)
	if err != nil {
		return s, err
	}
	defer staged.Discard()
	pictures, err := a.stagePictures(ctx, actor, with)
	defer discardAll(pictures)
	if err != nil {
		return s, err
	}
	return a.attachSnapshot(ctx, actor, b, staged, pictures, also)
}

// StageSnapshot receives a copy of a page and checks its size and format.
func (a *Content) StageSnapshot(ctx context.Context, actor domain.Actor, in SnapshotInput) (*StagedSnapshot, error) {
	if in.Length > a.snapshots.Limit {
		return nil, a.snapshotTooLarge(nil)
	}
	if err := a.affordSnapshot(ctx, a.Store.AtPrimary().Queries, actor, max(in.Length, 1)); err != nil {
		return nil, err
	}
	if err := a.uploading.Enter(ctx, actor.UserID); err != nil {
		return nil, err
	}
	defer a.uploading.Leave(actor.UserID)
	staged, err := a.receiveSnapshot(ctx, in)
	if err != nil {
		return nil, err
	}
	got := &StagedSnapshot{SnapshotInput: in, staged: staged, discard: func() { a.discard(staged) }}
	if got.ContentType, err = snapshotType(staged, in); err != nil {
		got.Discard()
		return nil, err
	}
	return got, nil
}

// AttachSnapshot adds a received copy, whose input is valid, to a block of the actor that HasPage.
func (a *Content) AttachSnapshot(ctx context.Context, actor domain.Actor, b domain.Block, in *StagedSnapshot) (domain.Snapshot, error) {
	return a.attachSnapshot(ctx, actor, b, in, nil, func(*store.Tx) error { return nil })
}

// attachSnapshot is AttachSnapshot with pictures that belong to the copy and a write in the same transaction.
func (a *Content) attachSnapshot(ctx context.Context, actor domain.Actor, b domain.Block, in *StagedSnapshot, with []*StagedSnapshot,
	also func(tx *store.Tx) error) (s domain.Snapshot, err error) {
	now := a.Now()
	s = domain.Snapshot{Block: b.ID, Owner: actor.UserID, Source: in.Source, Kind: in.Kind, Shared: in.Shared, Size: in.staged.Size,
		ContentType: in.ContentType, Title: in.Title, TakenAt: in.TakenAt, CreatedAt: now}
	if s.TakenAt.IsZero() {
		s.TakenAt = now
	}
	s.Missing, s.Omitted = domain.ListedParts(in.Missing, in.Omitted)
	if s.Address, err = weburl.Canonical(cmp.Or(in.Address, a.copiedAddress(b))); err != nil {
		return s, domain.InvalidField("url", domain.FieldMalformed, "must be an absolute http or https URL")
	}
	if s.Kind == domain.SnapshotPage {
		if err := a.readPage(ctx, in.staged, &s); err != nil {
			return s, err
		}
	}
	kept, err := a.keep(ctx, in.staged, s.ContentType)
	if err != nil {
		return s, err
	}
	s.BlobID, s.Object = kept.ID, kept.Object
	pictures, err := a.keepPictures(ctx, s, with)
	if err != nil {
		return s, err
	}
	return s, a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := a.insertSnapshot(ctx, tx, actor, &s, pictures); err != nil {
			return err
		}
		return also(tx)
	})
}

// hasCopies returns an error if the actor may not save copies from a source for a block. Texts have only copies of mails.
func hasCopies(actor domain.Actor, b domain.Block, from domain.SnapshotSource) error {
	if !domain.CanManage(actor, b) {
		return core.Forbidden("save copies for this block")
	}
	if from == domain.FromMail && b.Type == domain.TextBlock {
		return nil
	}
	if !HasPage(b) {
		return domain.NewUnprocessable("Only a block of a web page can have saved copies")
	}
	return nil
}

// HasPage reports whether a block comes from a web page, which may not have been fetched yet.
func HasPage(b domain.Block) bool {
	return b.ValueURL != nil && b.Type != domain.ImageBlock && b.Type != domain.AttachmentBlock
}

// copiedAddress returns the address of the page that the copies of a block show. Copies of a mail have that of the block.
func (a *Content) copiedAddress(b domain.Block) string {
	if b.ValueURL != nil {
		return *b.ValueURL
	}
	return a.SiteURL + "/block/" + strconv.FormatInt(int64(b.ID), 10)
}

// MayHaveCopies reports whether a block may have saved copies: it has a page, or it may have come by mail.
func MayHaveCopies(b domain.Block) bool { return HasPage(b) || b.Type == domain.TextBlock }

// hasPageCopies returns an error if the actor may not have this server copy the page of a block.
func hasPageCopies(ctx context.Context, q store.Queries, actor domain.Actor, b domain.Block) error {
	refused := hasCopies(actor, b, domain.FromServer)
	if domain.KindOf(refused) == domain.Unprocessable && b.Type == domain.TextBlock {
		_, err := mailCopy(ctx, q, b.ID)
		switch {
		case err == nil:
			return errMailCopy
		case domain.KindOf(err) != domain.NotFound:
			return err
		}
	}
	return refused
}

func (a *Content) snapshotTooLarge(cause error) error {
	return domain.Wrap(domain.TooLarge, "A saved copy may have at most "+domain.FormatBytes(a.snapshots.Limit), cause)
}

// affordSnapshot returns Forbidden if a user may not save so many more bytes.
func (a *Content) affordSnapshot(ctx context.Context, q store.Queries, actor domain.Actor, size int64) error {
	used, quota, err := a.snapshotUsage(ctx, q, actor.UserID)
	if err == nil && quota > 0 && used+size > quota {
		err = overQuota("Your saved copies may have "+domain.FormatBytes(quota)+" in all", max(quota-used, 0), "Delete copies that you do not need")
	}
	return err
}

func (a *Content) snapshotUsage(ctx context.Context, q store.Queries, user domain.UserID) (used, quota int64, err error) {
	u, err := q.Users().User(ctx, domain.Ref{ID: int64(user)})
	if err == nil {
		used, err = q.Blobs().SnapshotBytes(ctx, user)
	}
	return used, a.snapshots.Quotas[u.Tier], err
}

// SnapshotUsage returns the bytes of the actor's saved copies, and the quota; 0 is unlimited.
func (a *Content) SnapshotUsage(ctx context.Context, actor domain.Actor) (used, quota int64, err error) {
	return a.snapshotUsage(ctx, a.Store.Queries, actor.UserID)
}

// SnapshotLimit returns the maximum number of bytes of a saved copy.
func (a *Content) SnapshotLimit() int64 { return a.snapshots.Limit }

// insertSnapshot stores a copy of the actor's block with its pictures, unless the block has the same one.
func (a *Content) insertSnapshot(ctx context.Context, tx *store.Tx, actor domain.Actor, s *domain.Snapshot, pictures []domain.Snapshot) error {
	b, err := tx.Blocks().LockedBlock(ctx, actor.UserID, s.Block)
	if err != nil {
		return err
	}
	if err := hasCopies(actor, b, s.Source); err != nil {
		return err
	}
	same, err := tx.Blobs().SnapshotWith(ctx, s.Block, s.BlobID)
	if err == nil && (!s.Accompanies() || same.TakenAt.Equal(s.TakenAt)) {
		*s = same
		return nil
	}
	if err != nil && domain.KindOf(err) != domain.NotFound {
		return err
	}
	n, err := tx.Blobs().CountSnapshots(ctx, s.Block)
	if err != nil {
		return err
	}
	if n >= domain.MaxSnapshots && !s.Accompanies() {
		return domain.NewUnprocessable("This block has " + domain.Counted(n, "saved copy", "saved copies") + ", which is the limit. Delete one first")
	}
	if _, err := tx.Counters().LockByteUsage(ctx, actor.UserID, "", a.Now()); err != nil { // others must not save copies at the same time
		return err
	}
	if err := a.affordSnapshot(ctx, tx.Queries, actor, s.Size); err != nil {
		return err
	}
	if err := a.insertPictures(ctx, tx, actor, *s, pictures); err != nil {
		return err
	}
	if s.ID, err = tx.Blobs().AddSnapshot(ctx, *s); err != nil { // after its pictures, because the highest id is the newest
		return err
	}
	return a.copiesChanged(ctx, tx, b, "", s.Shared && s.Article)
}

// copiesChanged publishes that the copies of a locked block changed. If the shared articles changed, it updates the text
// of the block; removed is an article that is shared no more.
func (a *Content) copiesChanged(ctx context.Context, tx *store.Tx, was domain.Block, removed string, articles bool) error {
	now, is := a.Now(), was
	if articles && is.Type == domain.LinkBlock {
		if err := useArticle(ctx, tx, &is, removed); err != nil {
			return err
		}
	}
	if is.Content != was.Content {
		was.Image, was.File = nil, nil // they stay
		return storeContent(ctx, tx, was, is, now)
	}
	if err := tx.Blocks().Touch(ctx, was.ID); err != nil {
		return err
	}
	return core.Publish(ctx, tx, domain.UserID(was.Author.ID), now, domain.BlockChanged{Block: was.ID})
}

// useArticle makes the article of the newest shared copy the text of a Link. Without one, it removes the text if it is a
// given article that is shared no more.
func useArticle(ctx context.Context, tx *store.Tx, b *domain.Block, removed string) error {
	article, err := tx.Blobs().SharedArticle(ctx, b.ID)
	if err != nil {
		return err
	}
	text, gone := core.Rendered(&article), core.Rendered(&removed)
	switch {
	case text != nil && (b.Content == nil || b.Content.Markdown != text.Markdown):
		b.Content = text
	case text == nil && gone != nil && b.Content != nil && b.Content.Markdown == gone.Markdown:
		b.Content = nil
	}
	return nil
}

// Snapshot reads a saved copy and its block. It returns NotFound if the actor may not see it.
func (a *Content) Snapshot(ctx context.Context, actor domain.Actor, id domain.SnapshotID) (s domain.Snapshot, b domain.Block, err error) {
	return a.snapshot(ctx, a.Store.Queries, actor, id)
}

func (a *Content) snapshot(ctx context.Context, q store.Queries, actor domain.Actor, id domain.SnapshotID) (s domain.Snapshot, b domain.Block, err error) {
	if s, err = q.Blobs().Snapshot(ctx, id); err != nil {
		return s, b, err
	}
	if b, err = q.Blocks().Block(ctx, actor.UserID, s.Block); err == nil && !s.Shared && !domain.IsAuthor(actor, b) {
		err = domain.NewNotFound()
	}
	return s, b, err
}

// OpenSnapshot opens the bytes of a saved copy that Snapshot returned.
func (a *Content) OpenSnapshot(ctx context.Context, s domain.Snapshot) (*blob.File, error) {
	f, err := a.blobs.Open(ctx, s.Object)
	return f, missing(err)
}

// ShareSnapshot sets who sees a saved copy of the actor's block: everyone who sees the block, or only the actor.
func (a *Content) ShareSnapshot(ctx context.Context, actor domain.Actor, id domain.SnapshotID, shared bool) (s domain.Snapshot, err error) {
	err = a.changeSnapshot(ctx, actor, id, "share this copy", func(tx *store.Tx, was domain.Snapshot, b domain.Block) error {
		if s = was; s.Shared == shared {
			return nil
		}
		s.Shared = shared
		if err := tx.Blobs().ShareSnapshot(ctx, id, shared); err != nil {
			return err
		}
		if was.HasCompany() {
			if err := tx.Blobs().SharePictures(ctx, was, shared); err != nil {
				return err
			}
		}
		return a.copiesChanged(ctx, tx, b, unshared(was), was.Article)
	})
	return s, err
}

// DeleteSnapshot deletes a saved copy of the actor's block.
func (a *Content) DeleteSnapshot(ctx context.Context, actor domain.Actor, id domain.SnapshotID) error {
	return a.changeSnapshot(ctx, actor, id, "delete this copy", func(tx *store.Tx, was domain.Snapshot, b domain.Block) error {
		if err := tx.Blobs().DeleteSnapshot(ctx, id); err != nil {
			return err
		}
		if was.HasCompany() {
			if err := tx.Blobs().DeletePictures(ctx, was); err != nil {
				return err
			}
		}
		return a.copiesChanged(ctx, tx, b, unshared(was), was.Shared && was.Article)
	})
}

// unshared returns the article that is shared no more once a copy is not.
func unshared(was domain.Snapshot) string {
	if was.Shared && was.Article {
		return was.Text
	}
	return ""
}

// changeSnapshot runs fn on a saved copy of a locked block of the actor.
func (a *Content) changeSnapshot(ctx context.Context, actor domain.Actor, id domain.SnapshotID, what string,
	fn func(tx *store.Tx, was domain.Snapshot, b domain.Block) error) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		s, b, err := a.snapshot(ctx, tx.Queries, actor, id)
		if err != nil {
			return err
		}
		if !domain.CanManage(actor, b) {
			return core.Forbidden(what)
		}
		if b, err = tx.Blocks().LockedBlock(ctx, actor.UserID, s.Block); err != nil {
			return err
		}
		if s, err = tx.Blobs().Snapshot(ctx, id); err != nil { // changed in the meantime
			return err
		}
		return fn(tx, s, b)
	})
}

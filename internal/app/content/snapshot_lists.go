package content

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/domain"
)

// maxListedSnapshots is the maximum number of rows of a block: each copy may have a picture and a PDF.
const maxListedSnapshots = 3 * domain.MaxSnapshots

// BlockSnapshots lists the saved copies of a block that the actor may see, the newest first, without their texts. They are
// the shared ones, or all for the block's owner.
func (a *Content) BlockSnapshots(ctx context.Context, actor domain.Actor, b domain.Block) ([]domain.Snapshot, error) {
	return a.Store.Blobs().SnapshotsOf(ctx, b.ID, domain.IsAuthor(actor, b), maxListedSnapshots)
}

// NewestSnapshot returns the newest saved copy of a block that the actor may see, without its text, or nil.
func (a *Content) NewestSnapshot(ctx context.Context, actor domain.Actor, b domain.Block) (*domain.Snapshot, error) {
	all, err := a.Store.Blobs().SnapshotsOf(ctx, b.ID, domain.IsAuthor(actor, b), 1)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// MaxArchived is the number of saved copies that one archive contains.
const MaxArchived = 1000

// ArchivedSnapshots lists the saved copies of the pages in a channel that the actor may see, by block and time, and reports
// whether there are more than MaxArchived.
func (a *Content) ArchivedSnapshots(ctx context.Context, actor domain.Actor, channel domain.ChannelID) (all []domain.Snapshot, more bool, err error) {
	all, err = a.Store.Blobs().SnapshotsIn(ctx, channel, actor.UserID, MaxArchived+1)
	return all[:min(len(all), MaxArchived)], len(all) > MaxArchived, err
}

// OwnSnapshots lists some of the actor's saved copies above an id, in the order of their ids and without their texts.
func (a *Content) OwnSnapshots(ctx context.Context, actor domain.Actor, above domain.SnapshotID, limit int) ([]domain.Snapshot, error) {
	return a.Store.Blobs().OwnSnapshots(ctx, actor.UserID, above, limit)
}

// HasSnapshot reports whether a block has a copy of the actor that has a kind and was taken at a time. If the time is zero,
// any copy of the kind counts.
func (a *Content) HasSnapshot(ctx context.Context, actor domain.Actor, block domain.BlockID, kind domain.SnapshotKind, at time.Time) (bool, error) {
	all, err := a.Store.AtPrimary().Blobs().SnapshotsOf(ctx, block, true, maxListedSnapshots)
	return slices.ContainsFunc(all, func(s domain.Snapshot) bool {
		return s.Owner == actor.UserID && s.Kind == kind && (at.IsZero() || s.TakenAt.Equal(at))
	}), err
}

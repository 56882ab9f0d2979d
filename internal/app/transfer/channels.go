package transfer

import (
	"context"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/transfer"
)

// ImportChannelInput is a channel of the source.
type ImportChannelInput struct {
	ID          string // in the source
	Title       string
	Description string
	Visibility  domain.Visibility     // of a new channel; "" means closed
	Layout      domain.Layout         // of a new channel; "" means the default
	Snapshots   domain.SnapshotPolicy // of a new channel; "" means as the site
	Metadata    []byte                // JSON object, or nil
	CreatedAt   time.Time             // zero means now
	KeepTitle   bool                  // an existing channel keeps its title
}

// Validate checks everything except the metadata, which is checked when it is parsed.
func (in ImportChannelInput) Validate() error {
	var f domain.Faults
	f.RequiredText("id", in.ID, domain.MaxURL)
	f.RequiredTitle("title", in.Title)
	f.AnyText("description", &in.Description, domain.MaxDescription)
	if in.Visibility != "" {
		domain.Among(&f, "visibility", in.Visibility, domain.Public, domain.Private, domain.Closed)
	}
	if in.Layout != "" {
		domain.Among(&f, "layout", in.Layout, domain.Layouts()...)
	}
	if in.Snapshots != "" {
		domain.Among(&f, "snapshots", in.Snapshots, domain.SnapshotPolicies()...)
	}
	return f.Err()
}

// Brought is the result of importing a thing.
type Brought int

// Values of Brought.
const (
	Unchanged Brought = iota // it exists, and equals the source or was changed here
	Made                     // it was created
	Changed                  // it was updated from the source
	Removed                  // it was imported and removed here, and stays removed
)

// ImportChannel creates a channel of the source with its date, or finds the channel that was created for it, whose
// visibility stays the same. A channel that was deleted here is created again, because the import names it.
func (a *Transfer) ImportChannel(ctx context.Context, actor domain.Actor, origin string, in ImportChannelInput) (id domain.ChannelID, became Brought, err error) {
	if err := mayImport(actor); err != nil {
		return 0, 0, err
	}
	metadata, bad := readMetadata("metadata", in.Metadata)
	if err := domain.JoinFaults(in.Validate(), bad); err != nil {
		return 0, 0, err
	}
	now := a.Now()
	n := store.NewChannel{Title: domain.NameFrom(in.Title), Description: core.Rendered(&in.Description), Visibility: in.Visibility, Layout: in.Layout.Stored(), Snapshots: in.Snapshots.Stored(),
		Metadata: metadata, UserID: actor.UserID, Owner: domain.UserRef(actor.UserID), Now: plausible(in.CreatedAt, now, now)}
	if n.Visibility == "" {
		n.Visibility = domain.Closed
	}
	comes := channelDigest(n.Title, n.Description, n.Visibility, n.Metadata)
	place := from(actor, origin)
	var known transfer.Origin
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		claimed, err := tx.Origins().ClaimOrigins(ctx, place, transfer.OriginChannel, in.ID)
		if err != nil {
			return err
		}
		known = claimed[in.ID]
		if id = domain.ChannelID(known.Local); id != 0 {
			_, err := tx.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: int64(id)})
			if err == nil || domain.KindOf(err) != domain.NotFound {
				return err
			}
		}
		known = transfer.Origin{}
		if err := tx.Activity().LockSources(ctx, core.SourceOf(domain.UserRef(actor.UserID))); err != nil {
			return err
		}
		if n.Slug, err = collections.NewChannelSlug(ctx, tx, n.Title, n.Visibility, now); err != nil {
			return err
		}
		if id, err = tx.Channels().CreateChannel(ctx, n); err != nil {
			return err
		}
		if err := tx.Origins().KeepOrigins(ctx, place, transfer.OriginChannel, transfer.Origin{Foreign: in.ID, Local: int64(id), Digest: comes}); err != nil {
			return err
		}
		c, err := tx.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: int64(id)})
		if err != nil {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, now, domain.ChannelCreated{Channel: c, Brought: true})
	})
	switch {
	case err != nil:
		return 0, 0, err
	case known.Local == 0:
		return id, Made, nil
	case known.Digest == comes:
		return id, Unchanged, nil
	}
	became, err = a.changeChannel(ctx, actor, id, n, known.Digest, comes, in.KeepTitle)
	if err != nil {
		return id, became, err
	}
	known.Digest = comes
	return id, became, a.keep(ctx, place, transfer.OriginChannel, known)
}

// changeChannel updates the fields of a channel that changed in the source and not here, except the visibility: only its
// owner here decides who can see it.
func (a *Transfer) changeChannel(ctx context.Context, actor domain.Actor, id domain.ChannelID, is store.NewChannel, came, comes string, keepTitle bool) (Brought, error) {
	ref := domain.Ref{ID: int64(id)}
	c, err := a.Store.Channels().Channel(ctx, actor.UserID, ref)
	if err != nil {
		return Unchanged, err
	}
	here := channelDigest(c.Title, c.Description, c.Visibility, c.Metadata)
	became := Unchanged
	var in collections.UpdateChannelInput
	wanted := func(field int) bool {
		if !take(came, comes, here, field) {
			return false
		}
		became = Changed
		return true
	}
	if !keepTitle && wanted(channelTitle) {
		in.Title = &is.Title
	}
	if wanted(channelDescription) {
		text := markdownOf(is.Description)
		in.Description = core.Patch{Set: true, Value: &text}
	}
	if wanted(channelMetadata) {
		in.Metadata = replaced(c.Metadata, is.Metadata)
	}
	if became == Unchanged {
		return became, nil
	}
	_, err = a.collections.UpdateChannel(ctx, actor, ref, in)
	return became, theirs(err)
}

// theirs ignores the error if the thing was deleted here or is not the actor's any more. It is then left unchanged.
func theirs(err error) error {
	switch domain.KindOf(err) {
	case domain.NotFound, domain.Forbidden, domain.Unprocessable:
		return nil
	}
	return err
}

// keep records what was imported. If the server dies before, the next import finds the same change, which has
// no further effect.
func (a *Transfer) keep(ctx context.Context, p transfer.OriginPlace, kind transfer.OriginKind, rows ...transfer.Origin) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Origins().KeepOrigins(ctx, p, kind, rows...) })
}

// KnownChannel returns the channel that an import created for a channel of the source. Its ID is 0
// if no import created one.
func (a *Transfer) KnownChannel(ctx context.Context, actor domain.Actor, origin, id string) (domain.Channel, error) {
	known, err := a.Store.Origins().Origins(ctx, from(actor, origin), transfer.OriginChannel, id)
	if err != nil || known[id].Local == 0 {
		return domain.Channel{}, err
	}
	c, err := a.Store.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: known[id].Local})
	if domain.KindOf(err) == domain.NotFound && err != nil {
		return domain.Channel{}, nil
	}
	return c, err
}

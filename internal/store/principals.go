package store

import (
	"context"

	"vitrine/internal/domain"
)

// channelOwner joins the user or group that owns the channel `ch`.
const channelOwner = `LEFT JOIN users ou ON ch.owner_type = 'User' AND ou.id = ch.owner_id
	LEFT JOIN groups og ON ch.owner_type = 'Group' AND og.id = ch.owner_id`

const ownerColumns = `ch.owner_type, ch.owner_id, COALESCE(ou.name, og.name), COALESCE(ou.slug, og.slug),
	COALESCE(ou.avatar, og.avatar), COALESCE(ou.face_version, og.face_version)`

// Principal reads what is shown of a user or group; NotFound if the account is deleted.
func (q Queries) Principal(ctx context.Context, ref domain.PrincipalRef) (domain.Principal, error) {
	table, live := "users", " AND deleted_at IS NULL"
	if ref.Type == domain.TypeGroup {
		table, live = "groups", ""
	}
	p := domain.Principal{PrincipalRef: ref}
	err := q.q.QueryRow(ctx, "SELECT name, slug, avatar, face_version FROM "+table+" WHERE id = $1"+live, ref.ID).
		Scan(&p.Name, &p.Slug, &p.Avatar, &p.Version)
	return p, found(err)
}

// bumpOwner adds to the counts of channels that an owner shows. Private channels
// do not touch the version, which strangers could watch.
func (tx *Tx) bumpOwner(ctx context.Context, owner domain.PrincipalRef, v domain.Visibility, by int64) error {
	table, set := "users", "open_channels = open_channels + $2, version = version + 1"
	if owner.Type == domain.TypeGroup {
		table = "groups"
	}
	if v == domain.Private {
		set = "private_channels = private_channels + $2"
	}
	return tx.execOne(ctx, "UPDATE "+table+" SET "+set+" WHERE id = $1", owner.ID, by)
}

// handOver moves a channel between the counts of its owner before and after a change.
// Owners are the last that a transaction locks, and in an order of their own.
func (tx *Tx) handOver(ctx context.Context, was, is domain.Channel) error {
	if was.Owner.PrincipalRef == is.Owner.PrincipalRef && was.Visibility == is.Visibility {
		return nil
	}
	first, second, by := was, is, int64(-1)
	if is.Owner.Type < was.Owner.Type || is.Owner.Type == was.Owner.Type && is.Owner.ID < was.Owner.ID {
		first, second, by = is, was, 1
	}
	if err := tx.bumpOwner(ctx, first.Owner.PrincipalRef, first.Visibility, by); err != nil {
		return err
	}
	return tx.bumpOwner(ctx, second.Owner.PrincipalRef, second.Visibility, -by)
}

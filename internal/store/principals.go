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

// Principal reads what is shown of a user or group.
func (q Queries) Principal(ctx context.Context, ref domain.PrincipalRef) (domain.Principal, error) {
	table := "users"
	if ref.Type == domain.TypeGroup {
		table = "groups"
	}
	p := domain.Principal{PrincipalRef: ref}
	err := q.q.QueryRow(ctx, "SELECT name, slug, avatar, face_version FROM "+table+" WHERE id = $1", ref.ID).
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

package store

import (
	"context"
	"time"

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

// IsMember tells whether a user belongs to a group.
func (q Queries) IsMember(ctx context.Context, group domain.GroupID, user domain.UserID) (bool, error) {
	var n int
	err := q.q.QueryRow(ctx, "SELECT count(*) FROM group_members WHERE group_id = $1 AND user_id = $2", group, user).Scan(&n)
	return n > 0, err
}

// NewGroup is what a group is made from.
type NewGroup struct {
	Slug  string
	Name  string
	Owner domain.UserID
	Now   time.Time
}

// CreateGroup makes a group with its owner as first member.
func (tx *Tx) CreateGroup(ctx context.Context, n NewGroup) (domain.GroupID, error) {
	var id domain.GroupID
	err := tx.q.QueryRow(ctx, `INSERT INTO groups (slug, name, owner_id, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $4) RETURNING id`, n.Slug, n.Name, n.Owner, micros(n.Now)).Scan(&id)
	if err != nil {
		return 0, err
	}
	return id, tx.AddMember(ctx, id, n.Owner, n.Now)
}

// AddMember puts a user into a group. A second time changes nothing.
func (tx *Tx) AddMember(ctx context.Context, group domain.GroupID, user domain.UserID, now time.Time) error {
	res, err := tx.q.Exec(ctx, `INSERT INTO group_members (group_id, user_id, created_at) VALUES ($1, $2, $3)
		ON CONFLICT (group_id, user_id) DO NOTHING`, group, user, micros(now))
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	return tx.execOne(ctx, `UPDATE groups SET users_count = users_count + 1, version = version + 1 WHERE id = $1`, group)
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

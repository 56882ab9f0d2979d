package store

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/search"
	"vitrine/internal/store/sqlx"
)

// Channel reads a live channel with the viewer's role. It returns NotFound if the viewer may not
// see it.
func (r ChannelReads) Channel(ctx context.Context, viewer domain.UserID, ref domain.Ref) (domain.Channel, error) {
	return r.channel(ctx, viewer, ref, rowmap.WholeChannel)
}

// ChannelSize is Channel, but reads only the id, the visibility and the counts of items, with the
// viewer's role.
func (r ChannelReads) ChannelSize(ctx context.Context, viewer domain.UserID, ref domain.Ref) (domain.Channel, error) {
	return r.channel(ctx, viewer, ref, rowmap.ChannelSize)
}

func (r ChannelReads) channel(ctx context.Context, viewer domain.UserID, ref domain.Ref, as *rowmap.ChannelQuery) (domain.Channel, error) {
	if leadsNowhere(ref) {
		return domain.Channel{}, domain.NewNotFound()
	}
	query, arg := as.Text(viewer, ref)
	c, err := as.Scan(r.q.db.QueryRow(database.Uninterruptible(ctx), query, viewer, arg))
	if err == nil && !domain.CanView(c.Visibility, c.Role) {
		err = domain.NewNotFound()
	}
	return c, sqlx.Found(err)
}

// ChannelsByID reads those of the channels that the viewer may see.
func (r ChannelReads) ChannelsByID(ctx context.Context, viewer domain.UserID, ids []domain.ChannelID) (map[domain.ChannelID]domain.Channel, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.q.db.Query(database.Uninterruptible(ctx), "SELECT "+rowmap.ChannelColumns+" FROM channels ch "+rowmap.ChannelOwner+
		" WHERE "+r.q.db.In("ch.id", "$2")+" AND "+access.For(viewer, access.VisibleChannel, access.GuestChannel), viewer, sqlx.IDs(r.q.db.Dialect, ids))
	all, err := sqlx.Collect(ctx, rows, err, rowmap.ScanChannel)
	return sqlx.ByID(all, func(c domain.Channel) domain.ChannelID { return c.ID }), err
}

// Locks reports whether rows may change between reading and locking them. On SQLite, a write
// transaction excludes others from its start.
func (w ChannelWrites) Locks() bool { return w.tx.db.LocksRows() }

// LockChannels locks live channels, in the order of their ids to avoid deadlocks. Nothing about
// them or their connections changes until the transaction ends.
func (w ChannelWrites) LockChannels(ctx context.Context, ids ...domain.ChannelID) error {
	if !w.tx.db.LocksRows() || len(ids) == 0 {
		return nil
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	rows, err := w.tx.db.Query(ctx, "SELECT ch.id FROM channels ch WHERE "+w.tx.db.In("ch.id", "$1")+
		" ORDER BY ch.id"+w.tx.db.ForUpdate("ch"), sqlx.IDs(w.tx.db.Dialect, ids))
	_, err = sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	return err
}

// LockToAdd reads and locks a channel that the viewer may add to, and returns it with the viewer's
// public data. It returns NotFound if there is no such channel.
func (w ChannelWrites) LockToAdd(ctx context.Context, viewer domain.UserID, ref domain.Ref) (domain.Channel, domain.Principal, error) {
	if leadsNowhere(ref) {
		return domain.Channel{}, domain.Principal{}, domain.NewNotFound()
	}
	which, arg := "ch.id = $2", any(ref.ID)
	if ref.Slug != "" {
		which, arg = "ch.id = (SELECT target_id FROM slugs WHERE kind = 'Channel' AND slug = $2)", ref.Slug
	}
	return w.lockedChannel(ctx, viewer, which+" AND "+access.AddableChannel, arg)
}

// LockChannelOf reads and locks the channel of a connection, if the viewer may see it.
func (w ChannelWrites) LockChannelOf(ctx context.Context, viewer domain.UserID, id domain.ConnectionID) (domain.Channel, error) {
	c, _, err := w.lockedChannel(ctx, viewer,
		"ch.id = (SELECT c.channel_id FROM connections c WHERE c.id = $2) AND "+access.VisibleChannel, id)
	return c, err
}

// Channel is ChannelReads.Channel. A token that is limited to other channels may not load it for a change.
func (w ChannelWrites) Channel(ctx context.Context, viewer domain.UserID, ref domain.Ref) (domain.Channel, error) {
	c, err := w.ChannelReads.Channel(ctx, viewer, ref)
	if err == nil && !w.tx.scope.Limits.InChannel(c.ID) {
		err = ErrOutside
	}
	return c, err
}

// lockedChannel reads and locks a channel in one statement. If it had to wait for the lock, the
// role may be outdated, so it reads everything again.
func (w ChannelWrites) lockedChannel(ctx context.Context, viewer domain.UserID, where string, arg any) (domain.Channel, domain.Principal, error) {
	var f rowmap.ChannelRow
	me := domain.Principal{PrincipalRef: domain.UserRef(viewer)}
	var unmoved bool
	err := w.tx.db.QueryRow(ctx, "SELECT "+rowmap.ChannelColumns+", "+access.RoleOf+", "+w.tx.db.Unmoved("channels", "ch")+`,
			COALESCE(me.name, ''), COALESCE(me.slug, ''), me.avatar, COALESCE(me.face_version, 0)
		FROM channels ch `+rowmap.ChannelOwner+` LEFT JOIN users me ON me.id = $1 WHERE `+where+w.tx.db.ForUpdate("ch"), viewer, arg).
		Scan(rowmap.Channels.Targets(&f, &f.Channel.Role, &unmoved, &me.Name, &me.Slug, &me.Avatar, &me.Version)...)
	if err == nil && !w.tx.scope.Limits.InChannel(f.Channel.ID) {
		err = ErrOutside
	}
	if err != nil || unmoved {
		return f.Value(), me, sqlx.Found(err)
	}
	c, err := w.Channel(ctx, viewer, domain.Ref{ID: int64(f.Channel.ID)})
	return c, me, err
}

// LockWithParents locks a channel and its parents, before its visibility changes or it is deleted.
// Locking them later may cause a deadlock, which costs a second before the retry.
func (w ChannelWrites) LockWithParents(ctx context.Context, id domain.ChannelID) error {
	if !w.tx.db.LocksRows() {
		return nil
	}
	ids, err := w.parents(ctx, id)
	if err != nil {
		return err
	}
	if err := w.LockChannels(ctx, append(ids, id)...); err != nil {
		return err
	}
	// No more parents can be added now. One that was added in between is locked out of order.
	if ids, err = w.parents(ctx, id); err != nil {
		return err
	}
	return w.LockChannels(ctx, ids...)
}

// NewChannel contains the data of a new channel.
type NewChannel struct {
	Slug        string
	Title       string
	Description *domain.Text
	Visibility  domain.Visibility
	Layout      domain.Layout // as stored
	Snapshots   domain.SnapshotPolicy
	Owner       domain.PrincipalRef
	UserID      domain.UserID
	Metadata    domain.Metadata
	Now         time.Time
}

var (
	insertChannel = rowmap.Channels.Insert() + " RETURNING id"
	updateChannel = "UPDATE channels SET " + rowmap.Channels.Assign(sqlx.Update, 3) +
		", version = version + 1, updated_at = " + later("updated_at", "$2") + " WHERE id = $1"
)

// CreateChannel creates a channel. The transaction must have claimed the slug.
func (w ChannelWrites) CreateChannel(ctx context.Context, n NewChannel) (domain.ChannelID, error) {
	c := domain.Channel{Slug: n.Slug, Title: n.Title, Description: n.Description, Visibility: n.Visibility, Layout: n.Layout, Snapshots: n.Snapshots,
		Owner: domain.Principal{PrincipalRef: n.Owner}, UserID: n.UserID, Metadata: n.Metadata, CreatedAt: n.Now, UpdatedAt: n.Now}
	id, err := sqlx.ScanID[domain.ChannelID](w.tx.db.QueryRow(ctx, insertChannel, rowmap.ChannelArgs(sqlx.Insert, c)...))
	if err != nil {
		return 0, err
	}
	if err := w.tx.Slugs().BindSlug(ctx, ChannelSlug, n.Slug, int64(id)); err != nil {
		return 0, err
	}
	c.ID = id
	w.tx.grow(channelPayer(n.Owner, n.UserID), 0, channelBytes(c))
	w.tx.documents().Add(search.DocumentOfChannel(c))
	open, private := search.Placed(n.Visibility, 1)
	if err := w.tx.documents().PutInGroup(ctx, n.Owner, domain.ChannelRef(id), open, private); err != nil {
		return 0, err
	}
	return id, w.tx.Principals().bumpOwner(ctx, n.Owner, n.Visibility, 1)
}

// UpdateChannel writes the columns of a locked channel that can be changed (sqlx.Update), and everything derived from
// visibility and owner. It locks in the order of all
// transactions: channels, groups, blocks, connections, users.
func (w ChannelWrites) UpdateChannel(ctx context.Context, was, c domain.Channel, now time.Time) error {
	private := c.Visibility == domain.Private
	turned := private != (was.Visibility == domain.Private)
	if turned {
		if err := w.LockWithParents(ctx, c.ID); err != nil {
			return err
		}
	}
	if turned || c.Owner.PrincipalRef != was.Owner.PrincipalRef {
		if err := w.tx.Principals().LockOwners(ctx, was.Owner.PrincipalRef, c.Owner.PrincipalRef); err != nil {
			return err
		}
	}
	err := w.tx.db.ExecOne(ctx, updateChannel, rowmap.ChannelArgs(sqlx.Update, c, c.ID, sqlx.Micros(now))...)
	if err != nil {
		return err
	}
	w.tx.grow(channelPayer(c.Owner.PrincipalRef, c.UserID), channelBytes(was), channelBytes(c))
	w.tx.documents().Refresh(domain.SubjectChannel, int64(c.ID))
	if err := w.tx.documents().Regroup(ctx, was, c); err != nil {
		return err
	}
	if err := w.tx.Transitions().transition(ctx, was, effectOf(was), effectOf(c)); err != nil {
		return err
	}
	if turned {
		err := w.eachParent(ctx, c.ID, func(conn domain.Connection) error { return w.tx.Connections().setItemPrivate(ctx, conn, private) })
		if err != nil {
			return err
		}
	}
	return w.tx.Principals().handOver(ctx, was, c)
}

// DeleteChannel deletes a locked channel: it disappears from every list and count. Its own
// connections remain in the table but are not visible.
func (w ChannelWrites) DeleteChannel(ctx context.Context, c domain.Channel, now time.Time) error {
	if err := w.LockWithParents(ctx, c.ID); err != nil {
		return err
	}
	if err := w.tx.Principals().LockOwners(ctx, c.Owner.PrincipalRef); err != nil {
		return err
	}
	err := w.tx.db.ExecOne(ctx, `UPDATE channels SET state = 'deleted', version = version + 1, updated_at = `+later("updated_at", "$2")+`
		WHERE id = $1 AND state = 'available'`, c.ID, sqlx.Micros(now))
	if err != nil {
		return err
	}
	open, private := search.Placed(c.Visibility, -1)
	if err := w.tx.documents().PutInGroup(ctx, c.Owner.PrincipalRef, domain.ChannelRef(c.ID), open, private); err != nil {
		return err
	}
	if err := w.tx.Transitions().transition(ctx, c, effectOf(c), effect{}); err != nil {
		return err
	}
	if err := w.eachParent(ctx, c.ID, func(conn domain.Connection) error { return w.tx.Connections().Disconnect(ctx, conn, now) }); err != nil {
		return err
	}
	if err := w.tx.Activity().EndFollows(ctx, domain.Subject{Type: domain.SubjectChannel, ID: int64(c.ID)}); err != nil {
		return err
	}
	if err := w.tx.Activity().ForgetNotifications(ctx, domain.SubjectChannel, int64(c.ID)); err != nil {
		return err
	}
	if err := w.tx.documents().Remove(ctx, domain.SubjectChannel, int64(c.ID)); err != nil {
		return err
	}
	if err := w.tx.Hiding().ForgetHiddenIn(ctx, c.ID); err != nil {
		return err
	}
	if err := w.tx.Feeds().DeleteFeedsOf(ctx, c.ID); err != nil {
		return err
	}
	if err := w.tx.Mailboxes().DeleteMailboxesOf(ctx, c.ID); err != nil {
		return err
	}
	if err := w.tx.Versions().DropVersions(ctx, domain.ChannelRef(c.ID).Subject()); err != nil {
		return err
	}
	return w.tx.Principals().bumpOwner(ctx, c.Owner.PrincipalRef, c.Visibility, -1)
}

// eachParent calls fn for each connection of a channel that is locked with its parents.
func (w ChannelWrites) eachParent(ctx context.Context, id domain.ChannelID, fn func(domain.Connection) error) error {
	rows, err := w.tx.db.Query(ctx, "SELECT "+rowmap.ConnectionColumns+" FROM connections c "+rowmap.ConnectionMaker+
		" WHERE c.item_type = 'Channel' AND c.item_id = $1 ORDER BY c.channel_id", id)
	all, err := sqlx.Collect(ctx, rows, err, rowmap.ScanConnection)
	if err != nil {
		return err
	}
	for _, c := range all {
		if err := fn(c); err != nil {
			return err
		}
	}
	return nil
}

func (w ChannelWrites) parents(ctx context.Context, id domain.ChannelID) ([]domain.ChannelID, error) {
	rows, err := w.tx.db.Query(ctx, `SELECT channel_id FROM connections WHERE item_type = 'Channel' AND item_id = $1`, id)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (c domain.ChannelID, err error) {
		err = row.Scan(&c)
		return c, err
	})
}

// SlugKind is a kind of item within which slugs are unique.
type SlugKind string

// The kinds of slugs.
const (
	UserSlug    SlugKind = "User"
	GroupSlug   SlugKind = "Group"
	ChannelSlug SlugKind = "Channel"
)

// ClaimSlug reserves a slug forever and reports whether it was free. The same transaction must
// bind it with BindSlug.
func (w SlugWrites) ClaimSlug(ctx context.Context, kind SlugKind, slug string, now time.Time) (bool, error) {
	n, err := w.tx.db.ExecCount(ctx, `INSERT INTO slugs (kind, slug, target_id, created_at) VALUES ($1, $2, 0, $3)
		ON CONFLICT (kind, slug) DO NOTHING`, kind, slug, sqlx.Micros(now))
	return n == 1, err
}

// BindSlug makes a claimed slug resolve to an item.
func (w SlugWrites) BindSlug(ctx context.Context, kind SlugKind, slug string, id int64) error {
	return w.tx.db.ExecOne(ctx, `UPDATE slugs SET target_id = $3 WHERE kind = $1 AND slug = $2`, kind, slug, id)
}

// SlugBelongs reports whether an item ever had a slug.
func (r SlugReads) SlugBelongs(ctx context.Context, kind SlugKind, slug string, id int64) (bool, error) {
	var n int
	err := r.q.db.QueryRow(ctx, `SELECT count(*) FROM slugs WHERE kind = $1 AND slug = $2 AND target_id = $3`,
		kind, slug, id).Scan(&n)
	return n > 0, err
}

// SlugTaken reports whether any item ever had a slug.
func (r SlugReads) SlugTaken(ctx context.Context, kind SlugKind, slug string) (taken bool, err error) {
	err = r.q.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM slugs WHERE kind = $1 AND slug = $2)`, kind, slug).Scan(&taken)
	return taken, err
}

// SlugFor claims a slug derived from a name: unchanged if that is free, otherwise with a random
// suffix (behaviour.md section 1). Users do not get reserved slugs.
func (w SlugWrites) SlugFor(ctx context.Context, kind SlugKind, name string, now time.Time) (string, error) {
	plain := kind != UserSlug || !domain.ReservedSlug(domain.Slugify(name))
	return w.claimSlugFor(ctx, kind, name, plain, now)
}

// SuffixedSlugFor claims a slug derived from a name that always has a random suffix, so that it
// does not reveal whether the plain slug is taken.
func (w SlugWrites) SuffixedSlugFor(ctx context.Context, kind SlugKind, name string, now time.Time) (string, error) {
	return w.claimSlugFor(ctx, kind, name, false, now)
}

func (w SlugWrites) claimSlugFor(ctx context.Context, kind SlugKind, name string, plain bool, now time.Time) (string, error) {
	for ; ; plain = false {
		slug := domain.SlugCandidate(name, string(kind), !plain)
		free, err := w.ClaimSlug(ctx, kind, slug, now)
		if err != nil || free {
			return slug, err
		}
	}
}

// leadsNowhere reports whether a slug is invalid, so that nothing has it. PostgreSQL would reject
// some of them as text.
func leadsNowhere(ref domain.Ref) bool { return ref.Slug != "" && !domain.ValidSlug(ref.Slug) }

package store

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
)

const channelColumns = `ch.id, ch.slug, ch.title, ch.description_markdown, ch.description_html, ch.description_plain,
	ch.visibility, ch.user_id, ch.metadata, ch.blocks_count, ch.channels_count, ch.private_count,
	ch.collaborators_count, ch.version, ch.created_at, ch.updated_at, ` + ownerColumns

// channelFields are scan targets in the order of channelColumns.
type channelFields struct {
	c                domain.Channel
	description      text
	metadata         *string
	created, updated int64
}

func (f *channelFields) targets() []any {
	c := &f.c
	return []any{&c.ID, &c.Slug, &c.Title, &f.description.markdown, &f.description.html, &f.description.plain,
		&c.Visibility, &c.UserID, &f.metadata, &c.Blocks, &c.Channels, &c.PrivateItems,
		&c.Collaborators, &c.Version, &f.created, &f.updated,
		&c.Owner.Type, &c.Owner.ID, &c.Owner.Name, &c.Owner.Slug, &c.Owner.Avatar, &c.Owner.Version}
}

func (f *channelFields) value() domain.Channel {
	f.c.Description, f.c.Metadata = f.description.value(), metadataValue(f.metadata)
	f.c.CreatedAt, f.c.UpdatedAt = instant(f.created), instant(f.updated)
	return f.c
}

func metadataValue(s *string) domain.Metadata {
	if s == nil {
		return ""
	}
	return domain.Metadata(*s)
}

func metadataColumn(m domain.Metadata) *string {
	if m == "" {
		return nil
	}
	return (*string)(&m)
}

func scanChannel(row scanner) (domain.Channel, error) {
	var f channelFields
	err := row.Scan(f.targets()...)
	return f.value(), err
}

func scanChannelRole(row scanner) (domain.Channel, error) {
	var f channelFields
	err := row.Scan(append(f.targets(), &f.c.Role)...)
	return f.value(), err
}

// The texts by which Channel reads; the role stands between start and end.
const (
	channelStart  = "SELECT " + channelColumns + ", "
	channelEnd    = " FROM channels ch " + channelOwner + " WHERE ch.state = 'available' AND ch.id = "
	channelByID   = channelEnd + "$2"
	channelBySlug = channelEnd + "(SELECT target_id FROM slugs WHERE kind = 'Channel' AND slug = $2)"
)

// Channel reads a live channel with the viewer's role; NotFound when the viewer
// may not see it.
func (q Queries) Channel(ctx context.Context, viewer domain.UserID, ref domain.Ref) (domain.Channel, error) {
	if leadsNowhere(ref) {
		return domain.Channel{}, domain.NewNotFound()
	}
	query, arg := to(viewer, channelStart+roleOf+channelByID, channelStart+guestRole+channelByID), any(ref.ID)
	if ref.Slug != "" {
		query, arg = to(viewer, channelStart+roleOf+channelBySlug, channelStart+guestRole+channelBySlug), ref.Slug
	}
	c, err := scanChannelRole(q.q.QueryRow(database.Uninterruptible(ctx), query, viewer, arg))
	if err == nil && !domain.CanView(c.Visibility, c.Role) {
		err = domain.NewNotFound()
	}
	return c, found(err)
}

// ChannelsByID reads those of the channels that the viewer may see.
func (q Queries) ChannelsByID(ctx context.Context, viewer domain.UserID, ids []domain.ChannelID) (map[domain.ChannelID]domain.Channel, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := q.q.Query(database.Uninterruptible(ctx), "SELECT "+channelColumns+" FROM channels ch "+channelOwner+
		" WHERE "+q.d.in("ch.id", "$2")+" AND "+to(viewer, visibleChannel, guestChannel), viewer, list(q.d, ids))
	all, err := collect(ctx, rows, err, scanChannel)
	return byID(all, func(c domain.Channel) domain.ChannelID { return c.ID }), err
}

// Locks reports whether rows that were read may change before they are locked. On SQLite
// a transaction that writes is alone from its start.
func (tx *Tx) Locks() bool { return tx.d.locks() }

// LockChannels locks live channels, in the order of their ids so that two
// requests do not wait for each other, and lets nothing about them or their
// connections change until the transaction ends.
func (tx *Tx) LockChannels(ctx context.Context, ids ...domain.ChannelID) error {
	if !tx.d.locks() || len(ids) == 0 {
		return nil
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	rows, err := tx.q.Query(ctx, "SELECT ch.id FROM channels ch WHERE "+tx.d.in("ch.id", "$1")+
		" ORDER BY ch.id"+tx.d.lock("ch"), list(tx.d, ids))
	_, err = collect(ctx, rows, err, scanInt64)
	return err
}

// LockWithParents locks a channel and those it is in, for a change of its visibility
// or its end. Locking them later may cost a deadlock, which is retried after a second.
func (tx *Tx) LockWithParents(ctx context.Context, id domain.ChannelID) error {
	if !tx.d.locks() {
		return nil
	}
	ids, err := tx.parents(ctx, id)
	if err != nil {
		return err
	}
	if err := tx.LockChannels(ctx, append(ids, id)...); err != nil {
		return err
	}
	// Now none is added any more; one that was, meanwhile, is locked out of turn.
	if ids, err = tx.parents(ctx, id); err != nil {
		return err
	}
	return tx.LockChannels(ctx, ids...)
}

// NewChannel is what a channel is made from.
type NewChannel struct {
	Slug        string
	Title       string
	Description *domain.Text
	Visibility  domain.Visibility
	Owner       domain.PrincipalRef
	UserID      domain.UserID
	Metadata    domain.Metadata
	Now         time.Time
}

// CreateChannel makes a channel. The slug must have been claimed in the transaction.
func (tx *Tx) CreateChannel(ctx context.Context, n NewChannel) (domain.ChannelID, error) {
	d := textColumns(n.Description)
	var id domain.ChannelID
	err := tx.q.QueryRow(ctx, `INSERT INTO channels (slug, title, description_markdown, description_html,
			description_plain, visibility, owner_type, owner_id, user_id, metadata, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11) RETURNING id`,
		n.Slug, n.Title, d.markdown, d.html, d.plain, n.Visibility, n.Owner.Type, n.Owner.ID, n.UserID,
		metadataColumn(n.Metadata), micros(n.Now)).Scan(&id)
	if err != nil {
		return 0, err
	}
	if err := tx.BindSlug(ctx, ChannelSlug, n.Slug, int64(id)); err != nil {
		return 0, err
	}
	if err := tx.index(ctx, domain.SubjectChannel, int64(id)); err != nil {
		return 0, err
	}
	open, private := placed(n.Visibility, 1)
	if err := tx.putInGroup(ctx, n.Owner, domain.ChannelRef(id), open, private); err != nil {
		return 0, err
	}
	return id, tx.bumpOwner(ctx, n.Owner, n.Visibility, 1)
}

// UpdateChannel writes slug, title, description, visibility, owner and metadata of
// a locked channel, and everything derived from a change of visibility or owner. It
// locks in the order of all transactions: channels, groups, blocks, connections, users.
func (tx *Tx) UpdateChannel(ctx context.Context, was, c domain.Channel, now time.Time) error {
	private := c.Visibility == domain.Private
	turned := private != (was.Visibility == domain.Private)
	if turned {
		if err := tx.LockWithParents(ctx, c.ID); err != nil {
			return err
		}
	}
	if turned || c.Owner.PrincipalRef != was.Owner.PrincipalRef {
		if err := tx.LockOwners(ctx, was.Owner.PrincipalRef, c.Owner.PrincipalRef); err != nil {
			return err
		}
	}
	d := textColumns(c.Description)
	err := tx.execOne(ctx, `UPDATE channels SET slug = $2, title = $3, description_markdown = $4, description_html = $5,
			description_plain = $6, visibility = $7, owner_type = $8, owner_id = $9, metadata = $10,
			version = version + 1, updated_at = `+later("updated_at", "$11")+` WHERE id = $1`,
		c.ID, c.Slug, c.Title, d.markdown, d.html, d.plain, c.Visibility, c.Owner.Type, c.Owner.ID,
		metadataColumn(c.Metadata), micros(now))
	if err != nil {
		return err
	}
	if err := tx.index(ctx, domain.SubjectChannel, int64(c.ID)); err != nil {
		return err
	}
	if err := tx.regroup(ctx, was, c); err != nil {
		return err
	}
	if err := tx.transition(ctx, was, effectOf(was), effectOf(c)); err != nil {
		return err
	}
	if turned {
		err := tx.eachParent(ctx, c.ID, func(conn domain.Connection) error { return tx.setItemPrivate(ctx, conn, private) })
		if err != nil {
			return err
		}
	}
	return tx.handOver(ctx, was, c)
}

// bumpBlocks adds to the counts of open and private channels of every block of a run in a
// channel, and to those of the documents of all that is in it. The blocks are locked in the
// order of their ids, so that two channels with the same blocks do not wait for each other.
func (tx *Tx) bumpBlocks(ctx context.Context, id domain.ChannelID, r run, open, private int64) error {
	if open == 0 && private == 0 {
		return tx.lockBlocksIn(ctx, id, r)
	}
	err := tx.exec(ctx, `UPDATE blocks SET open_count = open_count + $4, private_count = private_count + $5,
			version = version + CASE WHEN $4 <> 0 OR open_count = 0 THEN 1 ELSE 0 END
		WHERE id IN (SELECT b.id FROM blocks b WHERE b.id IN (
			SELECT c.item_id FROM connections c WHERE `+inRun+` AND c.item_type = 'Block') ORDER BY b.id`+tx.d.lock("b")+`)`,
		id, r.after, r.upto, open, private)
	if err != nil {
		return err
	}
	return tx.relinkAll(ctx, id, r, open)
}

// DeleteChannel ends a locked channel: it is gone from every list and count. Its
// own connections stay in the table, out of sight.
func (tx *Tx) DeleteChannel(ctx context.Context, c domain.Channel, now time.Time) error {
	if err := tx.LockWithParents(ctx, c.ID); err != nil {
		return err
	}
	if err := tx.LockOwners(ctx, c.Owner.PrincipalRef); err != nil {
		return err
	}
	err := tx.execOne(ctx, `UPDATE channels SET state = 'deleted', version = version + 1, updated_at = `+later("updated_at", "$2")+`
		WHERE id = $1 AND state = 'available'`, c.ID, micros(now))
	if err != nil {
		return err
	}
	open, private := placed(c.Visibility, -1)
	if err := tx.putInGroup(ctx, c.Owner.PrincipalRef, domain.ChannelRef(c.ID), open, private); err != nil {
		return err
	}
	if err := tx.transition(ctx, c, effectOf(c), effect{}); err != nil {
		return err
	}
	if err := tx.eachParent(ctx, c.ID, func(conn domain.Connection) error { return tx.Disconnect(ctx, conn, now) }); err != nil {
		return err
	}
	if err := tx.EndFollows(ctx, domain.Subject{Type: domain.SubjectChannel, ID: int64(c.ID)}); err != nil {
		return err
	}
	if err := tx.ForgetNotifications(ctx, domain.SubjectChannel, int64(c.ID)); err != nil {
		return err
	}
	if err := tx.unindex(ctx, domain.SubjectChannel, int64(c.ID)); err != nil {
		return err
	}
	return tx.bumpOwner(ctx, c.Owner.PrincipalRef, c.Visibility, -1)
}

// eachParent calls fn for each connection of a channel that is locked with its parents.
func (tx *Tx) eachParent(ctx context.Context, id domain.ChannelID, fn func(domain.Connection) error) error {
	rows, err := tx.q.Query(ctx, "SELECT "+connectionColumns+" FROM connections c "+connectionMaker+
		" WHERE c.item_type = 'Channel' AND c.item_id = $1 ORDER BY c.channel_id", id)
	all, err := collect(ctx, rows, err, scanConnection)
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

func (tx *Tx) parents(ctx context.Context, id domain.ChannelID) ([]domain.ChannelID, error) {
	rows, err := tx.q.Query(ctx, `SELECT channel_id FROM connections WHERE item_type = 'Channel' AND item_id = $1`, id)
	return collect(ctx, rows, err, func(row scanner) (c domain.ChannelID, err error) {
		err = row.Scan(&c)
		return c, err
	})
}

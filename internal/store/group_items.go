package store

import (
	"context"
	"database/sql"
	"errors"

	"vitrine/internal/domain"
)

// group_items has what a group has: its live channels, and the blocks in them, each once,
// with the number of open and of private channels of the group that it is in. A row
// changes while its block or channel is locked.

// placed gives what one place in a channel of some visibility adds to the two numbers.
func placed(v domain.Visibility, by int64) (open, private int64) {
	if v == domain.Private {
		return 0, by
	}
	return by, 0
}

// putGroupItems begins a statement that adds to the numbers of items of a group ($1), open
// ones $2 and private ones $3; the items are documents `d` that the rest selects.
const putGroupItems = `INSERT INTO group_items (group_id, kind, item_id, type, open_n, private_n, open, created_at, updated_at)
	SELECT CAST($1 AS BIGINT), d.kind, d.item_id, d.type, CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($2 AS BIGINT) > 0, d.created_at, d.updated_at `

const addToGroupItems = ` ON CONFLICT (group_id, kind, item_id) DO UPDATE SET open_n = group_items.open_n + excluded.open_n,
	private_n = group_items.private_n + excluded.private_n, open = group_items.open_n + excluded.open_n > 0`

// putInGroup notes that an item came into a channel of an owner, or went by -1; nothing if
// that is no group.
func (tx *Tx) putInGroup(ctx context.Context, owner domain.PrincipalRef, item domain.ItemRef, open, private int64) error {
	if owner.Type != domain.TypeGroup {
		return nil
	}
	var typ string
	var opens, privates int64
	err := tx.q.QueryRow(ctx, putGroupItems+`FROM search_documents d WHERE d.kind = $4 AND d.item_id = $5`+addToGroupItems+`
		RETURNING type, open_n, private_n`, owner.ID, open, private, item.Type, item.ID).Scan(&typ, &opens, &privates)
	if err != nil {
		return err
	}
	if before := opens + privates - open - private; before > 0 {
		tx.recount(owner, typ, item.ID, tallied(opens > open, -1))
	}
	if opens+privates > 0 {
		tx.recount(owner, typ, item.ID, tallied(opens > 0, 1))
		return nil
	}
	return tx.execOne(ctx, `DELETE FROM group_items WHERE group_id = $1 AND kind = $2 AND item_id = $3`, owner.ID, item.Type, item.ID)
}

// inGroup finds the rows of a group ($4) for the blocks of a run in a channel.
const inGroup = `group_id = $4 AND kind = 'Block' AND item_id IN (
	SELECT c.item_id FROM connections c WHERE ` + inRun + ` AND c.item_type = 'Block')`

// putAllInGroup is putInGroup for the blocks of a run in a locked channel, which are locked.
func (tx *Tx) putAllInGroup(ctx context.Context, group domain.GroupID, id domain.ChannelID, r run, open, private int64) error {
	if group == 0 || open == 0 && private == 0 {
		return nil
	}
	var err error
	if open+private > 0 {
		err = tx.exec(ctx, putGroupItems+`FROM connections c JOIN search_documents d ON d.kind = c.item_type AND d.item_id = c.item_id
			WHERE c.channel_id = $4 AND c.item_private IN (FALSE, TRUE) AND c.created_at > $5 AND c.created_at <= $6
				AND c.item_type = 'Block' ORDER BY d.item_id`+addToGroupItems, group, open, private, id, r.after, r.upto)
	} else {
		err = tx.moveGroupItems(ctx, group, id, r, open, private)
	}
	if err != nil {
		return err
	}
	return tx.recountMany(ctx, domain.TypeGroup, `SELECT group_id, type, item_id % 8,
			CAST(sum(CASE WHEN open_n > 0 THEN 1 ELSE 0 END - CASE WHEN open_n > $5 THEN 1 ELSE 0 END) AS BIGINT),
			CAST(sum(CASE WHEN open_n = 0 AND private_n > 0 THEN 1 ELSE 0 END - CASE WHEN open_n = $5 AND private_n > $6 THEN 1 ELSE 0 END) AS BIGINT)
		FROM group_items WHERE `+inGroup+` GROUP BY group_id, type, item_id % 8`, id, r.after, r.upto, group, open, private)
}

// moveGroupItems adds to the numbers of rows that are there. If the channel goes, the rows
// of blocks that are nowhere else in the group go with it.
func (tx *Tx) moveGroupItems(ctx context.Context, group domain.GroupID, id domain.ChannelID, r run, open, private int64) error {
	if open+private < 0 {
		const last = inGroup + ` AND open_n = $5 AND private_n = $6`
		err := tx.recountMany(ctx, domain.TypeGroup, `SELECT group_id, type, item_id % 8, -count(CASE WHEN open THEN 1 END),
			-count(CASE WHEN NOT open THEN 1 END) FROM group_items WHERE `+last+` GROUP BY group_id, type, item_id % 8`,
			id, r.after, r.upto, group, -open, -private)
		if err != nil {
			return err
		}
		if err := tx.exec(ctx, `DELETE FROM group_items WHERE `+last, id, r.after, r.upto, group, -open, -private); err != nil {
			return err
		}
	}
	return tx.exec(ctx, `UPDATE group_items SET open_n = open_n + $5, private_n = private_n + $6, open = open_n + $5 > 0
		WHERE `+inGroup, id, r.after, r.upto, group, open, private)
}

// regroup carries a change of a channel's owner or visibility to its own place in groups.
func (tx *Tx) regroup(ctx context.Context, was, is domain.Channel) error {
	before, after := was.Owner.PrincipalRef, is.Owner.PrincipalRef
	fromOpen, fromPrivate := placed(was.Visibility, -1)
	toOpen, toPrivate := placed(is.Visibility, 1)
	if before == after && toOpen+fromOpen == 0 {
		return nil
	}
	if before == after {
		return tx.putInGroup(ctx, after, domain.ChannelRef(is.ID), toOpen+fromOpen, toPrivate+fromPrivate)
	}
	if err := tx.putInGroup(ctx, before, domain.ChannelRef(is.ID), fromOpen, fromPrivate); err != nil {
		return err
	}
	return tx.putInGroup(ctx, after, domain.ChannelRef(is.ID), toOpen, toPrivate)
}

// lockBlocksIn locks the blocks of a run in a channel, in the order of their ids.
func (tx *Tx) lockBlocksIn(ctx context.Context, id domain.ChannelID, r run) error {
	if !tx.d.locks() {
		return nil
	}
	_, err := scanInt64(tx.q.QueryRow(ctx, `SELECT count(*) FROM (SELECT b.id FROM blocks b WHERE b.id IN (
		SELECT c.item_id FROM connections c WHERE `+inRun+` AND c.item_type = 'Block') ORDER BY b.id`+tx.d.lock("b")+`) AS locked`,
		id, r.after, r.upto))
	return err
}

// touchGroupItems carries an item's kind and time of change to what groups have.
func (tx *Tx) touchGroupItems(ctx context.Context, d document, was string) error {
	rows, err := tx.q.Query(ctx, `UPDATE group_items SET type = $3, updated_at = $4 WHERE kind = $1 AND item_id = $2
		RETURNING group_id, open`, d.kind, d.id, d.typ, d.updated)
	_, err = collect(ctx, rows, err, func(row scanner) (open bool, err error) {
		var id domain.GroupID
		err = row.Scan(&id, &open)
		tx.recount(domain.GroupRef(id), was, d.id, tallied(open, -1))
		tx.recount(domain.GroupRef(id), d.typ, d.id, tallied(open, 1))
		return open, err
	})
	return err
}

// EndedGroup is the job that forgets what a deleted group had.
type EndedGroup struct {
	ID domain.GroupID `json:"id"`
}

// Kind names the job.
func (EndedGroup) Kind() string { return "ended_group" }

// endedItems is how many rows of group_items go in one transaction.
const endedItems = 1000

// EndGroupItems forgets some of what a deleted group had, and leaves the rest to a job.
// The counts go last, since who changes a row of group_items counts it at the same time.
func (tx *Tx) EndGroupItems(ctx context.Context, id domain.GroupID) error {
	var kind string
	var item int64
	err := tx.q.QueryRow(ctx, `SELECT kind, item_id FROM group_items WHERE group_id = $1 ORDER BY kind, item_id
		LIMIT 1 OFFSET $2`, id, endedItems).Scan(&kind, &item)
	if err == nil {
		err = tx.exec(ctx, `DELETE FROM group_items WHERE group_id = $1 AND (kind, item_id) < ($2, $3)`, id, kind, item)
		if err != nil {
			return err
		}
		return tx.Enqueue(ctx, EndedGroup{id})
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if err := tx.exec(ctx, `DELETE FROM group_items WHERE group_id = $1`, id); err != nil {
		return err
	}
	return tx.exec(ctx, `DELETE FROM content_counts WHERE owner_type = 'Group' AND owner_id = $1`, id)
}

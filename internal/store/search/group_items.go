package search

import (
	"context"
	"errors"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/sqlx"
)

// group_items contains the items of groups: their live channels and the blocks in those, each
// once, with the numbers of the group's open and private channels that contain it. A row changes
// while its block or channel is locked.

// Placed returns what one place in a channel with a visibility adds to the two numbers.
func Placed(v domain.Visibility, by int64) (open, private int64) {
	if v == domain.Private {
		return 0, by
	}
	return by, 0
}

// putGroupItems begins a statement that adds to the numbers of items of the group $1: $2 open
// places and $3 private ones. The items are the documents `d` that the rest of the statement
// selects.
const putGroupItems = `INSERT INTO group_items (group_id, kind, item_id, type, open_n, private_n, open, created_at, updated_at)
	SELECT CAST($1 AS BIGINT), d.kind, d.item_id, d.type, CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($2 AS BIGINT) > 0, d.created_at, d.updated_at `

const addToGroupItems = ` ON CONFLICT (group_id, kind, item_id) DO UPDATE SET open_n = group_items.open_n + excluded.open_n,
	private_n = group_items.private_n + excluded.private_n, open = group_items.open_n + excluded.open_n > 0`

// PutInGroup records that an item was added to a channel of an owner, or removed with negative
// numbers. It does nothing unless the owner is a group.
func (ix *Index) PutInGroup(ctx context.Context, owner domain.PrincipalRef, item domain.ItemRef, open, private int64) error {
	if owner.Type != domain.TypeGroup {
		return nil
	}
	from, args := `FROM search_documents d WHERE d.kind = $4 AND d.item_id = $5`, []any{owner.ID, open, private, item.Type, item.ID}
	if p := ix.pendingOf(domain.SubjectType(item.Type), item.ID); p != nil && p.fresh {
		from = `FROM (SELECT CAST($4 AS TEXT) AS kind, CAST($5 AS BIGINT) AS item_id, CAST($6 AS TEXT) AS type,
			CAST($7 AS BIGINT) AS created_at, CAST($8 AS BIGINT) AS updated_at) AS d WHERE TRUE`
		args = append(args, p.typ, p.created, p.updated)
	}
	var typ string
	var opens, privates int64
	err := ix.db.QueryRow(ctx, putGroupItems+from+addToGroupItems+`
		RETURNING type, open_n, private_n`, args...).Scan(&typ, &opens, &privates)
	if err != nil {
		return err
	}
	if before := opens + privates - open - private; before > 0 {
		ix.deltas.Content(owner, typ, item.ID, counters.TallyOf(opens > open, -1))
	}
	if opens+privates > 0 {
		ix.deltas.Content(owner, typ, item.ID, counters.TallyOf(opens > 0, 1))
		return nil
	}
	return ix.db.ExecOne(ctx, `DELETE FROM group_items WHERE group_id = $1 AND kind = $2 AND item_id = $3`, owner.ID, item.Type, item.ID)
}

// documentInGroup selects the rows of the group $4 for the blocks of a run in a channel.
const documentInGroup = `group_id = $4 AND kind = 'Block' AND item_id IN (
	SELECT c.item_id FROM connections c WHERE ` + access.OfRun + ` AND c.item_type = 'Block')`

// PutAllInGroup is PutInGroup for the blocks of a run in a locked channel. The blocks must be
// locked.
func (ix *Index) PutAllInGroup(ctx context.Context, group domain.GroupID, id domain.ChannelID, r access.Run, open, private int64) error {
	if group == 0 || open == 0 && private == 0 {
		return nil
	}
	err := ix.Flush(ctx)
	if err != nil {
		return err
	}
	if open+private > 0 {
		err = ix.db.Exec(ctx, putGroupItems+`FROM connections c JOIN search_documents d ON d.kind = c.item_type AND d.item_id = c.item_id
			WHERE c.channel_id = $4 AND c.item_private IN (FALSE, TRUE) AND c.created_at > $5 AND c.created_at <= $6
				AND c.item_type = 'Block' ORDER BY d.item_id`+addToGroupItems, group, open, private, id, r.After, r.Upto)
	} else {
		err = ix.moveGroupItems(ctx, group, id, r, open, private)
	}
	if err != nil {
		return err
	}
	return ix.deltas.Contents(ctx, domain.TypeGroup, `SELECT group_id, type, item_id % 8,
			CAST(sum(CASE WHEN open_n > 0 THEN 1 ELSE 0 END - CASE WHEN open_n > $5 THEN 1 ELSE 0 END) AS BIGINT),
			CAST(sum(CASE WHEN open_n = 0 AND private_n > 0 THEN 1 ELSE 0 END - CASE WHEN open_n = $5 AND private_n > $6 THEN 1 ELSE 0 END) AS BIGINT)
		FROM group_items WHERE `+documentInGroup+` GROUP BY group_id, type, item_id % 8`, id, r.After, r.Upto, group, open, private)
}

// moveGroupItems adds to the numbers of existing rows. If the channel is removed, it deletes the
// rows of blocks that are nowhere else in the group.
func (ix *Index) moveGroupItems(ctx context.Context, group domain.GroupID, id domain.ChannelID, r access.Run, open, private int64) error {
	if open+private < 0 {
		const last = documentInGroup + ` AND open_n = $5 AND private_n = $6`
		err := ix.deltas.Contents(ctx, domain.TypeGroup, `SELECT group_id, type, item_id % 8, -count(CASE WHEN open THEN 1 END),
			-count(CASE WHEN NOT open THEN 1 END) FROM group_items WHERE `+last+` GROUP BY group_id, type, item_id % 8`,
			id, r.After, r.Upto, group, -open, -private)
		if err != nil {
			return err
		}
		if err := ix.db.Exec(ctx, `DELETE FROM group_items WHERE `+last, id, r.After, r.Upto, group, -open, -private); err != nil {
			return err
		}
	}
	return ix.db.Exec(ctx, `UPDATE group_items SET open_n = open_n + $5, private_n = private_n + $6, open = open_n + $5 > 0
		WHERE `+documentInGroup, id, r.After, r.Upto, group, open, private)
}

// Regroup updates the groups of a channel after a change of its owner or visibility.
func (ix *Index) Regroup(ctx context.Context, was, is domain.Channel) error {
	before, after := was.Owner.PrincipalRef, is.Owner.PrincipalRef
	fromOpen, fromPrivate := Placed(was.Visibility, -1)
	toOpen, toPrivate := Placed(is.Visibility, 1)
	if before == after && toOpen+fromOpen == 0 {
		return nil
	}
	if before == after {
		return ix.PutInGroup(ctx, after, domain.ChannelRef(is.ID), toOpen+fromOpen, toPrivate+fromPrivate)
	}
	if err := ix.PutInGroup(ctx, before, domain.ChannelRef(is.ID), fromOpen, fromPrivate); err != nil {
		return err
	}
	return ix.PutInGroup(ctx, after, domain.ChannelRef(is.ID), toOpen, toPrivate)
}

// touchGroupItems copies the type and the time of change of an item to the groups that have it.
func (ix *Index) touchGroupItems(ctx context.Context, d Document, was string) error {
	rows, err := ix.db.Query(ctx, `UPDATE group_items SET type = $3, updated_at = $4 WHERE kind = $1 AND item_id = $2
		RETURNING group_id, open`, d.kind, d.id, d.typ, d.updated)
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (open bool, err error) {
		var id domain.GroupID
		err = row.Scan(&id, &open)
		ix.deltas.Content(domain.GroupRef(id), was, d.id, counters.TallyOf(open, -1))
		ix.deltas.Content(domain.GroupRef(id), d.typ, d.id, counters.TallyOf(open, 1))
		return open, err
	})
	return err
}

// endedItems is how many rows of group_items one transaction deletes.
const endedItems = 1000

// EndGroup deletes some of the items of a deleted group and reports whether there may be more. It
// deletes the counts last, because a transaction that changes a row of group_items also counts it.
func (ix *Index) EndGroup(ctx context.Context, id domain.GroupID) (more bool, err error) {
	var kind string
	var item int64
	err = ix.db.QueryRow(ctx, `SELECT kind, item_id FROM group_items WHERE group_id = $1 ORDER BY kind, item_id
		LIMIT 1 OFFSET $2`, id, endedItems).Scan(&kind, &item)
	if err == nil {
		err = ix.db.Exec(ctx, `DELETE FROM group_items WHERE group_id = $1 AND (kind, item_id) < ($2, $3)`, id, kind, item)
		return true, err
	}
	if !errors.Is(err, database.ErrNoRows) {
		return false, err
	}
	if err := ix.db.Exec(ctx, `DELETE FROM group_items WHERE group_id = $1`, id); err != nil {
		return false, err
	}
	return false, ix.db.Exec(ctx, `DELETE FROM content_counts WHERE owner_type = 'Group' AND owner_id = $1`, id)
}

// groupPlaces selects the places in live channels of groups: each channel itself and every block
// in it. If a transition is pending, it selects the places before it.
const groupPlaces = `SELECT ch.owner_id AS group_id, 'Channel' AS kind, ch.id AS item_id, ch.visibility AS visibility
		FROM channels ch WHERE ch.owner_type = 'Group' AND ch.state = 'available'
	UNION ALL SELECT ch.owner_id, 'Block', c.item_id, ch.visibility
		FROM channels ch JOIN connections c ON c.channel_id = ch.id AND c.item_type = 'Block'
		WHERE ch.owner_type = 'Group' AND ch.state = 'available' AND NOT EXISTS (
			SELECT 1 FROM pending_transitions pt WHERE ` + access.InRun + `)
	UNION ALL SELECT pt.group_id, 'Block', c.item_id, CASE WHEN pt.open_n > 0 THEN 'public' ELSE 'private' END
		FROM pending_transitions pt JOIN connections c ON ` + access.InRun + `
		WHERE pt.group_id <> 0 AND c.item_type = 'Block'`

// GroupItemChecks compare the items of groups with their channels. They ignore deleted groups,
// whose items a job deletes.
var GroupItemChecks = []sqlx.Check{
	placedIn("open_n", "<> 'private'"),
	placedIn("private_n", "= 'private'"),
	{What: "group_items that are in no channel", Query: `SELECT gi.group_id, gi.item_id, 0 FROM group_items gi
		WHERE gi.open_n < 0 OR gi.private_n < 0 OR gi.open_n + gi.private_n < 1`},
	copied("open", "CASE WHEN gi.open THEN 1 ELSE 0 END", "CASE WHEN gi.open_n > 0 THEN 1 ELSE 0 END"),
	copied("type", "0", "CASE WHEN gi.type = d.type THEN 0 ELSE 1 END"),
	copied("created_at", "gi.created_at", "d.created_at"),
	copied("updated_at", "gi.updated_at", "d.updated_at"),
}

// placedIn compares one of the two numbers, including items without a row.
func placedIn(column, visibility string) sqlx.Check {
	return sqlx.Check{What: "group_items." + column, Query: `SELECT group_id, CAST(sum(stored) AS BIGINT), CAST(sum(actual) AS BIGINT) FROM (
		SELECT gi.group_id, gi.kind, gi.item_id, gi.` + column + ` AS stored, 0 AS actual FROM group_items gi
			WHERE EXISTS (SELECT 1 FROM groups g WHERE g.id = gi.group_id)
		UNION ALL SELECT p.group_id, p.kind, p.item_id, 0, 1 FROM (` + groupPlaces + `) AS p WHERE p.visibility ` + visibility + `) AS both_sides
		GROUP BY group_id, kind, item_id HAVING sum(stored) <> sum(actual)`}
}

// copied compares a column with the item's document `d`.
func copied(what, stored, actual string) sqlx.Check {
	return sqlx.Check{What: "group_items." + what, Query: `SELECT group_id, stored, actual FROM (
		SELECT gi.group_id AS group_id, ` + stored + ` AS stored, ` + actual + ` AS actual
		FROM group_items gi JOIN search_documents d ON d.kind = gi.kind AND d.item_id = gi.item_id
		WHERE EXISTS (SELECT 1 FROM groups g WHERE g.id = gi.group_id)) AS x WHERE stored <> actual`}
}

// RepairGroup corrects the numbers of a locked group's items by the difference to its channels in
// one snapshot, and copies the columns of the items' documents.
func (ix *Index) RepairGroup(ctx context.Context, id domain.GroupID) error {
	for _, statement := range []string{
		`INSERT INTO group_items (group_id, kind, item_id, type, open_n, private_n, open, created_at, updated_at)
		SELECT $1, d.kind, d.item_id, d.type, x.open_n, x.private_n, x.open_n > 0, d.created_at, d.updated_at FROM (
			SELECT kind, item_id, CAST(sum(open_n) AS BIGINT) AS open_n, CAST(sum(private_n) AS BIGINT) AS private_n FROM (
				SELECT p.kind, p.item_id, CASE WHEN p.visibility = 'private' THEN 0 ELSE 1 END AS open_n,
					CASE WHEN p.visibility = 'private' THEN 1 ELSE 0 END AS private_n FROM (` + groupPlaces + `) AS p WHERE p.group_id = $1
				UNION ALL SELECT gi.kind, gi.item_id, -gi.open_n, -gi.private_n FROM group_items gi WHERE gi.group_id = $1) AS sides
			GROUP BY kind, item_id HAVING sum(open_n) <> 0 OR sum(private_n) <> 0) AS x
		JOIN search_documents d ON d.kind = x.kind AND d.item_id = x.item_id WHERE TRUE` + addToGroupItems,
		`DELETE FROM group_items WHERE group_id = $1 AND (kind, item_id) NOT IN (
			SELECT p.kind, p.item_id FROM (` + groupPlaces + `) AS p WHERE p.group_id = $1)`,
		`UPDATE group_items SET open = open_n > 0, (type, created_at, updated_at) = (SELECT d.type, d.created_at, d.updated_at
			FROM search_documents d WHERE d.kind = group_items.kind AND d.item_id = group_items.item_id)
		WHERE group_id = $1 AND EXISTS (SELECT 1 FROM search_documents d WHERE d.kind = group_items.kind AND d.item_id = group_items.item_id
			AND (d.type <> group_items.type OR d.created_at <> group_items.created_at OR d.updated_at <> group_items.updated_at
				OR group_items.open <> (group_items.open_n > 0)))`,
	} {
		if err := ix.db.Exec(ctx, statement, id); err != nil {
			return err
		}
	}
	return nil
}

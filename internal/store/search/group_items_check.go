package search

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

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

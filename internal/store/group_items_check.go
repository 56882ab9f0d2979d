package store

// groupPlaces are the places that the live channels of groups give: each channel itself,
// and every block in one; or those of before, where that is pending.
const groupPlaces = `SELECT ch.owner_id AS group_id, 'Channel' AS kind, ch.id AS item_id, ch.visibility AS visibility
		FROM channels ch WHERE ch.owner_type = 'Group' AND ch.state = 'available'
	UNION ALL SELECT ch.owner_id, 'Block', c.item_id, ch.visibility
		FROM channels ch JOIN connections c ON c.channel_id = ch.id AND c.item_type = 'Block'
		WHERE ch.owner_type = 'Group' AND ch.state = 'available' AND NOT EXISTS (
			SELECT 1 FROM pending_transitions pt WHERE ` + isPending + `)
	UNION ALL SELECT pt.group_id, 'Block', c.item_id, CASE WHEN pt.open_n > 0 THEN 'public' ELSE 'private' END
		FROM pending_transitions pt JOIN connections c ON ` + isPending + `
		WHERE pt.group_id <> 0 AND c.item_type = 'Block'`

// groupItemChecks hold what groups have against their channels. What a deleted group
// leaves goes by a job, and is passed over.
var groupItemChecks = []check{
	placedIn("open_n", "<> 'private'"),
	placedIn("private_n", "= 'private'"),
	{"group_items that are in no channel", `SELECT gi.group_id, gi.item_id, 0 FROM group_items gi
		WHERE gi.open_n < 0 OR gi.private_n < 0 OR gi.open_n + gi.private_n < 1`},
	copied("open", "CASE WHEN gi.open THEN 1 ELSE 0 END", "CASE WHEN gi.open_n > 0 THEN 1 ELSE 0 END"),
	copied("type", "0", "CASE WHEN gi.type = d.type THEN 0 ELSE 1 END"),
	copied("created_at", "gi.created_at", "d.created_at"),
	copied("updated_at", "gi.updated_at", "d.updated_at"),
}

// placedIn compares one of the two numbers, also of items without a row.
func placedIn(column, visibility string) check {
	return check{"group_items." + column, `SELECT group_id, CAST(sum(stored) AS BIGINT), CAST(sum(actual) AS BIGINT) FROM (
		SELECT gi.group_id, gi.kind, gi.item_id, gi.` + column + ` AS stored, 0 AS actual FROM group_items gi
			WHERE EXISTS (SELECT 1 FROM groups g WHERE g.id = gi.group_id)
		UNION ALL SELECT p.group_id, p.kind, p.item_id, 0, 1 FROM (` + groupPlaces + `) AS p WHERE p.visibility ` + visibility + `) AS both_sides
		GROUP BY group_id, kind, item_id HAVING sum(stored) <> sum(actual)`}
}

// copied compares a column with the item's document `d`.
func copied(what, stored, actual string) check {
	return check{"group_items." + what, `SELECT group_id, stored, actual FROM (
		SELECT gi.group_id AS group_id, ` + stored + ` AS stored, ` + actual + ` AS actual
		FROM group_items gi JOIN search_documents d ON d.kind = gi.kind AND d.item_id = gi.item_id
		WHERE EXISTS (SELECT 1 FROM groups g WHERE g.id = gi.group_id)) AS x WHERE stored <> actual`}
}

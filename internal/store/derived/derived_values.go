package derived

import (
	"fmt"

	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// counted compares a column with a query over `r`, its row.
func counted(what, table, column, actual string) sqlx.Check {
	return sqlx.Check{What: what, Query: fmt.Sprintf(`SELECT id, stored, actual FROM (
		SELECT r.id AS id, r.%s AS stored, (%s) AS actual FROM %s r) AS d WHERE stored <> actual`, column, actual, table)}
}

func owned(ownerType, visibility string) string {
	return `SELECT count(*) FROM channels ch WHERE ch.state = 'available' AND ch.owner_type = '` + ownerType +
		`' AND ch.owner_id = r.id AND ch.visibility ` + visibility
}

// CROSS JOIN makes SQLite read the tables in the written order. With the statistics of a small
// site, it would otherwise scan all channels for each row.
const inChannels = `SELECT count(*) FROM connections c CROSS JOIN channels ch
	LEFT JOIN pending_transitions pt ON ` + access.InRun + `
	WHERE ch.id = c.channel_id AND c.item_type = 'Block' AND c.item_id = r.id AND 0 < `

// Checks recompute the values that channels, blocks, users, groups and connections derive, and find
// contradictions among the facts.
var Checks = []sqlx.Check{
	counted("channels.blocks_count", "channels", "blocks_count",
		`SELECT count(*) FROM connections c WHERE c.channel_id = r.id AND c.item_type = 'Block'`),
	counted("channels.channels_count", "channels", "channels_count",
		`SELECT count(*) FROM connections c WHERE c.channel_id = r.id AND c.item_type = 'Channel'`),
	counted("channels.private_count", "channels", "private_count",
		`SELECT count(*) FROM connections c CROSS JOIN channels ch
		 WHERE c.channel_id = r.id AND c.item_type = 'Channel' AND ch.id = c.item_id AND ch.visibility = 'private'`),
	counted("channels.collaborators_count", "channels", "collaborators_count",
		`SELECT count(*) FROM collaborators co WHERE co.channel_id = r.id`),
	counted("blocks.open_count", "blocks", "open_count", inChannels+access.OpenApplied),
	counted("blocks.private_count", "blocks", "private_count", inChannels+access.PrivateApplied),
	counted("users.open_channels", "users", "open_channels", owned("User", "<> 'private'")),
	counted("users.private_channels", "users", "private_channels", owned("User", "= 'private'")),
	counted("groups.open_channels", "groups", "open_channels", owned("Group", "<> 'private'")),
	counted("groups.private_channels", "groups", "private_channels", owned("Group", "= 'private'")),
	counted("groups.users_count", "groups", "users_count",
		`SELECT count(*) FROM group_members gm WHERE gm.group_id = r.id`),
	counted("users.followers_count", "users", "followers_count",
		`SELECT count(*) FROM follows f WHERE f.followed_type = 'User' AND f.followed_id = r.id`),
	counted("users.following_count", "users", "following_count",
		`SELECT count(*) FROM follows f WHERE f.follower_id = r.id`),
	counted("blocks.comment_count", "blocks", "comment_count",
		`SELECT count(*) FROM comments c WHERE c.block_id = r.id`),
	{What: "connections.item_updated_at of a block", Query: `SELECT c.id, c.item_updated_at, b.updated_at FROM connections c
		JOIN blocks b ON b.id = c.item_id WHERE c.item_type = 'Block' AND c.item_updated_at <> b.updated_at`},
	{What: "connections.item_updated_at of a channel", Query: `SELECT c.id, c.item_updated_at, 0 FROM connections c
		WHERE c.item_type = 'Channel' AND c.item_updated_at <> 0`},
	{What: "channels.updated_at before its last addition", Query: `SELECT ch.id, ch.updated_at, ch.last_connected_at FROM channels ch
		WHERE ch.updated_at < ch.last_connected_at`},
	{What: "connections.item_private", Query: `SELECT c.id, CASE WHEN c.item_private THEN 1 ELSE 0 END,
		CASE WHEN ch.visibility = 'private' THEN 1 ELSE 0 END
		FROM connections c JOIN channels ch ON ch.id = c.item_id
		WHERE c.item_type = 'Channel' AND c.item_private <> (ch.visibility = 'private')`},
	{What: "connections.item_private of a block", Query: `SELECT c.id, 1, 0 FROM connections c
		WHERE c.item_type = 'Block' AND c.item_private`},
	{What: "connections to a deleted channel", Query: `SELECT c.id, 1, 0 FROM connections c JOIN channels ch ON ch.id = c.item_id
		WHERE c.item_type = 'Channel' AND ch.state = 'deleted'`},
	{What: "connections without their block", Query: `SELECT c.id, c.item_id, 0 FROM connections c
		WHERE c.item_type = 'Block' AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.id = c.item_id)`},
	{What: "connections without their channel", Query: `SELECT c.id, c.item_id, 0 FROM connections c
		WHERE c.item_type = 'Channel' AND NOT EXISTS (SELECT 1 FROM channels ch WHERE ch.id = c.item_id)`},
	{What: "connections.position_key given twice", Query: `SELECT channel_id, count(*), 1 FROM connections
		GROUP BY channel_id, position_key HAVING count(*) > 1`},
	{What: "connections.created_at given twice", Query: `SELECT channel_id, count(*), 1 FROM connections
		GROUP BY channel_id, created_at HAVING count(*) > 1`},
	{What: "channels.last_connected_at before a connection", Query: `SELECT ch.id, ch.last_connected_at, max(c.created_at)
		FROM channels ch JOIN connections c ON c.channel_id = ch.id GROUP BY ch.id, ch.last_connected_at
		HAVING max(c.created_at) > ch.last_connected_at`},
	{What: "channels without their owner", Query: `SELECT ch.id, ch.owner_id, 0 FROM channels ch
		WHERE CASE ch.owner_type WHEN 'User' THEN NOT EXISTS (SELECT 1 FROM users u WHERE u.id = ch.owner_id)
			ELSE NOT EXISTS (SELECT 1 FROM groups g WHERE g.id = ch.owner_id) END`},
	{What: "channels of a deleted account", Query: `SELECT ch.id, ch.owner_id, 0 FROM channels ch JOIN users u ON u.id = ch.owner_id
		WHERE ch.owner_type = 'User' AND ch.state = 'available' AND u.deleted_at IS NOT NULL`},
	{What: "collaborators without their user or group", Query: `SELECT co.channel_id, co.member_id, 0 FROM collaborators co
		WHERE CASE co.member_type WHEN 'User' THEN NOT EXISTS (SELECT 1 FROM users u WHERE u.id = co.member_id)
			ELSE NOT EXISTS (SELECT 1 FROM groups g WHERE g.id = co.member_id) END`},
	{What: "groups.owner_id without membership", Query: `SELECT g.id, g.owner_id, 0 FROM groups g WHERE NOT EXISTS (
		SELECT 1 FROM group_members gm WHERE gm.group_id = g.id AND gm.user_id = g.owner_id)`},
	{What: "slugs of nothing", Query: `SELECT s.target_id, 1, 0 FROM slugs s WHERE CASE s.kind
		WHEN 'User' THEN NOT EXISTS (SELECT 1 FROM users u WHERE u.id = s.target_id)
		WHEN 'Group' THEN FALSE -- a deleted group leaves its slugs behind, so that nobody gets them
		ELSE NOT EXISTS (SELECT 1 FROM channels ch WHERE ch.id = s.target_id) END`},
	{What: "channels.slug without its claim", Query: `SELECT ch.id, 1, 0 FROM channels ch WHERE NOT EXISTS (
		SELECT 1 FROM slugs s WHERE s.kind = 'Channel' AND s.slug = ch.slug AND s.target_id = ch.id)`},
	{What: "users.slug without its claim", Query: `SELECT u.id, 1, 0 FROM users u WHERE NOT EXISTS (
		SELECT 1 FROM slugs s WHERE s.kind = 'User' AND s.slug = u.slug AND s.target_id = u.id)`},
	{What: "groups.slug without its claim", Query: `SELECT g.id, 1, 0 FROM groups g WHERE NOT EXISTS (
		SELECT 1 FROM slugs s WHERE s.kind = 'Group' AND s.slug = g.slug AND s.target_id = g.id)`},
	{What: "followers of a group that is gone", Query: `SELECT f.id, f.followed_id, 0 FROM follows f
		WHERE f.followed_type = 'Group' AND NOT EXISTS (SELECT 1 FROM groups g WHERE g.id = f.followed_id)`},
	{What: "invitations that are pending for a member", Query: `SELECT i.id, 1, 0 FROM invitations i
		JOIN group_members gm ON gm.group_id = i.group_id AND gm.user_id = i.invitee_id WHERE i.state = 'pending'`},
}

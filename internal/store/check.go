package store

import (
	"context"
	"fmt"
	"slices"
)

// Difference is a derived value that is not what the facts say.
type Difference struct {
	What   string // table and column
	ID     int64  // of the row; of the channel for nodes of an order
	Stored int64
	Actual int64
}

func (d Difference) String() string {
	return fmt.Sprintf("%s of %d: stored %d, actual %d", d.What, d.ID, d.Stored, d.Actual)
}

// check is a query that gives (id, stored, actual) where the two differ.
type check struct{ what, query string }

// counted compares a column with a query over `r`, its row.
func counted(what, table, column, actual string) check {
	return check{what, fmt.Sprintf(`SELECT id, stored, actual FROM (
		SELECT r.id AS id, r.%s AS stored, (%s) AS actual FROM %s r) AS d WHERE stored <> actual`, column, actual, table)}
}

func owned(ownerType, visibility string) string {
	return `SELECT count(*) FROM channels ch WHERE ch.state = 'available' AND ch.owner_type = '` + ownerType +
		`' AND ch.owner_id = r.id AND ch.visibility ` + visibility
}

// CROSS JOIN has SQLite read the tables in the order in which they are written, whatever
// its statistics say: those of a small site have it go through all channels for each row.
const inChannels = `SELECT count(*) FROM connections c CROSS JOIN channels ch
	LEFT JOIN pending_transitions pt ON ` + isPending + `
	WHERE ch.id = c.channel_id AND c.item_type = 'Block' AND c.item_id = r.id AND 0 < `

// checks recompute every derived value but the orders' nodes.
var checks = []check{
	counted("channels.blocks_count", "channels", "blocks_count",
		`SELECT count(*) FROM connections c WHERE c.channel_id = r.id AND c.item_type = 'Block'`),
	counted("channels.channels_count", "channels", "channels_count",
		`SELECT count(*) FROM connections c WHERE c.channel_id = r.id AND c.item_type = 'Channel'`),
	counted("channels.private_count", "channels", "private_count",
		`SELECT count(*) FROM connections c CROSS JOIN channels ch
		 WHERE c.channel_id = r.id AND c.item_type = 'Channel' AND ch.id = c.item_id AND ch.visibility = 'private'`),
	counted("channels.collaborators_count", "channels", "collaborators_count",
		`SELECT count(*) FROM collaborators co WHERE co.channel_id = r.id`),
	counted("blocks.open_count", "blocks", "open_count", inChannels+openApplied),
	counted("blocks.private_count", "blocks", "private_count", inChannels+privateApplied),
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
	{"connections.item_updated_at of a block", `SELECT c.id, c.item_updated_at, b.updated_at FROM connections c
		JOIN blocks b ON b.id = c.item_id WHERE c.item_type = 'Block' AND c.item_updated_at <> b.updated_at`},
	{"connections.item_updated_at of a channel", `SELECT c.id, c.item_updated_at, 0 FROM connections c
		WHERE c.item_type = 'Channel' AND c.item_updated_at <> 0`},
	{"channels.updated_at before its last addition", `SELECT ch.id, ch.updated_at, ch.last_connected_at FROM channels ch
		WHERE ch.updated_at < ch.last_connected_at`},
	{"connections.item_private", `SELECT c.id, CASE WHEN c.item_private THEN 1 ELSE 0 END,
		CASE WHEN ch.visibility = 'private' THEN 1 ELSE 0 END
		FROM connections c JOIN channels ch ON ch.id = c.item_id
		WHERE c.item_type = 'Channel' AND c.item_private <> (ch.visibility = 'private')`},
	{"connections.item_private of a block", `SELECT c.id, 1, 0 FROM connections c
		WHERE c.item_type = 'Block' AND c.item_private`},
	{"connections to a deleted channel", `SELECT c.id, 1, 0 FROM connections c JOIN channels ch ON ch.id = c.item_id
		WHERE c.item_type = 'Channel' AND ch.state = 'deleted'`},
	{"connections without their block", `SELECT c.id, c.item_id, 0 FROM connections c
		WHERE c.item_type = 'Block' AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.id = c.item_id)`},
	{"connections without their channel", `SELECT c.id, c.item_id, 0 FROM connections c
		WHERE c.item_type = 'Channel' AND NOT EXISTS (SELECT 1 FROM channels ch WHERE ch.id = c.item_id)`},
	{"connections.position_key given twice", `SELECT channel_id, count(*), 1 FROM connections
		GROUP BY channel_id, position_key HAVING count(*) > 1`},
	{"connections.created_at given twice", `SELECT channel_id, count(*), 1 FROM connections
		GROUP BY channel_id, created_at HAVING count(*) > 1`},
	{"channels.last_connected_at before a connection", `SELECT ch.id, ch.last_connected_at, max(c.created_at)
		FROM channels ch JOIN connections c ON c.channel_id = ch.id GROUP BY ch.id, ch.last_connected_at
		HAVING max(c.created_at) > ch.last_connected_at`},
	{"channels without their owner", `SELECT ch.id, ch.owner_id, 0 FROM channels ch
		WHERE CASE ch.owner_type WHEN 'User' THEN NOT EXISTS (SELECT 1 FROM users u WHERE u.id = ch.owner_id)
			ELSE NOT EXISTS (SELECT 1 FROM groups g WHERE g.id = ch.owner_id) END`},
	{"channels of a deleted account", `SELECT ch.id, ch.owner_id, 0 FROM channels ch JOIN users u ON u.id = ch.owner_id
		WHERE ch.owner_type = 'User' AND ch.state = 'available' AND u.deleted_at IS NOT NULL`},
	{"collaborators without their user or group", `SELECT co.channel_id, co.member_id, 0 FROM collaborators co
		WHERE CASE co.member_type WHEN 'User' THEN NOT EXISTS (SELECT 1 FROM users u WHERE u.id = co.member_id)
			ELSE NOT EXISTS (SELECT 1 FROM groups g WHERE g.id = co.member_id) END`},
	{"groups.owner_id without membership", `SELECT g.id, g.owner_id, 0 FROM groups g WHERE NOT EXISTS (
		SELECT 1 FROM group_members gm WHERE gm.group_id = g.id AND gm.user_id = g.owner_id)`},
	{"slugs of nothing", `SELECT s.target_id, 1, 0 FROM slugs s WHERE CASE s.kind
		WHEN 'User' THEN NOT EXISTS (SELECT 1 FROM users u WHERE u.id = s.target_id)
		WHEN 'Group' THEN FALSE -- a deleted group leaves its slugs behind, so that nobody gets them
		ELSE NOT EXISTS (SELECT 1 FROM channels ch WHERE ch.id = s.target_id) END`},
	{"channels.slug without its claim", `SELECT ch.id, 1, 0 FROM channels ch WHERE NOT EXISTS (
		SELECT 1 FROM slugs s WHERE s.kind = 'Channel' AND s.slug = ch.slug AND s.target_id = ch.id)`},
	{"users.slug without its claim", `SELECT u.id, 1, 0 FROM users u WHERE NOT EXISTS (
		SELECT 1 FROM slugs s WHERE s.kind = 'User' AND s.slug = u.slug AND s.target_id = u.id)`},
	{"groups.slug without its claim", `SELECT g.id, 1, 0 FROM groups g WHERE NOT EXISTS (
		SELECT 1 FROM slugs s WHERE s.kind = 'Group' AND s.slug = g.slug AND s.target_id = g.id)`},
	{"followers of a group that is gone", `SELECT f.id, f.followed_id, 0 FROM follows f
		WHERE f.followed_type = 'Group' AND NOT EXISTS (SELECT 1 FROM groups g WHERE g.id = f.followed_id)`},
	{"invitations that are pending for a member", `SELECT i.id, 1, 0 FROM invitations i
		JOIN group_members gm ON gm.group_id = i.group_id AND gm.user_id = i.invitee_id WHERE i.state = 'pending'`},
}

// below is the range of keys of each node of an order. Its end is a number even for
// the last node, so that an index is read within the range only.
const below = `SELECT channel_id, sort, level, first_key, n, n_private, COALESCE(lead(first_key) OVER (
	PARTITION BY channel_id, sort, level ORDER BY first_key) - 1, 9223372036854775807) AS last FROM order_nodes`

// orderChecks recompute the nodes of one order.
func orderChecks(s orderSort) []check {
	key, at := s.column(), fmt.Sprint(int16(s))
	// Apart by item_private, as the indexes have it.
	inLeaf := func(private string) string {
		return `(SELECT count(*) FROM connections k WHERE k.channel_id = r.channel_id AND k.item_private = ` + private + `
			AND k.` + key + ` BETWEEN r.first_key AND r.last)`
	}
	inNode := ` FROM order_nodes k WHERE k.channel_id = r.channel_id AND k.sort = r.sort AND k.level = r.level - 1
		AND k.first_key BETWEEN r.first_key AND r.last`
	node := func(what, column, actual, level string) check {
		return check{"order_nodes." + what + " by " + key, `SELECT channel_id, stored, actual FROM (
			SELECT r.channel_id, r.` + column + ` AS stored, (SELECT ` + actual + `) AS actual FROM (` + below + `) AS r
			WHERE r.sort = ` + at + ` AND r.level ` + level + `) AS d WHERE stored <> actual`}
	}
	return []check{
		node("n of a leaf", "n", inLeaf("FALSE")+" + "+inLeaf("TRUE"), "= 0"),
		node("n_private of a leaf", "n_private", inLeaf("TRUE"), "= 0"),
		node("n", "n", "CAST(COALESCE(sum(k.n), 0) AS BIGINT)"+inNode, "> 0"),
		node("n_private", "n_private", "CAST(COALESCE(sum(k.n_private), 0) AS BIGINT)"+inNode, "> 0"),
		{"order_nodes without a child at their first key by " + key, `SELECT o.channel_id, o.level, o.level - 1
			FROM order_nodes o WHERE o.sort = ` + at + ` AND o.level > 0 AND NOT EXISTS (
			SELECT 1 FROM order_nodes k WHERE k.channel_id = o.channel_id AND k.sort = o.sort
			AND k.level = o.level - 1 AND k.first_key = o.first_key)`},
		{"order_nodes: channel without an order by " + key, `SELECT ch.id, ch.blocks_count + ch.channels_count, 0
			FROM channels ch WHERE ch.blocks_count + ch.channels_count > 0 AND NOT EXISTS (
			SELECT 1 FROM order_nodes o WHERE o.channel_id = ch.id AND o.sort = ` + at + ` AND o.level = 0)`},
		{"order_nodes: level that begins late by " + key, `SELECT channel_id, level, 0 FROM order_nodes
			WHERE sort = ` + at + ` GROUP BY channel_id, level HAVING min(first_key) > -9223372036854775807 - 1`},
	}
}

// allChecks are all checks but that of the words of documents, in the order in which
// they are made and repaired: what others are derived from comes first.
func allChecks() []check {
	return slices.Concat(checks, transitionChecks, contentChecks(), feedChecks, documentChecks, groupItemChecks, countChecks, connectionCountChecks, orderChecks(positionOrder), orderChecks(createdOrder))
}

// wordsCheck is the name of the check of what documents keep of words.
const wordsCheck = "search_documents, by their words"

// Checked tells how far checks have come. Of each it is told when it begins, and when it
// has ended.
type Checked struct {
	What     string
	N, Of    int  // it is the N-th of so many
	Repaired int  // how many rows have been put right
	Ended    bool // and then:
	Found    int  // how many differences there are, at most as many as were asked for
}

// Check recomputes every derived value and gives the differences, at most `most`
// of each kind.
func (s *Store) Check(ctx context.Context, most int) ([]Difference, error) {
	return s.CheckTelling(ctx, most, func(Checked) {})
}

// CheckTelling is Check that tells of each check when it begins and when it has ended.
func (s *Store) CheckTelling(ctx context.Context, most int, tell func(Checked)) ([]Difference, error) {
	all := append(allChecks(), check{what: wordsCheck})
	var differences []Difference
	err := s.InSnapshot(ctx, func(v *Snapshot) error {
		differences = nil
		for n, c := range all {
			at := Checked{What: c.what, N: n + 1, Of: len(all)}
			tell(at)
			found, err := v.found(ctx, c, most)
			if err != nil {
				return fmt.Errorf("%s: %w", c.what, err)
			}
			at.Found, at.Ended = len(found), true
			tell(at)
			differences = append(differences, found...)
		}
		return nil
	})
	return differences, err
}

// found makes one check.
func (v *Snapshot) found(ctx context.Context, c check, most int) ([]Difference, error) {
	if c.what == wordsCheck {
		return v.checkDocuments(ctx, most)
	}
	rows, err := v.q.Query(ctx, c.query+" LIMIT $1", most)
	return collect(ctx, rows, err, func(row scanner) (Difference, error) {
		d := Difference{What: c.what}
		return d, row.Scan(&d.ID, &d.Stored, &d.Actual)
	})
}

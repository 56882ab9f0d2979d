// Package access is the only package that decides in SQL who may see what. Its fragments become
// part of the statements of lists, counts, searches and single reads. The viewer is $1, 0 for
// guests; `ch` is the row of a channel and `b` that of a block.
package access

import (
	"fmt"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// RoleOf is the domain.Role of the viewer in the channel `ch`.
const RoleOf = `CASE
	WHEN CAST($1 AS BIGINT) = 0 THEN 0
	WHEN ch.owner_type = 'User' AND ch.owner_id = $1 THEN 2
	WHEN ch.owner_type = 'Group' AND EXISTS (
		SELECT 1 FROM group_members gm WHERE gm.group_id = ch.owner_id AND gm.user_id = $1) THEN 2
	WHEN ch.collaborators_count > 0 AND EXISTS (
		SELECT 1 FROM collaborators co WHERE co.channel_id = ch.id AND (
			co.member_type = 'User' AND co.member_id = $1 OR
			co.member_type = 'Group' AND co.member_id IN (
				SELECT gm.group_id FROM group_members gm WHERE gm.user_id = $1))) THEN 1
	ELSE 0 END`

// PrivateChannels selects as `mine` the private channels that the viewer may see: those that they
// or their groups own or collaborate in. It may also contain channels that are not private.
const PrivateChannels = `groups_of (id) AS (SELECT group_id FROM group_members WHERE user_id = $1),
	mine (id) AS (
		SELECT id FROM channels WHERE owner_type = 'User' AND owner_id = $1 AND visibility = 'private'
		UNION SELECT id FROM channels
			WHERE owner_type = 'Group' AND owner_id IN (SELECT id FROM groups_of) AND visibility = 'private'
		UNION SELECT channel_id FROM collaborators WHERE member_type = 'User' AND member_id = $1
		UNION SELECT channel_id FROM collaborators WHERE member_type = 'Group' AND member_id IN (SELECT id FROM groups_of))`

// SomePrivateChannels is PrivateChannels with a bound. It selects as `ways` at most as many rows
// as the parameter `limit` says for each way to have access, so a viewer with a million channels
// costs no more. A channel may occur several times.
func SomePrivateChannels(limit string) string {
	part := func(query string) string { return "SELECT * FROM (" + query + sqlx.Limit(limit) + ") AS part" }
	return fmt.Sprintf(`ways (id) AS (%s UNION ALL %s UNION ALL %s UNION ALL %s)`,
		part(`SELECT id FROM channels WHERE owner_type = 'User' AND owner_id = $1 AND visibility = 'private'`),
		part(`SELECT ch.id FROM group_members gm CROSS JOIN channels ch
			WHERE gm.user_id = $1 AND ch.owner_type = 'Group' AND ch.owner_id = gm.group_id AND ch.visibility = 'private'`),
		part(`SELECT channel_id FROM collaborators WHERE member_type = 'User' AND member_id = $1`),
		part(`SELECT co.channel_id FROM group_members gm CROSS JOIN collaborators co
			WHERE gm.user_id = $1 AND co.member_type = 'Group' AND co.member_id = gm.group_id`))
}

// CountPrivateChannels counts the rows of SomePrivateChannels, up to $2 for each way to have
// access.
var CountPrivateChannels = "WITH " + SomePrivateChannels("$2") + " SELECT count(*) FROM ways"

// VisibleChannel is true if the viewer may see the channel `ch`.
const VisibleChannel = `(ch.state = 'available' AND (ch.visibility <> 'private' OR ` + RoleOf + ` > 0))`

// AddableChannel is true if the viewer, who is not a guest, may add to the channel `ch`.
const AddableChannel = `(ch.state = 'available' AND (ch.visibility = 'public' OR ` + RoleOf + ` > 0))`

// VisibleBlock is true if the viewer may see the block `b`.
const VisibleBlock = `(` + OpenCount + ` > 0 OR (CAST($1 AS BIGINT) <> 0 AND (b.user_id = $1 OR (` + MaybePrivate + ` AND EXISTS (
	SELECT 1 FROM connections bc JOIN channels ch ON ch.id = bc.channel_id
	WHERE bc.item_type = 'Block' AND bc.item_id = b.id AND ` + VisibleChannel + `)))))`

// OpenCount and PrivateCount are the numbers of open and private live channels that contain the
// block `b`. They are the columns of the block plus, if transitions are pending (pending.go), what
// those will change. MaybePrivate is true whenever PrivateCount is positive, and is cheaper.
const (
	OpenCount    = `CASE WHEN ` + Pending + ` THEN b.open_count + ` + openAhead + ` ELSE b.open_count END`
	PrivateCount = `CASE WHEN ` + Pending + ` THEN b.private_count + ` + privateAhead + ` ELSE b.private_count END`
	MaybePrivate = `(b.private_count > 0 OR ` + Pending + `)`
)

// The variants for guests. PostgreSQL estimates the general text to be cheaper when it has just
// planned it for a guest, so it plans it again for every guest: 150 µs for a query that runs for
// 15. For a viewer who is not a guest these fragments yield no role and show nothing.
const (
	GuestRole    = `CAST($1 AS BIGINT) * 0`
	GuestChannel = `(ch.state = 'available' AND ch.visibility <> 'private' AND CAST($1 AS BIGINT) = 0)`
	GuestBlock   = `(` + OpenCount + ` > 0 AND CAST($1 AS BIGINT) = 0)`
)

// For returns the fragment for guests if the viewer is one, and otherwise the general one.
func For(viewer domain.UserID, everybody, guests string) string {
	if viewer == 0 {
		return guests
	}
	return everybody
}

// AsViewer returns a fragment whose viewers are the users `u`.
func AsViewer(fragment string) string { return strings.ReplaceAll(fragment, "$1", "u.id") }

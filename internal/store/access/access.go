// Package access is the only place where SQL decides who sees what: fragments that lists,
// counts, searches and single reads put into their statements. The viewer is $1, 0 for
// guests; `ch` is the row of a channel, `b` that of a block.
package access

import (
	"fmt"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// RoleOf gives domain.Role of the viewer on the channel `ch`.
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

// PrivateChannels gives as `mine` the channels that the viewer may see though they are
// private, and others: what is owned or helped with, also by a group.
const PrivateChannels = `groups_of (id) AS (SELECT group_id FROM group_members WHERE user_id = $1),
	mine (id) AS (
		SELECT id FROM channels WHERE owner_type = 'User' AND owner_id = $1 AND visibility = 'private'
		UNION SELECT id FROM channels
			WHERE owner_type = 'Group' AND owner_id IN (SELECT id FROM groups_of) AND visibility = 'private'
		UNION SELECT channel_id FROM collaborators WHERE member_type = 'User' AND member_id = $1
		UNION SELECT channel_id FROM collaborators WHERE member_type = 'Group' AND member_id IN (SELECT id FROM groups_of))`

// SomePrivateChannels gives as `ways` private channels that the viewer ($1) may see, and others, as
// PrivateChannels does but each maybe several times, and of each way to see one at most as many
// as the parameter says: so it costs no more for somebody who has a million.
func SomePrivateChannels(most string) string {
	part := func(query string) string { return "SELECT * FROM (" + query + sqlx.Limit(most) + ") AS part" }
	return fmt.Sprintf(`ways (id) AS (%s UNION ALL %s UNION ALL %s UNION ALL %s)`,
		part(`SELECT id FROM channels WHERE owner_type = 'User' AND owner_id = $1 AND visibility = 'private'`),
		part(`SELECT ch.id FROM group_members gm CROSS JOIN channels ch
			WHERE gm.user_id = $1 AND ch.owner_type = 'Group' AND ch.owner_id = gm.group_id AND ch.visibility = 'private'`),
		part(`SELECT channel_id FROM collaborators WHERE member_type = 'User' AND member_id = $1`),
		part(`SELECT co.channel_id FROM group_members gm CROSS JOIN collaborators co
			WHERE gm.user_id = $1 AND co.member_type = 'Group' AND co.member_id = gm.group_id`))
}

// CountPrivateChannels counts them, up to $2 for each way to see one.
var CountPrivateChannels = "WITH " + SomePrivateChannels("$2") + " SELECT count(*) FROM ways"

// VisibleChannel is true where the viewer may see the channel `ch`.
const VisibleChannel = `(ch.state = 'available' AND (ch.visibility <> 'private' OR ` + RoleOf + ` > 0))`

// AddableChannel is true where the viewer, who is no guest, may add to the channel `ch`.
const AddableChannel = `(ch.state = 'available' AND (ch.visibility = 'public' OR ` + RoleOf + ` > 0))`

// VisibleBlock is true where the viewer may see the block `b`.
const VisibleBlock = `(` + OpenCount + ` > 0 OR (CAST($1 AS BIGINT) <> 0 AND (b.user_id = $1 OR (` + MaybePrivate + ` AND EXISTS (
	SELECT 1 FROM connections bc JOIN channels ch ON ch.id = bc.channel_id
	WHERE bc.item_type = 'Block' AND bc.item_id = b.id AND ` + VisibleChannel + `)))))`

// OpenCount and PrivateCount are in how many open and private live channels the block `b`
// is. The columns say so but for what is pending (pending.go), which is looked up
// where there is any. MaybePrivate is false only where PrivateCount is 0.
const (
	OpenCount    = `CASE WHEN ` + Pending + ` THEN b.open_count + ` + openAhead + ` ELSE b.open_count END`
	PrivateCount = `CASE WHEN ` + Pending + ` THEN b.private_count + ` + privateAhead + ` ELSE b.private_count END`
	MaybePrivate = `(b.private_count > 0 OR ` + Pending + `)`
)

// What the fragments come to for guests, which are asked for by these. PostgreSQL finds
// the text for everybody cheaper to run where it has just planned it for a guest, and so
// plans it again for each: 150 µs, where running it takes 15. With these a viewer who
// is no guest has no role and sees nothing.
const (
	GuestRole    = `CAST($1 AS BIGINT) * 0`
	GuestChannel = `(ch.state = 'available' AND ch.visibility <> 'private' AND CAST($1 AS BIGINT) = 0)`
	GuestBlock   = `(` + OpenCount + ` > 0 AND CAST($1 AS BIGINT) = 0)`
)

// For chooses between the text for a viewer and the one for guests.
func For(viewer domain.UserID, everybody, guests string) string {
	if viewer == 0 {
		return guests
	}
	return everybody
}

// AsViewer is a fragment with the users `u` as viewers.
func AsViewer(fragment string) string { return strings.ReplaceAll(fragment, "$1", "u.id") }

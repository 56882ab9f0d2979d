package store

import "vitrine/internal/domain"

// The fragments below are the only place where SQL decides who sees what. The
// viewer is $1, 0 for guests. `ch` is the channels row in question.

// roleOf gives domain.Role of the viewer on the channel `ch`.
const roleOf = `CASE
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

// myChannels gives as `mine` the channels that the viewer may see though they are
// private, and others: what is owned or helped with, also by a group.
const myChannels = `groups_of (id) AS (SELECT group_id FROM group_members WHERE user_id = $1),
	mine (id) AS (
		SELECT id FROM channels WHERE owner_type = 'User' AND owner_id = $1 AND visibility = 'private'
		UNION SELECT id FROM channels
			WHERE owner_type = 'Group' AND owner_id IN (SELECT id FROM groups_of) AND visibility = 'private'
		UNION SELECT channel_id FROM collaborators WHERE member_type = 'User' AND member_id = $1
		UNION SELECT channel_id FROM collaborators WHERE member_type = 'Group' AND member_id IN (SELECT id FROM groups_of))`

// visibleChannel is true where the viewer may see the channel `ch`.
const visibleChannel = `(ch.state = 'available' AND (ch.visibility <> 'private' OR ` + roleOf + ` > 0))`

// visibleBlock is true where the viewer may see the block `b`.
const visibleBlock = `(` + openCount + ` > 0 OR (CAST($1 AS BIGINT) <> 0 AND (b.user_id = $1 OR (` + maybePrivate + ` AND EXISTS (
	SELECT 1 FROM connections bc JOIN channels ch ON ch.id = bc.channel_id
	WHERE bc.item_type = 'Block' AND bc.item_id = b.id AND ` + visibleChannel + `)))))`

// openCount and privateCount are in how many open and private live channels the block `b`
// is. The columns say so but for what is pending (transitions.go), which is looked up
// where there is any. maybePrivate is false only where privateCount is 0.
const (
	openCount    = `CASE WHEN ` + settling + ` THEN b.open_count + ` + openAhead + ` ELSE b.open_count END`
	privateCount = `CASE WHEN ` + settling + ` THEN b.private_count + ` + privateAhead + ` ELSE b.private_count END`
	maybePrivate = `(b.private_count > 0 OR ` + settling + `)`
)

// What the fragments come to for guests, which are asked for by these. PostgreSQL finds
// the text for everybody cheaper to run where it has just planned it for a guest, and so
// plans it again for each: 150 µs, where running it takes 15. With these a viewer who
// is no guest has no role and sees nothing.
const (
	guestRole    = `CAST($1 AS BIGINT) * 0`
	guestChannel = `(ch.state = 'available' AND ch.visibility <> 'private' AND CAST($1 AS BIGINT) = 0)`
	guestBlock   = `(` + openCount + ` > 0 AND CAST($1 AS BIGINT) = 0)`
)

// to chooses between the text for a viewer and the one for guests.
func to(viewer domain.UserID, everybody, guests string) string {
	if viewer == 0 {
		return guests
	}
	return everybody
}

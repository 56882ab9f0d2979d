package store

import "fmt"

// someOfMine gives as `ways` private channels that the viewer ($1) may see, and others, as
// myChannels does but each maybe several times, and of each way to see one at most as many
// as the parameter says: so it costs no more for somebody who has a million.
func someOfMine(most string) string {
	part := func(query string) string { return "SELECT * FROM (" + query + limit(most) + ") AS part" }
	return fmt.Sprintf(`ways (id) AS (%s UNION ALL %s UNION ALL %s UNION ALL %s)`,
		part(`SELECT id FROM channels WHERE owner_type = 'User' AND owner_id = $1 AND visibility = 'private'`),
		part(`SELECT ch.id FROM group_members gm CROSS JOIN channels ch
			WHERE gm.user_id = $1 AND ch.owner_type = 'Group' AND ch.owner_id = gm.group_id AND ch.visibility = 'private'`),
		part(`SELECT channel_id FROM collaborators WHERE member_type = 'User' AND member_id = $1`),
		part(`SELECT co.channel_id FROM group_members gm CROSS JOIN collaborators co
			WHERE gm.user_id = $1 AND co.member_type = 'Group' AND co.member_id = gm.group_id`))
}

// mineUpTo counts them, up to $2 for each way to see one.
var mineUpTo = "WITH " + someOfMine("$2") + " SELECT count(*) FROM ways"

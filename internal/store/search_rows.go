package store

// privateDocuments are those of private channels that the viewer may see, and of what
// is in them and nowhere open; but for what they may see anyhow. These queries begin at
// the viewer's side; CROSS JOIN has SQLite do so.
const privateDocuments = `WITH ` + myChannels + `, seen (id) AS (
		SELECT ch.id FROM mine CROSS JOIN channels ch WHERE ch.id = mine.id AND ch.visibility = 'private' AND ` + visibleChannel + `)
	SELECT x.seq FROM seen CROSS JOIN search_documents x WHERE x.kind = 'Channel' AND x.item_id = seen.id
	UNION SELECT x.seq FROM seen CROSS JOIN connections c CROSS JOIN search_documents x
		WHERE c.channel_id = seen.id AND c.item_type = 'Block' AND x.kind = 'Block' AND x.item_id = c.item_id AND x.open = FALSE`

// followedDocuments are by users, or in channels, that the viewer follows; some twice.
const followedDocuments = `SELECT x.seq FROM follows f CROSS JOIN search_documents x
		WHERE f.follower_id = $1 AND f.followed_type = 'User' AND x.author_id = f.followed_id AND x.type <> 'User'
	UNION ALL SELECT x.seq FROM follows f CROSS JOIN channels ch CROSS JOIN connections c CROSS JOIN search_documents x
		WHERE f.follower_id = $1 AND f.followed_type = 'Channel' AND ch.id = f.followed_id AND c.channel_id = ch.id
			AND x.kind = c.item_type AND x.item_id = c.item_id AND ` + visibleChannel

// followedDocument tells whether the document `d` is one of these.
const followedDocument = `(d.type <> 'User' AND d.author_id IN (SELECT followed_id FROM follows WHERE follower_id = $1 AND followed_type = 'User')
	OR EXISTS (SELECT 1 FROM connections c CROSS JOIN channels ch WHERE c.item_type = d.kind AND c.item_id = d.item_id
		AND c.channel_id IN (SELECT followed_id FROM follows WHERE follower_id = $1 AND followed_type = 'Channel')
		AND ch.id = c.channel_id AND ` + visibleChannel + `))`

// groupDocuments are a group's channels that the viewer may see, and the blocks in them,
// some of these twice.
const groupDocuments = `WITH owned (id) AS (
		SELECT ch.id FROM channels ch WHERE ch.owner_type = 'Group' AND ch.owner_id = %s AND ` + visibleChannel + `)
	SELECT x.seq FROM owned CROSS JOIN search_documents x WHERE x.kind = 'Channel' AND x.item_id = owned.id
	UNION ALL SELECT x.seq FROM owned CROSS JOIN connections c CROSS JOIN search_documents x
		WHERE c.channel_id = owned.id AND c.item_type = 'Block' AND x.kind = 'Block' AND x.item_id = c.item_id`

// madeBy are the documents of what a user made.
func madeBy(user string) string {
	return "SELECT x.seq FROM search_documents x WHERE x.author_id = " + user
}

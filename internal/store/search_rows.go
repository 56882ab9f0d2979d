package store

import "vitrine/internal/domain"

// privateChannels gives first, in a row without an id, how many channels were looked at, up
// to $2 for each way to see one. Then, if these are fewer than $2, it gives the private
// channels that the viewer may see, and how many blocks are in each. The query begins at
// the viewer's side; CROSS JOIN has SQLite do so.
var privateChannels = "WITH " + someOfMine("$2") + `
	SELECT 0, 0, (SELECT count(*) FROM ways)
	UNION ALL SELECT * FROM (SELECT DISTINCT ch.id, ch.blocks_count, 0 FROM ways CROSS JOIN channels ch
		WHERE (SELECT count(*) FROM ways) < $2 AND ch.id = ways.id AND ch.visibility = 'private' AND ` + visibleChannel + `) AS seen`

// seenDocuments are those of the private channels that the viewer may see and of the
// blocks in them, whether these are open elsewhere or not; some twice. A statement that
// asks for them is one of those that with begins.
const seenDocuments = "SELECT seq FROM seen"

// with begins a statement with what it may ask for. The databases read that when it is
// asked for the first time, and not at all where nothing closed is met.
func (s *search) with(statement string) string {
	if s.private == "" {
		return statement
	}
	return "WITH seen (seq) AS MATERIALIZED (SELECT x.seq FROM search_documents x WHERE " + s.privateChannel("x") + `
		UNION ALL SELECT x.seq FROM connections c CROSS JOIN search_documents x WHERE c.item_type = 'Block' AND ` + s.d.in("c.channel_id", s.private) + `
			AND x.kind = 'Block' AND x.item_id = c.item_id) ` + statement
}

// privateChannel reports whether a document is of one of the private channels, of which
// there are some.
func (s *search) privateChannel(x string) string {
	return x + ".kind = 'Channel' AND " + s.d.in(x+".item_id", s.private)
}

// sees reports whether the viewer sees a closed document: by having made the block, or in a
// private channel. Where there is much in these, each document is looked up that is met.
func (s *search) sees(x string) string {
	if s.private == "" || s.seen > s.limits.Seen {
		return s.met(x)
	}
	return "(" + x + ".kind = 'Block' AND " + x + ".author_id = $1 OR " + x + ".seq IN (" + seenDocuments + "))"
}

// met is sees for a document of which not many are met. The sign has SQLite begin with the
// channels that the block is in.
func (s *search) met(x string) string {
	own := x + ".kind = 'Block' AND " + x + ".author_id = $1"
	if s.many {
		return "(" + own + " OR " + metInPrivate(x) + ")"
	}
	if s.private == "" {
		return "(" + own + ")"
	}
	return "(" + own + " OR " + s.privateChannel(x) + " OR " + x + `.kind = 'Block' AND EXISTS (
		SELECT 1 FROM connections c WHERE c.item_type = 'Block' AND c.item_id = ` + x + ".item_id AND " + s.d.in("+c.channel_id", s.private) + "))"
}

// metInPrivate tells of a document whether the viewer sees it in a private channel, or as
// one, without knowing these.
func metInPrivate(x string) string {
	return x + ".kind = 'Channel' AND EXISTS (SELECT 1 FROM channels ch WHERE ch.id = " + x + ".item_id AND " + visibleChannel + ") OR " +
		x + `.kind = 'Block' AND EXISTS (SELECT 1 FROM connections c CROSS JOIN channels ch
			WHERE c.item_type = 'Block' AND c.item_id = ` + x + ".item_id AND ch.id = c.channel_id AND ch.visibility = 'private' AND " + visibleChannel + ")"
}

// closedDocuments are those that not everyone may see, but the viewer; some twice.
func (s *search) closedDocuments() string {
	own := "SELECT x.seq FROM search_documents x WHERE x.author_id = $1 AND x.open = FALSE AND x.kind = 'Block'"
	if s.ahead {
		own = "SELECT x.seq FROM search_documents x WHERE x.author_id = $1 AND x.kind = 'Block'"
	}
	if s.private == "" {
		return own
	}
	return own + " UNION ALL " + seenDocuments
}

// followedDocuments are by users, or in channels, that the viewer follows; some twice.
func followedDocuments(d dialect) string {
	join, rest := d.along("x.author_id = f.followed_id AND x.type <> 'User'")
	return "SELECT x.seq FROM follows f" + join + " WHERE f.follower_id = $1 AND f.followed_type = 'User' AND " + rest + followedByChannel
}

const followedByChannel = `
	UNION ALL SELECT x.seq FROM follows f CROSS JOIN channels ch CROSS JOIN connections c CROSS JOIN search_documents x
		WHERE f.follower_id = $1 AND f.followed_type = 'Channel' AND ch.id = f.followed_id AND c.channel_id = ch.id
			AND x.kind = c.item_type AND x.item_id = c.item_id AND ` + visibleChannel

// followedDocument reports whether the document `d` is one of these. The sign has SQLite
// begin with the channels that it is in, not with those followed.
const followedDocument = `(d.type <> 'User' AND d.author_id IN (SELECT followed_id FROM follows WHERE follower_id = $1 AND followed_type = 'User')
	OR EXISTS (SELECT 1 FROM connections c CROSS JOIN channels ch WHERE c.item_type = d.kind AND c.item_id = d.item_id
		AND +c.channel_id IN (SELECT followed_id FROM follows WHERE follower_id = $1 AND followed_type = 'Channel')
		AND ch.id = c.channel_id AND ` + visibleChannel + `))`

// followedCounts are the counts of users whom the viewer follows; each has about sixteen.
const followedCounts = `follows f CROSS JOIN content_counts cc
	WHERE f.follower_id = $1 AND f.followed_type = 'User' AND cc.owner_type = 'User' AND cc.owner_id = f.followed_id`

// followedCounted is how much that everyone may see is by users whom the viewer follows,
// or less than that.
const followedCounted = `SELECT CAST(COALESCE(sum(n), 0) AS BIGINT) FROM (SELECT cc.open AS n FROM ` + followedCounts + ` LIMIT 2000) AS counted`

// followedSize is how many documents followedDocuments gives. Where there are more counts
// to read than it takes to read many documents, it is said to be many.
const followedSize = `SELECT CAST(CASE WHEN count(*) < 20000 THEN COALESCE(sum(n), 0) ELSE 1000000000 END AS BIGINT) FROM (SELECT * FROM (
	SELECT cc.open + cc.hidden AS n FROM ` + followedCounts + `
	UNION ALL SELECT ch.blocks_count + ch.channels_count FROM follows f CROSS JOIN channels ch
		WHERE f.follower_id = $1 AND f.followed_type = 'Channel' AND ch.id = f.followed_id) AS counts LIMIT 20000) AS counted`

// ownedSize is how much a user made, or is in a group's channels.
func ownedSize(owner domain.PrincipalType, id string) string {
	return "SELECT CAST(COALESCE(sum(n), 0) AS BIGINT) FROM (SELECT open + hidden AS n FROM content_counts WHERE owner_type = '" + string(owner) +
		"' AND owner_id = " + id + ") AS counted"
}

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

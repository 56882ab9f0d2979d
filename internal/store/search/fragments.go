package search

import (
	"fmt"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// ownBlock returns the condition that a document is a block of the viewer.
func ownBlock(x string) string { return x + ".kind = 'Block' AND " + x + ".author_id = $1" }

// channelSeen returns the condition that the viewer sees the channel of a document.
func channelSeen(x string) string {
	return "EXISTS (SELECT 1 FROM channels ch WHERE ch.id = " + x + ".item_id AND " + access.VisibleChannel + ")"
}

// inPrivate returns the condition that the viewer sees a document as or in a private channel; in a list of a group, in
// one of its channels.
func (r *renderer) inPrivate(x string) string {
	of := ""
	if r.plan.list == owned && r.q.Group != 0 {
		of = " AND ch.owner_type = 'Group' AND ch.owner_id = " + r.args.Add(r.q.Group)
	}
	return "(" + x + ".kind = 'Channel' AND " + channelSeen(x) + " OR " +
		x + `.kind = 'Block' AND EXISTS (SELECT 1 FROM connections c CROSS JOIN channels ch
			WHERE c.item_type = 'Block' AND c.item_id = ` + x + ".item_id AND ch.id = c.channel_id AND ch.visibility = 'private'" + of + " AND " + access.VisibleChannel + "))"
}

// lookedUp returns the condition that the viewer sees a closed document: as its author, or in a private channel, which
// is looked up.
func (r *renderer) lookedUp(x string) string {
	if r.plan.private == privateNone {
		return "(" + ownBlock(x) + ")"
	}
	return "(" + ownBlock(x) + " OR " + r.inPrivate(x) + ")"
}

// sees is lookedUp for many documents: it first reads the contents of private channels, if these are not too many.
func (r *renderer) sees(x string) string {
	if r.plan.private != privateListed {
		return r.lookedUp(x)
	}
	r.asksBlocks = true
	return "(" + ownBlock(x) + " OR " + x + ".kind = 'Channel' AND " + r.In(x+".item_id", r.privateIDs()) +
		" OR " + x + ".kind = 'Block' AND " + x + ".item_id IN (SELECT item_id FROM seen))"
}

// ownBlocks returns the query for the viewer's blocks that may be closed.
func (r *renderer) ownBlocks() string {
	const own = "SELECT x.seq FROM search_documents x WHERE x.author_id = $1 AND x.kind = 'Block'"
	if r.plan.pending {
		return own
	}
	return own + " AND x.open = FALSE"
}

// check returns the conditions of a filter on a document `d`.
func (r *renderer) check(f filter) []string {
	switch f {
	case byType:
		return []string{r.among("d.type", r.q.Types)}
	case byExtension:
		return []string{"d.type IN ('Image', 'Attachment')", r.among("d.extension", r.q.Extensions)}
	case changedAfter:
		return []string{"d.updated_at > " + r.args.Add(sqlx.Micros(r.q.After))}
	case byAuthor:
		return []string{"d.author_id = " + r.args.Add(r.q.Author), "d.type <> 'User'"}
	case madeByViewer:
		return []string{"d.author_id = $1", "d.type <> 'User'"}
	case isFollowed:
		return []string{followedDocument}
	case inGroup:
		return []string{"d.seq IN (" + r.rows(inGroup) + ")"}
	case inChannel:
		return []string{r.connected(r.q.Channel)}
	case alsoInChannel:
		return []string{r.connected(r.q.AlsoIn)}
	case createdFrom:
		return []string{"d.created_at >= " + r.args.Add(sqlx.Micros(r.q.From))}
	case createdBefore:
		return []string{"d.created_at < " + r.args.Add(sqlx.Micros(r.q.Before))}
	case isCommented:
		return []string{"d.kind = 'Block'", "EXISTS (SELECT 1 FROM comments m WHERE m.block_id = d.item_id" + r.Fence() + ")"}
	case isNumbered:
		return r.numberedBetween("d.seq")
	case byOthers:
		return []string{"d.author_id <> $1"}
	case isAmong:
		return []string{"d.kind = 'Block'", r.In("d.item_id", r.args.Add(sqlx.IDs(r.Dialect, r.q.Among)))}
	case isBeyond:
		return []string{r.beyond(*r.q.Beyond)}
	case lacksWords:
		return []string{r.engine().lacks(r.args.Add(r.engine().query(r.q.Words.Unwanted(), anywhere)))}
	case hasWords:
		return []string{"EXISTS (SELECT 1 FROM search_words w WHERE w.rowid = d.seq AND " + r.engine().matches(r.matchQuery(anywhere), anywhere) + r.Fence() + ")"}
	case ownedBy:
		if r.q.Group != 0 {
			return []string{"d.group_id = " + r.args.Add(r.q.Group)}
		}
		return []string{"d.author_id = " + r.args.Add(r.q.Author)}
	case isContent:
		return []string{"d.type NOT IN ('User', 'Group')"}
	case noFilter:
	}
	panic("search: no such filter")
}

// beyond returns the condition that the document `d` follows a place in the order of creation, which is that of numbers
// for a query with words, and that of times otherwise (chooseOrder).
func (r *renderer) beyond(p Place) string {
	compare := " > "
	if r.q.Sort.Desc {
		compare = " < "
	}
	if !r.q.Words.Everything {
		return "d.seq" + compare + r.args.Add(p.Number)
	}
	return "(d.created_at, d.item_id, d.type)" + compare + "(" + r.args.Add(p.Created) + ", " + r.args.Add(p.Item) + ", " + r.args.Add(p.Type) + ")"
}

// connected returns the condition that the document `d` is in a channel.
func (r *renderer) connected(to domain.ChannelID) string {
	return "EXISTS (SELECT 1 FROM connections c WHERE c.channel_id = " + r.args.Add(to) + " AND c.item_type = d.kind AND c.item_id = d.item_id" + r.Fence() + ")"
}

// table returns the table of the documents `d`.
func (r *renderer) table() string {
	switch r.plan.table {
	case groupItems:
		return "group_items d"
	case pendingGroupItems:
		return "(" + fmt.Sprintf(groupItemsSoon, r.args.Add(r.q.Group)) + ") AS d"
	case documentTable:
	}
	return "search_documents d"
}

// groupItemsSoon computes what group_items will contain for a group when nothing is pending any more.
const groupItemsSoon = `SELECT places.group_id, places.kind, places.item_id, x.type, max(places.open_n) > 0 AS open, x.created_at, x.updated_at
	FROM (SELECT ch.owner_id AS group_id, 'Channel' AS kind, ch.id AS item_id, ` + access.OpenNow + ` AS open_n
			FROM channels ch WHERE ch.owner_type = 'Group' AND ch.owner_id = %[1]s AND ch.state = 'available'
		UNION ALL SELECT ch.owner_id, c.item_type, c.item_id, ` + access.OpenNow + ` FROM channels ch CROSS JOIN connections c
			WHERE ch.owner_type = 'Group' AND ch.owner_id = %[1]s AND ch.state = 'available'
				AND c.channel_id = ch.id AND c.item_type = 'Block') AS places
	CROSS JOIN search_documents x WHERE x.kind = places.kind AND x.item_id = places.item_id
	GROUP BY places.group_id, places.kind, places.item_id, x.type, x.created_at, x.updated_at`

// rows returns the query for the numbers of the documents that pass a filter, some twice.
func (r *renderer) rows(f filter) string {
	switch f {
	case byType:
		return "SELECT x.seq FROM search_documents x WHERE " + r.among("x.type", r.q.Types)
	case byAuthor:
		return "SELECT x.seq FROM search_documents x WHERE x.author_id = " + r.args.Add(r.q.Author)
	case madeByViewer:
		return "SELECT x.seq FROM search_documents x WHERE x.author_id = $1"
	case isFollowed:
		join, rest := r.engine().joinDocuments("x.author_id = f.followed_id AND x.type <> 'User'")
		return "SELECT x.seq FROM follows f" + join + " WHERE f.follower_id = $1 AND f.followed_type = 'User' AND " + rest + followedByChannel
	case inGroup:
		return fmt.Sprintf(groupDocuments, r.args.Add(r.q.Group))
	case inChannel:
		return `SELECT x.seq FROM connections c CROSS JOIN search_documents x
			WHERE c.channel_id = ` + r.args.Add(r.q.Channel) + ` AND x.kind = c.item_type AND x.item_id = c.item_id`
	case isCommented:
		return "SELECT x.seq FROM comments m CROSS JOIN search_documents x WHERE x.kind = 'Block' AND x.item_id = m.block_id"
	case isNumbered:
		return "SELECT x.seq FROM search_documents x WHERE " + strings.Join(r.numberedBetween("x.seq"), " AND ")
	case isAmong:
		return "SELECT x.seq FROM search_documents x WHERE x.kind = 'Block' AND " + r.In("x.item_id", r.args.Add(sqlx.IDs(r.Dialect, r.q.Among)))
	case noFilter, byExtension, changedAfter, alsoInChannel, createdFrom, createdBefore, byOthers, isBeyond, lacksWords, hasWords, ownedBy, isContent:
	}
	panic("search: this filter does not drive")
}

// numberedBetween restricts a column to the numbers of q.New.
func (r *renderer) numberedBetween(seq string) []string {
	return []string{seq + " > " + r.args.Add(r.q.New.After), seq + " <= " + r.args.Add(r.q.New.UpTo)}
}

const followedByChannel = `
	UNION ALL SELECT x.seq FROM follows f CROSS JOIN channels ch CROSS JOIN connections c CROSS JOIN search_documents x
		WHERE f.follower_id = $1 AND f.followed_type = 'Channel' AND ch.id = f.followed_id AND c.channel_id = ch.id
			AND x.kind = c.item_type AND x.item_id = c.item_id AND ` + access.VisibleChannel

// followedDocument is the condition that the document `d` is by a user, or in a channel, that the viewer follows. The
// plus sign makes SQLite begin with the document's channels rather than with the followed ones.
const followedDocument = `(d.type <> 'User' AND d.author_id IN (SELECT followed_id FROM follows WHERE follower_id = $1 AND followed_type = 'User')
	OR EXISTS (SELECT 1 FROM connections c CROSS JOIN channels ch WHERE c.item_type = d.kind AND c.item_id = d.item_id
		AND +c.channel_id IN (SELECT followed_id FROM follows WHERE follower_id = $1 AND followed_type = 'Channel')
		AND ch.id = c.channel_id AND ` + access.VisibleChannel + `))`

// followedCounts reads the counts of followed users; each has about sixteen.
const followedCounts = `follows f CROSS JOIN content_counts cc
	WHERE f.follower_id = $1 AND f.followed_type = 'User' AND cc.owner_type = 'User' AND cc.owner_id = f.followed_id`

// followedOpen is a lower bound of the open documents by followed users.
const followedOpen = `SELECT CAST(COALESCE(sum(n), 0) AS BIGINT) FROM (SELECT cc.open AS n FROM ` + followedCounts + ` LIMIT 2000) AS counted`

// followedSize is the number of followed documents. If reading the counts takes longer than reading many documents, it
// is a large number.
const followedSize = `SELECT CAST(CASE WHEN count(*) < 20000 THEN COALESCE(sum(n), 0) ELSE 1000000000 END AS BIGINT) FROM (SELECT * FROM (
	SELECT cc.open + cc.hidden AS n FROM ` + followedCounts + `
	UNION ALL SELECT ch.blocks_count + ch.channels_count FROM follows f CROSS JOIN channels ch
		WHERE f.follower_id = $1 AND f.followed_type = 'Channel' AND ch.id = f.followed_id) AS counts LIMIT 20000) AS counted`

// ownedSize returns the query for the number of a user's creations, or of items in a group's channels.
func ownedSize(owner domain.PrincipalType, id string) string {
	return "SELECT CAST(COALESCE(sum(n), 0) AS BIGINT) FROM (SELECT open + hidden AS n FROM content_counts WHERE owner_type = '" + string(owner) +
		"' AND owner_id = " + id + ") AS counted"
}

// groupDocuments are a group's channels that the viewer may see, and the blocks in them, some of these twice.
const groupDocuments = `WITH owned (id) AS (
		SELECT ch.id FROM channels ch WHERE ch.owner_type = 'Group' AND ch.owner_id = %s AND ` + access.VisibleChannel + `)
	SELECT x.seq FROM owned CROSS JOIN search_documents x WHERE x.kind = 'Channel' AND x.item_id = owned.id
	UNION ALL SELECT x.seq FROM owned CROSS JOIN connections c CROSS JOIN search_documents x
		WHERE c.channel_id = owned.id AND c.item_type = 'Block' AND x.kind = 'Block' AND x.item_id = c.item_id`

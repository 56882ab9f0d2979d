package search

import (
	"context"
	"errors"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// statistics contains everything known or measured before choosing a plan.
type statistics struct {
	limits       Limits
	byRow        bool              // a property of the engine
	reach        int64             // how many documents may be checked against the words for a page in random order
	removals     int64             // how often something may have left a list
	known        bool              // the number of results is known from an earlier search
	pending      bool              // documents do not yet reliably say what is open
	private      privateStatistics // private channels that the viewer sees
	channel      channelStatistics // of the query's channel
	matches      int64             // number of documents with the words, counted up to a limit; 0 if unknown
	opened       int64             // number of open documents with them, counted up to one more than the limit; -1 if unknown
	sizes        map[filter]int64  // number of documents that pass a filter, counted up to a limit or estimated from above
	followedOpen int64             // lower bound of the open documents by followed users
	counted      int64             // number of results; -1 if not yet counted
	open         int64             // of these, those known to be open
	within       int64             // these are among so many successive documents
	documents    int64             // upper bound of the number of documents
	titled       *titled           // all matches in titles up to a document; nil if they are not listed
	edge         any               // key of the last open document of the page; nil unless few closed ones precede it
}

// privateStatistics describes the private channels that the viewer may see.
type privateStatistics struct {
	ids    []domain.ChannelID
	blocks int64 // upper bound of the blocks in them
	many   bool  // too many to be listed
}

type channelStatistics struct {
	items, open int64 // open are all items except private channels
	private     bool
}

// siteStatistics reads whether a change is pending, the number of removals, and an upper bound of the number of documents.
const siteStatistics = "SELECT " + access.Pending + `, (SELECT CAST(COALESCE(sum(n), 0) AS BIGINT) FROM search_removals WHERE id > 0),
	(SELECT COALESCE(max(seq), 0) FROM search_documents)`

// gather measures the facts for choosing a plan. some is false if there can be no results, as in a channel that the
// viewer does not see.
func (f Finder) gather(ctx context.Context, q Query) (stats statistics, some bool, err error) {
	stats = statistics{limits: f.Limits, sizes: map[filter]int64{}, counted: -1, opened: -1, byRow: engineOf(f.Dialect).byRow(), reach: engineOf(f.Dialect).reach(q.Words)}
	err = f.QueryRow(ctx, siteStatistics).Scan(&stats.pending, &stats.removals, &stats.documents)
	if err != nil {
		return stats, false, err
	}
	if q.Channel != 0 {
		stats.channel, err = f.channel(ctx, q.Viewer, q.Channel)
		if errors.Is(err, database.ErrNoRows) {
			return stats, false, nil
		}
		if err != nil {
			return stats, false, err
		}
	}
	if stats.private, err = f.private(ctx, q.Viewer, 0); err != nil {
		return stats, false, err
	}
	return stats, true, nil
}

// measure counts the documents that pass the measured filters, unless the results exceed the counting limit anyway.
func (f Finder) measure(ctx context.Context, q Query, stats *statistics) (err error) {
	if q.only(isFollowed) && !stats.pending {
		if stats.followedOpen, err = sqlx.ScanInt64(f.QueryRow(ctx, followedOpen, q.Viewer)); err != nil {
			return err
		}
	}
	if manyFound(q, *stats) {
		return nil
	}
	for _, filter := range measured(q) {
		r := renderer{Dialect: f.Dialect, q: q, is: *stats, args: sqlx.Args{q.Viewer}}
		query := r.size(filter, countLimit(q, *stats, filter)) + " WHERE CAST($1 AS BIGINT) IS NOT NULL"
		if stats.sizes[filter], err = sqlx.ScanInt64(f.QueryRow(ctx, query, r.args...)); err != nil {
			return err
		}
	}
	if countsMatches(q, *stats) {
		match := engineOf(f.Dialect)
		stats.matches, err = sqlx.ScanInt64(f.QueryRow(ctx, "SELECT count(*) FROM (SELECT 1 AS one FROM search_words w WHERE "+match.matches("$1", anywhere)+
			sqlx.Limit("$2")+") AS counted", match.query(q.Words, anywhere), stats.channel.items+1))
	}
	return err
}

// isPending reports whether any change is pending. It lets the caller choose between two statements.
func (f Finder) isPending(ctx context.Context) (is bool, err error) {
	err = f.QueryRow(ctx, "SELECT "+access.Pending).Scan(&is)
	return is, err
}

// channel measures a channel that the viewer sees.
func (f Finder) channel(ctx context.Context, viewer domain.UserID, id domain.ChannelID) (c channelStatistics, err error) {
	var private int64
	err = f.QueryRow(ctx, `SELECT ch.blocks_count + ch.channels_count, ch.private_count, ch.visibility = 'private' FROM channels ch
		WHERE ch.id = $2 AND `+access.For(viewer, access.VisibleChannel, access.GuestChannel), viewer, id).Scan(&c.items, &private, &c.private)
	c.open = c.items - private
	return c, err
}

// privateChannelsQuery first returns a row without an id, with the number of examined channels, up to $2 for each way to
// see one. If that is less than $2, it then returns the private channels that the viewer may see, with the number of
// blocks in each; only those of group $3, if that is not 0. The query begins with the viewer's rows; CROSS JOIN makes
// SQLite do so.
var privateChannelsQuery = "WITH " + access.SomePrivateChannels("$2") + `
	SELECT 0, 0, (SELECT count(*) FROM ways)
	UNION ALL SELECT * FROM (SELECT DISTINCT ch.id, ch.blocks_count, 0 FROM ways CROSS JOIN channels ch
		WHERE (SELECT count(*) FROM ways) < $2 AND ch.id = ways.id AND ch.visibility = 'private'
			AND (CAST($3 AS BIGINT) = 0 OR ch.owner_type = 'Group' AND ch.owner_id = $3) AND ` + access.VisibleChannel + `) AS seen`

// private finds the private channels that the viewer may see, only those of a group if given. If there are too many,
// each document's are looked up instead.
func (f Finder) private(ctx context.Context, viewer domain.UserID, group domain.GroupID) (p privateStatistics, err error) {
	if viewer == 0 {
		return p, nil
	}
	rows, err := f.Query(ctx, privateChannelsQuery, viewer, f.Limits.Private+1, group)
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (id domain.ChannelID, err error) {
		var blocks, met int64
		if err = row.Scan(&id, &blocks, &met); id == 0 {
			p.many = met > f.Limits.Private
			return id, err
		}
		p.ids, p.blocks = append(p.ids, id), p.blocks+blocks
		return id, err
	})
	if p.many {
		p.ids = nil
	}
	return p, err
}

// measureEdge finds the key of the last open document of the page, if few closed ones precede it. Looking up each of
// those costs less than reading and sorting everything private that the viewer sees.
func (f Finder) measureEdge(ctx context.Context, q Query, stats statistics) (edge any, err error) {
	r := renderer{Dialect: f.Dialect, q: q, is: stats, plan: choose(q, stats), args: sqlx.Args{q.Viewer}}
	var closed int64
	err = f.QueryRow(ctx, r.edge(), r.args...).Scan(&edge, &closed)
	if errors.Is(err, database.ErrNoRows) || err == nil && closed > stats.limits.OnPage { // the page is not full, or there are many
		return nil, nil
	}
	return edge, err
}

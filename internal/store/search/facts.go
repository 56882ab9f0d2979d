package search

import (
	"context"
	"errors"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// facts are what is known or measured before a plan is chosen.
type facts struct {
	limits       Limits
	byRow        bool             // what the engine says of itself
	pending      bool             // documents do not say yet what is open
	private      privateFacts     // what the viewer sees in private channels
	channel      channelFacts     // of the channel asked for
	matches      int64            // in how many documents the words are, counted up to a limit; 0 if that is not known
	opened       int64            // how many open documents have them, counted up to one more than the bound; -1 if that is not known
	sizes        map[filter]int64 // how many documents pass a filter, counted up to a limit or estimated from above
	followedOpen int64            // open documents by those whom the viewer follows, or fewer
	counted      int64            // how many results were counted; -1 before that
	open         int64            // of these, those known to be open
	documents    int64            // how many there are of all kinds, or more; 0 if that is not known
	edge         any              // the key of the last open document of the page; nil unless few closed ones come before it
}

// privateFacts are the private channels that the viewer may see.
type privateFacts struct {
	ids    []domain.ChannelID
	blocks int64 // in them, or more
	many   bool  // there are too many to be listed
}

type channelFacts struct {
	items, open int64 // open are all but private channels
	private     bool
}

// gather measures what the choice of a plan depends on. It reports whether there can be
// anything to find: there is not in a channel that the viewer does not see.
func (f Finder) gather(ctx context.Context, q Query) (is facts, some bool, err error) {
	is = facts{limits: f.Limits, sizes: map[filter]int64{}, counted: -1, opened: -1, byRow: engineOf(f.Dialect).byRow()}
	if is.pending, err = f.isPending(ctx); err != nil {
		return is, false, err
	}
	if q.Channel != 0 {
		is.channel, err = f.channel(ctx, q.Viewer, q.Channel)
		if errors.Is(err, database.ErrNoRows) {
			return is, false, nil
		}
		if err != nil {
			return is, false, err
		}
	}
	if is.private, err = f.private(ctx, q.Viewer, 0); err != nil {
		return is, false, err
	}
	return is, true, nil
}

// measure counts how many documents pass the filters that few may pass, unless more is found
// anyhow than is counted.
func (f Finder) measure(ctx context.Context, q Query, is *facts) (err error) {
	if q.only(isFollowed) && !is.pending {
		if is.followedOpen, err = sqlx.ScanInt64(f.QueryRow(ctx, followedOpen, q.Viewer)); err != nil {
			return err
		}
	}
	if manyFound(q, *is) {
		return nil
	}
	for _, filter := range measured(q) {
		r := renderer{Dialect: f.Dialect, q: q, is: *is, args: sqlx.Args{q.Viewer}}
		query := r.size(filter, most(q, *is, filter)) + " WHERE CAST($1 AS BIGINT) IS NOT NULL"
		if is.sizes[filter], err = sqlx.ScanInt64(f.QueryRow(ctx, query, r.args...)); err != nil {
			return err
		}
	}
	if countsMatches(q, *is) {
		match := engineOf(f.Dialect)
		is.matches, err = sqlx.ScanInt64(f.QueryRow(ctx, "SELECT count(*) FROM (SELECT 1 AS one FROM search_words w WHERE "+match.matches("$1", anywhere)+
			sqlx.Limit("$2")+") AS counted", match.query(q.Words.Terms, anywhere), is.channel.items+1))
	}
	return err
}

// isPending reports whether anything is pending, for those who choose between two texts.
func (f Finder) isPending(ctx context.Context) (is bool, err error) {
	err = f.QueryRow(ctx, "SELECT "+access.Pending).Scan(&is)
	return is, err
}

// channel measures a channel that the viewer sees.
func (f Finder) channel(ctx context.Context, viewer domain.UserID, id domain.ChannelID) (c channelFacts, err error) {
	var private int64
	err = f.QueryRow(ctx, `SELECT ch.blocks_count + ch.channels_count, ch.private_count, ch.visibility = 'private' FROM channels ch
		WHERE ch.id = $2 AND `+access.For(viewer, access.VisibleChannel, access.GuestChannel), viewer, id).Scan(&c.items, &private, &c.private)
	c.open = c.items - private
	return c, err
}

// privateChannelsQuery gives first, in a row without an id, how many channels were looked at, up
// to $2 for each way to see one. Then, if these are fewer than $2, it gives the private
// channels that the viewer may see, and how many blocks are in each; of group $3, if that is
// not 0. The query begins at the viewer's side; CROSS JOIN has SQLite do so.
var privateChannelsQuery = "WITH " + access.SomePrivateChannels("$2") + `
	SELECT 0, 0, (SELECT count(*) FROM ways)
	UNION ALL SELECT * FROM (SELECT DISTINCT ch.id, ch.blocks_count, 0 FROM ways CROSS JOIN channels ch
		WHERE (SELECT count(*) FROM ways) < $2 AND ch.id = ways.id AND ch.visibility = 'private'
			AND (CAST($3 AS BIGINT) = 0 OR ch.owner_type = 'Group' AND ch.owner_id = $3) AND ` + access.VisibleChannel + `) AS seen`

// private finds the private channels that the viewer may see, those of a group if one is
// given, unless there are so many that each is to be looked up that is met.
func (f Finder) private(ctx context.Context, viewer domain.UserID, group domain.GroupID) (p privateFacts, err error) {
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

// measureEdge finds the key of the last open document of the page, if few closed ones come
// before it: to look at each of those costs less than to read and sort all that the viewer
// sees in private.
func (f Finder) measureEdge(ctx context.Context, q Query, is facts) (edge any, err error) {
	r := renderer{Dialect: f.Dialect, q: q, is: is, plan: choose(q, is), args: sqlx.Args{q.Viewer}}
	var closed int64
	err = f.QueryRow(ctx, r.edge(), r.args...).Scan(&edge, &closed)
	if errors.Is(err, database.ErrNoRows) || err == nil && closed > is.limits.OnPage { // the page has room, or there are many
		return nil, nil
	}
	return edge, err
}

package store

import (
	"context"
	"slices"
	"strings"

	"vitrine/internal/domain"
)

// SearchLimits say how many documents are few. BeforeWords and BeforeOrder are how many
// may pass a filter for it to be read first: before the words, or before the order where
// there are none. OnPage is how many closed documents are looked at one by one for a page,
// or for each part of it. Seen is how many documents in private channels are read at once
// when one of them may be met. Shuffled is how many results, of those that are counted, are
// put in an order of the seed's own; more are read along one order that all seeds share.
// Listed is how many private items of a channel are listed in the program, and Private how
// many private channels that a viewer sees; where there are more, each is looked up that is met.
type SearchLimits struct {
	BeforeWords, BeforeOrder, OnPage, Seen, Shuffled, Listed, Private int64
}

// DefaultSearchLimits are reckoned from single figures on SQLite: to read the numbers of
// 44,000 documents took as long as to look at some 20,000 matches one by one; to look at a
// closed document takes up to 10 µs, and to read one that is seen 2 µs.
var DefaultSearchLimits = SearchLimits{BeforeWords: 50_000, BeforeOrder: 10_000, OnPage: 1_000, Seen: 20_000,
	Shuffled: countedUpTo, Listed: 1_000, Private: 10_000}

// WithSearchLimits is the store with other limits.
func (s *Store) WithSearchLimits(l SearchLimits) *Store {
	other := *s
	other.search = l
	return &other
}

// measure finds the filter that the fewest documents pass, if these are few. It reports
// whether there can be anything to find: there is not in a channel that is not seen.
func (v *Snapshot) measure(ctx context.Context, s *search) (seen bool, err error) {
	least := s.limits.BeforeWords + 1
	if s.Words.Everything {
		least = s.limits.BeforeOrder + 1
	}
	if s.Channel != 0 {
		c, err := v.Channel(ctx, s.Viewer, domain.Ref{ID: int64(s.Channel)})
		if domain.KindOf(err) == domain.NotFound && err != nil {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		s.items, s.secret = c.Contents()-c.PrivateItems, c.Visibility == domain.Private
		if n := 3 * c.Contents(); n < least { // each is a look at two tables
			least, s.few = n, inChannel
		}
	}
	if err := v.findPrivate(ctx, s); err != nil {
		return false, err
	}
	if s.enough, err = v.enough(ctx, *s); s.enough || err != nil { // then nothing is few
		return true, err
	}
	for _, alone := range s.measured(max(1, least)) {
		f := alone.given()[0]
		n, err := scanInt64(v.q.QueryRow(ctx, f.size+" WHERE CAST($1 AS BIGINT) IS NOT NULL", alone.args...))
		if err != nil {
			return false, err
		}
		if n < min(least, alone.least) {
			least, s.few = n, f.name
		}
	}
	return true, nil
}

// findPrivate finds the private channels that the viewer may see, unless there are so many
// that each is to be looked up that is met.
func (v *Snapshot) findPrivate(ctx context.Context, s *search) error {
	if s.Viewer == 0 {
		return nil
	}
	rows, err := v.q.Query(ctx, privateChannels, s.Viewer, s.limits.Private+1)
	var met int64
	ids, err := collect(ctx, rows, err, func(row scanner) (id domain.ChannelID, err error) {
		var blocks, n int64
		err = row.Scan(&id, &blocks, &n)
		s.seen += blocks
		met += n
		return id, err
	})
	ids = slices.DeleteFunc(ids, func(id domain.ChannelID) bool { return id == 0 })
	if s.many = met > s.limits.Private; !s.many && len(ids) > 0 {
		s.private = s.arg(list(s.d, ids))
	}
	return err
}

// fewOfType is how many things of a kind are too many to be read before an index that has
// them in order.
const fewOfType = 1_000

// measured are searches with one filter each, of those that few may pass. An index has
// what somebody made in order, and needs no other way.
func (s *search) measured(least int64) (all []search) {
	alone := func(q domain.Search) {
		all = append(all, search{SearchQuery: SearchQuery{Search: q, Viewer: s.Viewer}, d: s.d, args: []any{s.Viewer}, least: least})
	}
	if len(s.Types) > 0 {
		alone(domain.Search{Types: s.Types})
		if key, _ := s.key(); len(s.Types) == 1 && key == "d.created_at" { // read in order as well
			all[0].least = min(least, fewOfType)
		}
	}
	if s.Author != 0 && !s.Words.Everything {
		alone(domain.Search{Author: s.Author})
	}
	if s.Group != 0 {
		alone(domain.Search{Group: s.Group})
	}
	if s.Scope == domain.SearchFollowing || s.Scope == domain.SearchMine && !s.Words.Everything {
		alone(domain.Search{Scope: s.Scope})
	}
	return all
}

// enough reports whether more are found than are counted, by what is counted anyhow.
func (v *Snapshot) enough(ctx context.Context, s search) (bool, error) {
	if !s.Words.Everything || s.filtered() != 1 {
		return false, nil
	}
	if s.ahead && s.Scope == domain.SearchFollowing {
		return false, nil
	}
	if s.Scope != domain.SearchFollowing {
		return s.items > countedUpTo, nil
	}
	n, err := scanInt64(v.q.QueryRow(ctx, followedCounted, s.Viewer))
	return n > countedUpTo, err
}

// whole is the statement that gives the page, and how many there are in all, of what is
// few: all of it is read once.
func (s *search) whole() string {
	key, dir := s.key()
	if key == "" {
		key = "d.seq"
	}
	var parts []string
	for _, a := range s.sets(true) {
		a = a.documented()
		parts = append(parts, "SELECT "+a.tier+" AS tier, "+key+" AS k, d.item_id AS item_id, d.type AS type"+a.text())
	}
	return s.with("SELECT type, item_id, total FROM (SELECT found.*, count(*) OVER () AS total FROM (" + strings.Join(parts, " UNION ALL ") +
		") AS found) AS counted ORDER BY tier, k " + dir + ", item_id " + dir + ", type " + dir +
		limit(s.arg(s.Page.Per)) + " OFFSET " + s.arg(s.Page.Offset()))
}

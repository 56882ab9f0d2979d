package store_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/heavy"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
	"vitrine/internal/words"
)

func (w *fixture) is(viewer domain.UserID, who domain.PrincipalRef) bool {
	return who == domain.UserRef(viewer) || who.Type == domain.TypeGroup && slices.Contains(w.groups[domain.GroupID(who.ID)], viewer)
}

func (w *fixture) seesChannel(viewer domain.UserID, id domain.ChannelID) bool {
	c := w.channels[id]
	if c == nil {
		return false
	}
	role := domain.RoleNone
	if slices.ContainsFunc(c.helpers, func(who domain.PrincipalRef) bool { return w.is(viewer, who) }) {
		role = domain.RoleCollaborator
	}
	if w.is(viewer, c.owner) {
		role = domain.RoleOwner
	}
	return domain.CanView(c.v, role)
}

func (w *fixture) seesBlock(viewer domain.UserID, id domain.BlockID) bool {
	return w.blocks[id].author == viewer || slices.ContainsFunc(keys(w.channels), func(in domain.ChannelID) bool {
		_, there := w.channels[in].items[domain.BlockRef(id)]
		return there && w.seesChannel(viewer, in)
	})
}

// contains reports whether an item is in a channel that matches and that the viewer sees.
func (w *fixture) contains(viewer domain.UserID, item domain.ItemRef, fits func(id domain.ChannelID, c *fixtureChannel) bool) bool {
	return slices.ContainsFunc(keys(w.channels), func(id domain.ChannelID) bool {
		_, there := w.channels[id].items[item]
		return there && w.seesChannel(viewer, id) && fits(id, w.channels[id])
	})
}

// fits reports whether an item passes the filters of a search.
func (w *fixture) fits(viewer domain.UserID, q domain.Search, item domain.ItemRef, typ string, author domain.UserID, owner domain.PrincipalRef) bool {
	followed := slices.Contains(w.follows[viewer], storetest.UserSubject(author)) ||
		w.contains(viewer, item, func(id domain.ChannelID, _ *fixtureChannel) bool {
			return slices.Contains(w.follows[viewer], storetest.ChannelSubject(id))
		})
	ofGroup := item.Type == domain.ItemChannel && owner == domain.GroupRef(q.Group) ||
		item.Type == domain.ItemBlock && w.contains(viewer, item, func(_ domain.ChannelID, c *fixtureChannel) bool {
			return c.owner == domain.GroupRef(q.Group)
		})
	made := w.made(domain.Subject{Type: domain.SubjectType(item.Type), ID: item.ID})
	return (len(q.Types) == 0 || slices.Contains(q.Types, typ)) && (q.From.IsZero() || !made.Before(q.From)) && (q.Before.IsZero() || made.Before(q.Before)) &&
		(!q.Commented || item.Type == domain.ItemBlock && w.blocks[domain.BlockID(item.ID)].comment) &&
		(q.AlsoIn == 0 || w.contains(viewer, item, func(id domain.ChannelID, _ *fixtureChannel) bool { return id == q.AlsoIn })) &&
		(q.Author == 0 || q.Author == author) && (q.Scope != domain.SearchMine || author == viewer) &&
		(q.Scope != domain.SearchFollowing || followed) && (q.Group == 0 || ofGroup) &&
		(q.Channel == 0 || w.contains(viewer, item, func(id domain.ChannelID, _ *fixtureChannel) bool { return id == q.Channel }))
}

// expected returns the results that a search must have: everything, filtered. If more documents have the word itself than
// are counted, the list by score has no others.
func (w *fixture) expected(viewer domain.UserID, q domain.Search) []domain.Subject {
	has := fixtureQueries[q.Query]
	exact := w.matching(viewer, q, func(word string, titled bool) bool {
		return has(word, titled, func(a, b string) bool { return a == b })
	})
	if limit := w.limits.Counted; q.Sort.Key == domain.SearchByScore && limit > 0 && int64(len(exact)) >= limit {
		return exact
	}
	return w.matching(viewer, q, func(word string, titled bool) bool { return has(word, titled, sameWord) })
}

// matching returns what passes the filters of a search and has a matching word.
func (w *fixture) matching(viewer domain.UserID, q domain.Search, has func(word string, titled bool) bool) (all []domain.Subject) {
	for id, b := range w.blocks {
		if has(b.word, false) && w.seesBlock(viewer, id) && w.fits(viewer, q, domain.BlockRef(id), b.typ, b.author, domain.PrincipalRef{}) {
			all = append(all, storetest.BlockSubject(id))
		}
	}
	for id, c := range w.channels {
		if has(c.word, true) && w.seesChannel(viewer, id) && w.fits(viewer, q, domain.ChannelRef(id), "Channel", c.maker, c.owner) {
			all = append(all, storetest.ChannelSubject(id))
		}
	}
	slices.SortFunc(all, bySubject)
	return all
}

func bySubject(a, b domain.Subject) int {
	if a.Type != b.Type {
		return len(a.Type) - len(b.Type)
	}
	return int(a.ID - b.ID)
}

// question returns a random search for blocks and channels.
func (w *fixture) question() domain.Search {
	q := domain.Search{Types: append([]string{"Channel"}, domain.BlockTypes...), Page: domain.Page{Number: 1, Per: 100}}
	sorts := []domain.SearchKey{domain.SearchByScore, domain.SearchByCreated, domain.SearchByUpdated, domain.SearchByName,
		domain.SearchByConnections, domain.SearchByChance}
	q.Sort = domain.SearchSort{Key: anyOf(w.rng, sorts), Desc: w.rng.IntN(2) == 0}
	q.Seed = w.rng.Int64()
	if w.rng.IntN(2) == 0 {
		q.Query = anyOf(w.rng, slices.Sorted(maps.Keys(fixtureQueries)))
	}
	if q.Query != "" && q.Query[0] != '-' && w.rng.IntN(2) == 0 { // which the names of users and groups do not contain
		q.Types = nil
	}
	switch w.rng.IntN(8) {
	case 0:
		q.Types = []string{anyOf(w.rng, []string{"Text", "Link", "Channel"})}
	case 1, 2:
		q.Author = anyOf(w.rng, w.users)
	case 3:
		q.Group = anyOf(w.rng, keys(w.groups))
	case 4:
		q.Channel = anyOf(w.rng, keys(w.channels))
	case 5:
		q.Scope = domain.SearchMine
	case 6:
		q.Scope = domain.SearchFollowing
	}
	switch w.rng.IntN(12) {
	case 0:
		q.From = w.clock.Add(-time.Duration(w.rng.IntN(100)) * time.Second)
	case 1:
		q.Before = w.clock.Add(-time.Duration(w.rng.IntN(100)) * time.Second)
	case 2:
		q.Commented = true
	}
	return q
}

// fixtureLimits contains limits that make searches use each of the plans for large numbers.
var fixtureLimits = []store.SearchLimits{
	store.DefaultSearchLimits,
	{Private: 10_000}, // as with many of everything else
	{BeforeWords: 5, BeforeOrder: 5, OnPage: 2, Seen: 3, Private: 10_000},
	{OnPage: 3, Seen: 20_000, Shuffled: 20, Private: 10_000},
	{OnPage: 2}, // as with many of everything
	{BeforeWords: 5, BeforeOrder: 50, OnPage: 1_000, Shuffled: 50, Private: 1},
	{Rare: 20, BeforeWords: 50, BeforeOrder: 50, OnPage: 1_000, Seen: 20, Shuffled: 1_000, Private: 10_000},
	wordLimits()[1],
	known, known,
}

// known are limits with which searches remember words as having many results, and count again when few of these are left.
var known = store.SearchLimits{Rare: 2, Counted: 3, Spare: 2, Nearest: 1_000, AtOnce: 5, Seen: 5, Shuffled: 3, Private: 10_000}

// Search finds exactly what a filter of everything by the functions of the domain returns. Pages
// are parts of the whole.
func TestSearchShowsWhatMayBeSeen(t *testing.T) {
	t.Parallel()
	for seed := range uint64(len(fixtureLimits)) {
		storetest.Each(t, func(t *testing.T, s *store.Store) {
			s = s.WithSearchLimits(fixtureLimits[seed])
			w := newFixture(t, s, seed)
			w.limits = fixtureLimits[seed]
			for range heavy.Count(80, 160) {
				w.step()
			}
			for range heavy.Count(40, 150) {
				w.expectFound(anyOf(w.rng, append(w.users, 0)), w.question())
			}
		})
	}
}

func (w *fixture) expectFound(viewer domain.UserID, q domain.Search) {
	w.t.Helper()
	if viewer == 0 && q.Scope != "" {
		return
	}
	if in := anyOf(w.rng, keys(w.channels)); w.rng.IntN(8) == 0 && w.seesChannel(viewer, in) { // which the operator resolves
		q.AlsoIn = in
	}
	l := search(w.t, w.s, viewer, q)
	got := slices.Clone(l.Items)
	slices.SortFunc(got, bySubject)
	if want := w.expected(viewer, q); !slices.Equal(got, want) || l.Total != int64(len(want)) {
		w.t.Fatalf("%d asks %+v: %v (%d), want %v", viewer, q, got, l.Total, want)
	}
	w.expectPages(viewer, q, l.Items)
	if q.Channel != 0 && w.seesChannel(viewer, q.Channel) {
		q.Sort = domain.SearchSort{Key: domain.SearchByCreated} // which does not stop at the limit
		w.expectInChannel(viewer, q, w.expected(viewer, q))
	}
}

// expectInChannel searches a channel that the viewer sees for all its matches.
func (w *fixture) expectInChannel(viewer domain.UserID, q domain.Search, want []domain.Subject) {
	w.t.Helper()
	q.Page = domain.Page{Number: 1, Per: 100}
	var got []domain.Subject
	err := w.s.InSnapshot(w.t.Context(), func(v *store.Snapshot) error {
		l, err := v.SearchChannel(w.t.Context(), store.SearchQuery{Search: q, Viewer: viewer, Words: words.Parse(q.Query)})
		for _, c := range l.Items {
			got = append(got, domain.Subject{Type: domain.SubjectType(c.Item.Type), ID: c.Item.ID})
		}
		if err == nil && l.Total != int64(len(want)) {
			w.t.Errorf("%d asks %+v of the channel: %d in all, want %d", viewer, q, l.Total, len(want))
		}
		return err
	})
	slices.SortFunc(got, bySubject)
	if err != nil || !slices.Equal(got, want) {
		w.t.Fatalf("%d asks %+v of the channel: %v (%v), want %v", viewer, q, got, err, want)
	}
}

// expectPages reads a list again in small pages and checks its order.
func (w *fixture) expectPages(viewer domain.UserID, q domain.Search, whole []domain.Subject) {
	w.t.Helper()
	var parts []domain.Subject
	for q.Page = (domain.Page{Number: 1, Per: 7}); len(parts) < len(whole); q.Page.Number++ {
		page := search(w.t, w.s, viewer, q).Items
		if len(page) == 0 {
			break
		}
		parts = append(parts, page...)
	}
	if !slices.Equal(parts, whole) {
		w.t.Fatalf("%d asks %+v: by pages %v, at once %v", viewer, q, parts, whole)
	}
	if q.Sort.Key != domain.SearchByCreated {
		return
	}
	for i := 1; i < len(whole); i++ {
		if a, b := w.made(whole[i-1]), w.made(whole[i]); a.After(b) != q.Sort.Desc {
			w.t.Fatalf("%+v gives %v", q, whole)
		}
	}
}

func (w *fixture) made(s domain.Subject) time.Time {
	if s.Type == domain.SubjectBlock {
		return w.blocks[domain.BlockID(s.ID)].created
	}
	return w.channels[domain.ChannelID(s.ID)].created
}

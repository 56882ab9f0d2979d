package store_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// A page of a source's activities is one range of an index, both for a source with nearly all
// activities and for one with few.
func TestPlansOfActivities(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		busy, idle := storetest.User(t, s, "Busy"), storetest.User(t, s, "Idle")
		loud, quiet := storetest.Channel(t, s, busy, "Loud", domain.Public), storetest.Channel(t, s, idle, "Quiet", domain.Public)
		storetest.Exec(t, db, `INSERT INTO activities (kind, actor_id, item_type, item_id, channel_id, created_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
			SELECT 'created_channel', CASE WHEN i = 10 THEN CAST($1 AS BIGINT) ELSE CAST($2 AS BIGINT) END, 'Channel', CAST($3 AS BIGINT),
				CASE WHEN i = 10 THEN CAST($4 AS BIGINT) ELSE CAST($3 AS BIGINT) END, i FROM n`, idle, busy, loud, quiet)
		r := &recorder{t: t, s: s, seen: map[string]bool{}}
		var all []statement
		for _, of := range []domain.Subject{{}, storetest.UserSubject(busy), storetest.UserSubject(idle), storetest.ChannelSubject(loud), storetest.ChannelSubject(quiet)} {
			r.seen = map[string]bool{}
			r.read(func(ctx context.Context, v *store.Snapshot) error {
				ids, err := v.Activity().ActivityIDs(ctx, of, domain.Window{Before: 15_000, Limit: 50})
				if err == nil && (len(ids) != 50) == (of != storetest.UserSubject(idle) && of != storetest.ChannelSubject(quiet)) {
					t.Errorf("%d activities of %v", len(ids), of)
				}
				return err
			})
			all = append(all, r.all...)
			r.all = nil
		}
		if s.Database() == "sqlite" {
			for _, st := range all {
				for _, step := range planOf(t, db, st) {
					if !regexp.MustCompile(`^SEARCH (x USING COVERING INDEX activities_\w+ \(\w+_id=\? AND |activities USING INTEGER PRIMARY KEY \()(id|rowid)>\? AND (id|rowid)<\?\)$`).MatchString(step) {
						t.Errorf("%s in %s", step, st.query)
					}
				}
			}
			return
		}
		storetest.Exec(t, db, "ANALYZE")
		for _, st := range all {
			for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
				if worst := carryOut(t, db, mode, st).most(); worst.read() > 100 {
					t.Errorf("%s: %s on %s reads %.0f rows in %s", mode, worst.Type, worst.Index, worst.read(), st.query)
				}
			}
		}
	})
}

// A feed looks up the newest activity of each followed source and reads no more than a page of it,
// even if the source has nearly all activities.
func TestPlansOfFeeds(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		const idlers, limit = 60, 20
		busy, reader := storetest.User(t, s, "Busy"), storetest.User(t, s, "Reader")
		loud := storetest.Channel(t, s, busy, "Loud", domain.Public)
		storetest.Exec(t, db, `INSERT INTO activities (kind, actor_id, item_type, item_id, channel_id, created_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
			SELECT 'created_channel', CAST($1 AS BIGINT), 'Channel', CAST($2 AS BIGINT), CAST($2 AS BIGINT), i FROM n`, busy, loud)
		for i := range idlers {
			idle := storetest.User(t, s, "Idle")
			if i < 2 { // the others have no activities
				storetest.Exec(t, db, `INSERT INTO activities (kind, actor_id, item_type, item_id, created_at) VALUES ('created_channel', $1, 'Channel', 1, 1)`, idle)
			}
			storetest.Follow(t, s, reader, storetest.UserSubject(idle))
		}
		storetest.Follow(t, s, reader, storetest.UserSubject(busy))
		storetest.Follow(t, s, reader, storetest.ChannelSubject(loud))
		r := &recorder{t: t, s: s, seen: map[string]bool{}}
		for _, rising := range []bool{false, true} {
			r.read(func(ctx context.Context, v *store.Snapshot) error {
				ids, err := v.Activity().FeedIDs(ctx, reader, domain.Window{Before: 15_000, Rising: rising, Limit: limit})
				if err == nil && len(ids) != limit {
					t.Errorf("%d activities", len(ids))
				}
				return err
			})
		}
		if s.Database() == "sqlite" {
			seeks := regexp.MustCompile(`^SEARCH (x USING COVERING INDEX activities_\w+ \(\w+_id=\? AND id>\? AND id<\?\)|a USING INTEGER PRIMARY KEY \(rowid=\?\)|follows USING COVERING INDEX \w+ \(follower_id=\?\))$`)
			for _, st := range r.all {
				for _, step := range planOf(t, db, st) {
					if strings.HasPrefix(step, "SEARCH") && !seeks.MatchString(step) || strings.HasPrefix(step, "SCAN") && !regexp.MustCompile(`^SCAN (found|few|r|s|n|f|near|d|page|\(subquery-\d+\))$`).MatchString(step) {
						t.Errorf("%s in %s", step, st.query)
					}
				}
			}
			return
		}
		storetest.Exec(t, db, "ANALYZE")
		for _, st := range r.all {
			for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
				if worst := carryOut(t, db, mode, st).most(); worst.read() > 3*idlers {
					t.Errorf("%s: %s on %s %s reads %.0f rows in %s", mode, worst.Type, worst.Table, worst.Index, worst.read(), st.query)
				}
			}
		}
	})
}

// A feed of many sources is merged once. After that, only newer activities are read, until its reader follows something
// else.
func TestFeedsOfManySourcesAreKnown(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		s = s.WithFeedLimits(store.FeedLimits{Many: 10, Kept: 50, Walked: 5})
		busy, reader := storetest.User(t, s, "Busy"), storetest.User(t, s, "Reader")
		storetest.Follow(t, s, reader, storetest.UserSubject(busy))
		for range 10 {
			storetest.Follow(t, s, reader, storetest.UserSubject(storetest.User(t, s, "Idle")))
		}
		var all []domain.ActivityID
		act := func(n int) {
			for range n {
				all = append(all, storetest.Record(t, s, domain.Activity{Kind: domain.CreatedChannel, Actor: busy, Item: storetest.UserSubject(busy)}))
			}
		}
		read := func(what string, merges int, w domain.Window) {
			t.Helper()
			stable, err := s.StableUpTo(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if w.Before == 0 {
				w.Before = stable + 1
			}
			r := &recorder{t: t, s: s, seen: map[string]bool{}}
			r.read(func(ctx context.Context, v *store.Snapshot) error {
				ids, err := v.Activity().FeedIDs(ctx, reader, w)
				if end := slices.Index(all, w.Before); len(ids) != 3 || !w.Rising && end > 0 && ids[0] != all[end-1] || !w.Rising && end < 0 && ids[0] != all[len(all)-1] {
					t.Errorf("%s: found %v of %v", what, ids, all)
				}
				return err
			})
			n := 0
			for _, st := range r.all {
				if strings.Contains(st.query, "found AS MATERIALIZED") {
					n++
				}
			}
			if n != merges {
				t.Errorf("%s: merged %d times, want %d", what, n, merges)
			}
		}
		act(100)
		page := domain.Window{Limit: 3}
		read("first", 1, page)
		read("with more to keep", 1, page)
		read("known", 0, page)
		act(3)
		read("with newer ones", 0, page)
		read("the next page", 0, domain.Window{Before: all[len(all)-3], Limit: 3})
		read("newer than a page", 0, domain.Window{After: all[90], Rising: true, Limit: 3})
		read("a page far down", 1, domain.Window{Before: all[30], Limit: 3})
		read("the page after that", 0, domain.Window{Before: all[27], Limit: 3})
		read("the first page again", 1, page)
		act(6)
		read("with too many newer ones", 1, page)
		storetest.Follow(t, s, reader, storetest.UserSubject(storetest.User(t, s, "New")))
		read("after another follow", 1, page)
		read("known again", 0, page)
		storetest.Unfollow(t, s, reader, storetest.UserSubject(busy))
		storetest.Follow(t, s, reader, storetest.UserSubject(busy))
		read("after following again", 1, page)
	})
}

package server_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/people"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// eachTrash runs f on each database with Trash, a feed and mails.
func eachTrash(t *testing.T, f func(t *testing.T, r *feedRig)) {
	eachFeed(t, f, apptest.Trash, func(c *config.Config) { c.MailIn.Domain = "mail.example.org" })
}

// rows returns the rows of a query as text.
func (r *feedRig) rows(query string, columns int) (all []string) {
	r.T.Helper()
	err := r.DB().View(r.ctx, func(q database.Querier) error {
		rows, err := q.Query(r.ctx, query)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			values := make([]any, columns)
			into := make([]any, columns)
			for i := range values {
				into[i] = &values[i]
			}
			if err := rows.Scan(into...); err != nil {
				return err
			}
			all = append(all, fmt.Sprint(values...))
		}
		return rows.Err()
	})
	if err != nil {
		r.T.Fatal(err)
	}
	return all
}

func (r *feedRig) inTrash() []collections.TrashedThing {
	r.T.Helper()
	l, err := r.S.App.Collections.Trash(r.ctx, r.ada, domain.Page{Number: 1, Per: 10})
	if err != nil {
		r.T.Fatal(err)
	}
	return l.Items
}

func (r *feedRig) restoreTrash() {
	r.T.Helper()
	for _, thing := range r.inTrash() {
		if got, err := r.S.App.Collections.RestoreTrashed(r.ctx, r.ada, thing.ID); err != nil || got.Lost != 0 {
			r.T.Errorf("restoring %s: %+v, %v", thing.Label, got, err)
		}
	}
}

func (r *feedRig) remove() {
	r.T.Helper()
	if err := r.S.App.Collections.DeleteChannel(r.ctx, r.ada, r.channel); err != nil {
		r.T.Error(err)
	}
}

// A channel comes back from Trash with its feeds, its mail addresses and all its followers. In the meantime, its feeds are not
// read, and its addresses do not exist.
func TestTrashKeepsWhatAChannelHas(t *testing.T) {
	eachTrash(t, func(t *testing.T, r *feedRig) {
		all := r.S.App.Collections
		r.set([]string{item("1", "1", "One")})
		if _, err := all.AddFeed(r.ctx, r.ada, r.channel, collections.FeedInput{Address: "https://feed.example.com/feed"}); err != nil {
			t.Fatal(err)
		}
		box, err := all.AddMailbox(r.ctx, r.ada, r.channel)
		if err != nil {
			t.Fatal(err)
		}
		letter := collections.MailInput{ID: "<1@moss.example>", Subject: "Letter", Text: "Words"}
		receive := func(in collections.MailInput) error { return all.ReceiveMail(r.ctx, box.Token, in) }
		if err := receive(letter); err != nil {
			t.Fatal(err)
		}
		what := storetest.ChannelSubject(domain.ChannelID(r.channel.ID))
		eve := domain.UserID(r.Person("eve").ID)
		storetest.In(t, r.S.Store, func(tx *store.Tx) error {
			fans, err := tx.Bulk().LoadUsers(t.Context(), 0, 1_050, r.Clock.Now())
			for i := range fans.N {
				if i == 3 {
					if _, err := tx.Activity().Follow(t.Context(), eve, what, r.Clock.Now()); err != nil {
						return err
					}
				}
				if _, err := tx.Activity().Follow(t.Context(), domain.UserID(fans.First+i), what, r.Clock.Now()); err != nil {
					return err
				}
			}
			return err
		})
		r.WorkJobs()
		const followers, feeds, entries = `SELECT id, follower_id, created_at FROM follows ORDER BY id`,
			`SELECT id, address, next_at, failures, checked_at FROM channel_feeds`, `SELECT feed_id, key FROM channel_feed_entries ORDER BY 2`
		before, fed, seen := r.rows(followers, 3), r.rows(feeds, 5), r.rows(entries, 2)

		r.remove()
		if n := len(r.rows(followers, 3)); n != 1_051 {
			t.Errorf("%d followers left to the job", n)
		}
		if err := all.RunCheckFeed(r.ctx, collections.CheckFeed{Feed: 1}); err != nil { // was enqueued before
			t.Error(err)
		}
		requests := len(r.requests)
		r.WorkJobs()
		storetest.Check(t, r.S.Store)
		if n := len(r.rows(followers, 3)); n != 0 {
			t.Errorf("%d still follow", n)
		}
		r.Clock.Advance(3 * 24 * time.Hour)
		if err := all.CheckFeeds(r.ctx); err != nil {
			t.Error(err)
		}
		r.WorkJobs()
		if len(r.requests) != requests {
			t.Errorf("the feed of a channel in Trash was read")
		}
		if _, err := all.Mailbox(r.ctx, box.Token); domain.KindOf(err) != domain.NotFound {
			t.Errorf("a mail to a channel in Trash: %v", err)
		}
		if own, err := all.OwnFeeds(r.ctx, r.ada); err != nil || len(own) != 0 {
			t.Errorf("%v, %v", own, err)
		}
		if err := r.S.App.Accounts.DeleteAccount(r.ctx, actor(eve), r.Proved(eve), "eve"); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()

		r.restoreTrash()
		r.WorkJobs()
		storetest.Check(t, r.S.Store)
		before = slices.Delete(before, 3, 4) // the deleted account
		if got := r.rows(followers, 3); !slices.Equal(got, before) {
			t.Errorf("%d followers became %d", len(before), len(got))
		}
		if got := r.rows(feeds, 5); !slices.Equal(got, fed) || !slices.Equal(r.rows(entries, 2), seen) {
			t.Errorf("the feed was %v and is %v", fed, got)
		}
		if err := receive(letter); err != nil {
			t.Error(err)
		}
		letter.ID, letter.Subject = "<2@moss.example>", "Second letter"
		if err := receive(letter); err != nil {
			t.Error(err)
		}
		r.set([]string{item("2", "2", "Two"), item("1", "1", "One")})
		if err := all.CheckFeeds(r.ctx); err != nil {
			t.Error(err)
		}
		r.WorkJobs()
		got := fields(r.Get("ada", "/v3/channels/%d/contents?per=100&sort=position_desc", r.channel.ID), "title")
		if want := []string{"Two", "Second letter", "One", "Letter"}; !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("the channel has %q", got)
		}

		r.remove()
		r.Clock.Advance(31 * 24 * time.Hour)
		if err := all.PurgeTrash(r.ctx); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		storetest.Check(t, r.S.Store)
		for _, table := range []string{"channel_feeds", "channel_feed_entries", "mailboxes", "mailbox_mails", "trash_followers", "follows"} {
			if rows := r.rows("SELECT 1 FROM "+table, 1); len(rows) != 0 {
				t.Errorf("%d rows are left in %s", len(rows), table)
			}
		}
	})
}

func actor(id domain.UserID) domain.Actor { return domain.Actor{UserID: id, Scope: domain.ScopeWrite} }

// A channel that is deleted again while its followers come back, or for good, leaves nothing behind. One that is deleted,
// restored, followed, fed and purged at once is consistent.
func TestTrashOfChannelsAtOnce(t *testing.T) {
	eachTrash(t, func(t *testing.T, r *feedRig) {
		all := r.S.App.Collections
		r.set([]string{item("1", "1", "One")})
		f, err := all.AddFeed(r.ctx, r.ada, r.channel, collections.FeedInput{Address: "https://feed.example.com/feed"})
		if err != nil {
			t.Fatal(err)
		}
		box, err := all.AddMailbox(r.ctx, r.ada, r.channel)
		if err != nil {
			t.Fatal(err)
		}
		what := storetest.ChannelSubject(domain.ChannelID(r.channel.ID))
		var fans []domain.UserID
		storetest.In(t, r.S.Store, func(tx *store.Tx) error {
			span, err := tx.Bulk().LoadUsers(t.Context(), 0, 120, r.Clock.Now()) // more than a request ends
			for i := range span.N {
				fans = append(fans, domain.UserID(span.First+i))
				if _, err := tx.Activity().Follow(t.Context(), fans[i], what, r.Clock.Now()); err != nil {
					return err
				}
			}
			return err
		})
		end, back := people.EndedFollows(what), people.FollowersBack{Channel: domain.ChannelID(r.channel.ID)}
		acts := []func(i int) error{
			func(int) error { return all.DeleteChannel(r.ctx, r.ada, r.channel) },
			func(int) error {
				l, err := all.Trash(r.ctx, r.ada, domain.Page{Number: 1, Per: 10})
				for _, thing := range l.Items {
					_, err = all.RestoreTrashed(r.ctx, r.ada, thing.ID)
				}
				return err
			},
			func(int) error { return r.S.App.People.EndFollows(r.ctx, end) },
			func(int) error { return r.S.App.People.RestoreFollowers(r.ctx, back) },
			func(i int) error {
				return r.S.App.People.Unfollow(r.ctx, actor(fans[i]), people.FollowTarget{Type: domain.SubjectChannel, Ref: r.channel})
			},
			func(i int) error {
				return r.S.App.People.Follow(r.ctx, actor(fans[i]), people.FollowTarget{Type: domain.SubjectChannel, Ref: r.channel})
			},
			func(int) error {
				return all.RunCheckFeed(context.WithoutCancel(r.ctx), collections.CheckFeed{Feed: f.ID})
			},
			func(i int) error {
				return all.ReceiveMail(r.ctx, box.Token, collections.MailInput{ID: fmt.Sprint(i), Subject: "Letter", Text: "Words"})
			},
		}
		for round := range 3 {
			var group sync.WaitGroup
			for i := range 24 {
				group.Go(func() {
					err := acts[i%len(acts)](round*24 + i)
					if kind := domain.KindOf(err); err != nil && !slices.Contains([]domain.Kind{domain.NotFound, domain.Forbidden, domain.Unprocessable}, kind) {
						t.Errorf("act %d: %v", i%len(acts), err)
					}
				})
			}
			group.Wait()
			storetest.Check(t, r.S.Store)
		}
		r.restoreTrash()
		r.WorkJobs()
		storetest.Check(t, r.S.Store)
		if n := len(r.rows("SELECT id FROM follows", 1)); n < 120-9 || len(r.rows("SELECT id FROM trash_followers", 1)) != 0 {
			t.Errorf("%d follow", n)
		}
		// Deleted for good while it is restored.
		r.remove()
		things := r.inTrash()
		var group sync.WaitGroup
		group.Go(func() {
			if err := all.PurgeTrashed(r.ctx, r.ada, things[0].ID); err != nil && domain.KindOf(err) != domain.NotFound {
				t.Error(err)
			}
			if err := all.PurgeTrash(r.ctx); err != nil {
				t.Error(err)
			}
		})
		group.Go(func() {
			if _, err := all.RestoreTrashed(r.ctx, r.ada, things[0].ID); err != nil && domain.KindOf(err) != domain.NotFound {
				t.Error(err)
			}
		})
		group.Wait()
		r.WorkJobs()
		storetest.Check(t, r.S.Store)
		_, err = r.S.Store.Channels().Channel(r.ctx, r.ada.UserID, r.channel)
		rows := len(r.rows("SELECT 1 FROM follows UNION ALL SELECT 1 FROM channel_feeds UNION ALL SELECT 1 FROM mailboxes UNION ALL SELECT 1 FROM trash_followers", 1))
		if there := err == nil; there != (rows > 2) {
			t.Errorf("restored: %v, with %d rows", there, rows)
		}
		if strings.Contains(fmt.Sprint(err), "sql") {
			t.Error(err)
		}
	})
}

// A restored channel of a group has its new time of change in the lists of the group, too.
func TestTrashOfGroups(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		owner := map[string]any{"type": "Group", "id": r.Group("Group", "ada")}
		id := r.Do("ada", "POST", "/v3/channels", map[string]any{"title": "Moss", "owner": owner}).Want(201).Int("id")
		r.Block("ada", "Words", id)
		r.Do("ada", "DELETE", fmt.Sprint("/v3/channels/", id), nil).Want(204)
		r.Clock.Advance(time.Minute)
		ada := domain.Actor{UserID: r.Person("ada").ID, Scope: domain.ScopeWrite}
		trash, err := r.S.App.Collections.Trash(t.Context(), ada, domain.Page{Number: 1, Per: 10})
		if err != nil || len(trash.Items) != 1 {
			t.Fatalf("%+v, %v", trash, err)
		}
		if _, err := r.S.App.Collections.RestoreTrashed(t.Context(), ada, trash.Items[0].ID); err != nil {
			t.Fatal(err)
		}
	}, apptest.Trash) // the derived values are checked at the end
}

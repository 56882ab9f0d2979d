package app_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/operating"
	"vitrine/internal/apptest"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
)

// kept are queries for everything that hiding and showing must restore: facts and values derived from them. Versions
// increase, and sort times change by at most a microsecond.
var kept = []string{
	`SELECT id, slug, visibility, owner_type, owner_id, blocks_count, channels_count, private_count, last_connected_at, updated_at / 1000 FROM channels`,
	`SELECT id, open_count, private_count, comment_count, updated_at FROM blocks`,
	`SELECT id, channel_id, item_type, item_id, item_private, item_updated_at, user_id, position_key, pinned, metadata, created_at, updated_at FROM connections`,
	`SELECT id, block_id, user_id, body_markdown, body_html, body_plain, created_at, updated_at FROM comments`,
	`SELECT kind, item_id, type, author_id, open, links FROM search_documents`,
	`SELECT group_id, kind, item_id, type, open_n, private_n, open FROM group_items WHERE open_n + private_n > 0`,
	`SELECT owner_type, owner_id, type, part, open, hidden FROM content_counts WHERE open + hidden > 0`,
	`SELECT channel_id, user_id, n FROM adder_counts`, `SELECT channel_id, shift, bucket, n FROM updated_counts`,
	`SELECT channel_id, sort, sum(n), sum(n_private) FROM order_nodes WHERE level = 0 GROUP BY channel_id, sort`,
	`SELECT id, kind, actor_id FROM activities`, `SELECT user_id, activity_id FROM notifications`,
	`SELECT user_id, unread FROM inboxes`, `SELECT id, open_channels, private_channels FROM users`, `SELECT id, open_channels, private_channels FROM groups`,
	`SELECT * FROM hidden_things`, `SELECT * FROM hidden_connections`, `SELECT * FROM hidden_comments`, `SELECT * FROM pending_transitions`,
}

// keeps returns the results of kept.
func (r *reporting) keeps() []string { return r.says(kept) }

// says reads all rows of queries, each prefixed with the number of its query, sorted.
func (r *reporting) says(queries []string) (all []string) {
	r.t.Helper()
	r.must(r.DB().View(r.ctx(), func(q database.Querier) error {
		for i, query := range queries {
			rows, err := q.Query(r.ctx(), query)
			if err != nil {
				return fmt.Errorf("%s: %w", query, err)
			}
			columns, err := rows.Columns()
			if err != nil {
				return err
			}
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			for rows.Next() {
				if err := rows.Scan(into...); err != nil {
					return err
				}
				all = append(all, fmt.Sprint(i, ": ", values))
			}
			rows.Close()
			if err := rows.Err(); err != nil {
				return err
			}
		}
		return nil
	}))
	slices.Sort(all)
	return all
}

// same fails if anything differs from before.
func (r *reporting) same(before []string) {
	r.t.Helper()
	r.equal("kept", before, r.keeps())
	r.clean()
}

// equal fails if two results differ.
func (r *reporting) equal(what string, want, got []string) {
	r.t.Helper()
	for _, row := range want {
		if !slices.Contains(got, row) {
			r.t.Errorf("%s: - %s", what, row)
		}
	}
	for _, row := range got {
		if !slices.Contains(want, row) {
			r.t.Errorf("%s: + %s", what, row)
		}
	}
}

func (r *reporting) hide(kind domain.SubjectType, id int64) (moderation.HiddenSubject, error) {
	return r.a.Moderation.Hide(r.ctx(), r.by, moderation.HideInput{About: domain.Subject{Type: kind, ID: id}, Text: "Rule 3"})
}

func (r *reporting) show(kind domain.SubjectType, id int64) {
	r.t.Helper()
	h, err := r.a.Moderation.FindHidden(r.ctx(), r.by, domain.Subject{Type: kind, ID: id})
	r.must(err)
	_, err = r.a.Moderation.Show(r.ctx(), r.by, h.ID, "A mistake")
	r.must(err)
	r.WorkJobs()
}

// busy adds things that may be hidden: ada's block in channels of others, of a group and of hers, between bob's blocks;
// her channel in bob's; and comments of both.
type busy struct {
	*reporting
	bobs, groups, drawer domain.ChannelID
	theirs               []domain.BlockID // bob's
	said                 domain.CommentID // ada's
}

func newBusy(w *accountsRig) *busy {
	r := newReporting(w)
	s, t := w.S.Store, w.t
	b := &busy{reporting: r, bobs: storetest.Channel(t, s, r.bob.UserID, "Walks", domain.Public), said: domain.CommentID(r.things[domain.SubjectComment])}
	crew := storetest.Group(t, s, "Crew", r.bob.UserID, r.ada.UserID)
	b.groups = storetest.OwnedChannel(t, s, domain.GroupRef(crew), r.bob.UserID, "Map", domain.Closed)
	b.drawer = storetest.Channel(t, s, r.bob.UserID, "Bob's drawer", domain.Private)
	storetest.Collaborate(t, s, b.drawer, domain.UserRef(r.ada.UserID))
	for i := range 3 {
		b.theirs = append(b.theirs, storetest.Block(t, s, r.bob.UserID, fmt.Sprint("Stone ", i)))
	}
	for _, in := range []domain.ChannelID{b.bobs, b.groups, b.drawer} {
		storetest.Connect(t, s, r.bob.UserID, in, domain.BlockRef(b.theirs[0]), 0)
		storetest.Connect(t, s, r.ada.UserID, in, domain.BlockRef(r.block), 0)
		storetest.Connect(t, s, r.ada.UserID, in, domain.BlockRef(b.theirs[1]), 0) // ada's connection of bob's block
		storetest.Connect(t, s, r.bob.UserID, in, domain.BlockRef(b.theirs[2]), 0)
		storetest.Connect(t, s, r.bob.UserID, in, domain.ChannelRef(r.open), 2)
	}
	storetest.Connect(t, s, r.ada.UserID, r.open, domain.BlockRef(b.theirs[0]), 0)
	storetest.Connect(t, s, r.ada.UserID, r.closed, domain.BlockRef(r.block), 0)
	storetest.Comment(t, s, r.bob.UserID, r.block, "No")
	storetest.Comment(t, s, r.ada.UserID, b.theirs[0], "Buy moss, too")
	storetest.Follow(t, s, r.bob.UserID, storetest.UserSubject(r.ada.UserID))
	_, err := r.a.Collections.Connect(r.ctx(), r.ada, domain.BlockRef(r.block), []collections.Target{{Channel: domain.Ref{ID: int64(r.closed)}}})
	r.must(err)
	return b
}

// contents returns the ids of the items of a channel as somebody sees them, with those of channels negated, or nil if
// they may not see the channel.
func (b *busy) contents(as domain.Actor, in domain.ChannelID) (ids []int64) {
	b.t.Helper()
	l, err := b.a.Collections.Contents(b.ctx(), as, domain.Ref{ID: int64(in)}, collections.ContentsInput{Sort: domain.ContentSort{Key: domain.ByPosition, Desc: true}, Page: domain.Page{Number: 1, Per: 50}})
	if domain.KindOf(err) == domain.NotFound {
		return nil
	}
	b.must(err)
	for _, c := range l.Items {
		if c.Connection.Item.Type == domain.ItemChannel {
			c.Connection.Item.ID = -c.Connection.Item.ID
		}
		ids = append(ids, c.Connection.Item.ID)
	}
	return ids
}

// sees fails unless a read succeeds for exactly one actor.
func (b *busy) sees(only domain.Actor, read func(as domain.Actor) error) {
	b.t.Helper()
	for _, as := range []domain.Actor{{}, b.bob, b.op, b.ada} {
		if err := read(as); (err == nil) != (as == only) || err != nil && domain.KindOf(err) != domain.NotFound {
			b.t.Errorf("user %d: %v", as.UserID, err)
		}
	}
}

// Only its owner finds a hidden thing, and showing it restores it unchanged.
func TestHide(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		b := newBusy(w)
		before := b.keeps()
		page := domain.Page{Number: 1, Per: 50}
		_, err := b.hide(domain.SubjectBlock, int64(b.block))
		b.must(err)
		b.clean()
		b.sees(b.ada, func(as domain.Actor) error {
			_, err := b.a.Collections.Block(b.ctx(), as, b.block)
			return err
		})
		b.sees(b.ada, func(as domain.Actor) error {
			_, err := b.a.Collections.Comments(b.ctx(), as, b.block, false, page)
			return err
		})
		for _, in := range []domain.ChannelID{b.bobs, b.groups, b.drawer, b.open, b.closed} {
			if slices.Contains(b.contents(b.bob, in), int64(b.block)) || slices.Contains(b.contents(b.ada, in), int64(b.block)) {
				t.Errorf("it is in channel %d", in)
			}
		}
		_, err = b.hide(domain.SubjectBlock, int64(b.block))
		b.want(domain.Conflict, err)
		_, err = b.a.Collections.Connect(b.ctx(), b.ada, domain.BlockRef(b.block), []collections.Target{{Channel: domain.Ref{ID: int64(b.open)}}})
		b.want(domain.Forbidden, err)
		b.show(domain.SubjectBlock, int64(b.block))
		b.same(before)

		_, err = b.hide(domain.SubjectChannel, int64(b.open))
		b.must(err)
		b.clean()
		b.sees(b.ada, func(as domain.Actor) error {
			_, err := b.a.Collections.Channel(b.ctx(), as, domain.Ref{ID: int64(b.open)})
			return err
		})
		for _, v := range []domain.Visibility{domain.Public, domain.Closed} {
			_, err = b.a.Collections.UpdateChannel(b.ctx(), b.ada, domain.Ref{ID: int64(b.open)}, collections.UpdateChannelInput{Visibility: &v})
			b.want(domain.Forbidden, err)
		}
		b.show(domain.SubjectChannel, int64(b.open))
		b.same(before)
		_, err = b.hide(domain.SubjectChannel, int64(b.closed)) // it was private, and remains so
		b.must(err)
		b.show(domain.SubjectChannel, int64(b.closed))
		b.same(before)

		_, err = b.hide(domain.SubjectComment, int64(b.said))
		b.must(err)
		b.clean()
		if l, err := b.a.Collections.Comments(b.ctx(), b.bob, b.block, false, page); err != nil || len(l.Items) != 1 || l.Total != 1 || l.Items[0].ID == b.said {
			t.Errorf("the hidden comment is among %+v, %v", l, err)
		}
		b.sees(domain.Actor{UserID: -1}, func(as domain.Actor) error {
			_, err := b.a.Collections.Comment(b.ctx(), as, b.said)
			return err
		})
		_, err = b.hide(domain.SubjectComment, int64(b.said))
		b.want(domain.Conflict, err)
		b.show(domain.SubjectComment, int64(b.said))
		b.same(before)
		if n, err := b.a.Moderation.Notices(b.ctx(), b.ada); err != nil || len(n) != 8 || n[0].What != "shown" || n[1].What != "hidden" || n[1].Words != "Rule 3" {
			t.Errorf("%+v, %v", n, err)
		}
	}, open)
}

// Only operators hide, and only existing things. A case that this decides is closed.
func TestHideIsForOperators(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		b := newBusy(w)
		before := w.Dump()
		about := domain.Subject{Type: domain.SubjectBlock, ID: int64(b.block)}
		for _, actor := range []domain.Actor{{}, b.ada, b.bob} {
			by := operating.OnSite(actor, home)
			_, err := b.a.Moderation.Hide(b.ctx(), by, moderation.HideInput{About: about})
			b.want(domain.Forbidden, err)
			_, err = b.a.Moderation.Show(b.ctx(), by, 1, "")
			b.want(domain.Forbidden, err)
			_, err = b.a.Moderation.HiddenSubjects(b.ctx(), by, 0, 1)
			b.want(domain.Forbidden, err)
			_, err = b.a.Moderation.FindHidden(b.ctx(), by, about)
			b.want(domain.Forbidden, err)
		}
		for _, bad := range []domain.Subject{{}, {Type: domain.SubjectUser, ID: 1}, {Type: domain.SubjectGroup, ID: 1}, {Type: domain.SubjectBlock}} {
			_, err := b.a.Moderation.Hide(b.ctx(), b.by, moderation.HideInput{About: bad})
			b.want(domain.Invalid, err)
		}
		for _, kind := range []domain.SubjectType{domain.SubjectBlock, domain.SubjectChannel, domain.SubjectComment} {
			_, err := b.hide(kind, 1<<40)
			b.want(domain.NotFound, err)
		}
		_, err := b.a.Moderation.Show(b.ctx(), b.by, 1<<40, "")
		b.want(domain.NotFound, err)
		if d := before.Diff(w.Dump()); len(d) > 0 {
			t.Errorf("what was refused changed %v", d)
		}
		kept := b.keeps()
		for _, kind := range []domain.SubjectType{domain.SubjectComment, domain.SubjectBlock, domain.SubjectChannel} {
			b.must(b.report(b.bob, kind, b.things[kind]))
			b.must(b.decide(moderation.Hidden, "Rule 3"))
		}
		mine, err := b.a.Moderation.MyHidden(b.ctx(), b.ada)
		if b.must(err); len(mine) != 3 {
			t.Errorf("ada has %+v", mine)
		}
		all, err := b.a.Moderation.HiddenSubjects(b.ctx(), b.by, 0, 10)
		if b.must(err); len(all) != 3 || all[0].Owner != "ada" || all[0].About.Kind != "Channel" {
			t.Errorf("%+v", all)
		}
		c, err := b.a.Moderation.ReadCase(b.ctx(), b.by, 1, 0, 1)
		if b.must(err); c.Subject == nil || c.Subject.Text != "Really, buy it" || c.Subject.Owner != b.ada.UserID {
			t.Errorf("%+v", c)
		}
		for _, h := range all {
			_, err := b.a.Moderation.Show(b.ctx(), b.by, h.ID, "")
			b.must(err)
		}
		b.same(kept)
		b.want(domain.Unprocessable, func() error {
			b.must(b.report(b.op, domain.SubjectUser, int64(b.ada.UserID)))
			return b.decide(moderation.Hidden, "")
		}())
		acts := b.acts(b.op, domain.AuditFilter{ActorID: b.op.UserID})
		for _, want := range []string{"op content.hidden Finds", "op content.shown Finds", "op content.hidden Buy my moss"} {
			if !slices.Contains(acts, want) {
				t.Errorf("the log lacks %q: %q", want, acts)
			}
		}
	}, open)
}

// If a thing is deleted while it is hidden, its hidden data is deleted too. Changes that others make around its position
// in the meantime are kept.
func TestHiddenThingsThatChange(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		b := newBusy(w)
		_, err := b.hide(domain.SubjectComment, int64(b.said))
		b.must(err)
		_, err = b.hide(domain.SubjectBlock, int64(b.block))
		b.must(err)
		b.must(b.a.Collections.DeleteChannel(b.ctx(), b.bob, domain.Ref{ID: int64(b.groups)}))
		fresh := storetest.Block(t, w.S.Store, b.bob.UserID, "Fresh")
		storetest.Connect(t, w.S.Store, b.bob.UserID, b.bobs, domain.BlockRef(fresh), 0)
		storetest.SetVisibility(t, w.S.Store, b.bob.UserID, b.drawer, domain.Public)
		b.show(domain.SubjectBlock, int64(b.block))
		b.clean()
		if got, want := b.contents(domain.Actor{}, b.bobs), []int64{int64(fresh), int64(b.theirs[2]), int64(b.theirs[1]), int64(b.block), -int64(b.open), int64(b.theirs[0])}; !slices.Equal(got, want) {
			t.Errorf("%v, not %v", got, want)
		}
		if got := b.contents(domain.Actor{}, b.drawer); !slices.Contains(got, int64(b.block)) {
			t.Errorf("%v", got)
		}
		_, err = b.hide(domain.SubjectBlock, int64(b.block))
		b.must(err)
		_, err = b.hide(domain.SubjectChannel, int64(b.open))
		b.must(err)
		b.must(b.a.Collections.DeleteBlock(b.ctx(), b.ada, b.block))
		b.must(b.a.Collections.DeleteChannel(b.ctx(), b.ada, domain.Ref{ID: int64(b.open)}))
		b.clean()
		for _, table := range []string{"hidden_things", "hidden_connections", "hidden_comments"} {
			if left := w.Dump()[table]; len(left) > 0 {
				t.Errorf("%s: %v", table, left)
			}
		}
	}, open)
}

// A hidden block comes back to a channel that is or was in Trash.
func TestHiddenInTrash(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		b := newBusy(w)
		before := b.contents(b.bob, b.bobs)
		restore := func() {
			l, err := b.a.Collections.Trash(b.ctx(), b.bob, domain.Page{Number: 1, Per: 10})
			b.must(err)
			for _, thing := range l.Items {
				_, err := b.a.Collections.RestoreTrashed(b.ctx(), b.bob, thing.ID)
				b.must(err)
			}
		}
		show := func() { b.show(domain.SubjectBlock, int64(b.block)) }
		for i, steps := range [][]func(){{show, restore}, {restore, show}} {
			_, err := b.hide(domain.SubjectBlock, int64(b.block))
			b.must(err)
			b.must(b.a.Collections.DeleteChannel(b.ctx(), b.bob, domain.Ref{ID: int64(b.bobs)}))
			b.clean()
			for _, step := range steps {
				step()
				b.clean()
			}
			if got := b.contents(b.bob, b.bobs); !slices.Equal(got, before) {
				t.Errorf("%d: %v, not %v", i, got, before)
			}
		}
		_, err := b.hide(domain.SubjectBlock, int64(b.block))
		b.must(err)
		b.must(b.a.Collections.DeleteChannel(b.ctx(), b.bob, domain.Ref{ID: int64(b.bobs)}))
		b.must(b.a.Collections.EmptyTrash(b.ctx(), b.bob, 1<<62))
		b.must(b.a.Collections.PurgeTrash(b.ctx()))
		b.show(domain.SubjectBlock, int64(b.block))
		b.clean()
	}, open, apptest.Trash)
}

// While operators hide and show things, others connect, move, comment, edit and delete. In the end all values are right,
// and hidden things are not visible.
func TestHideAtOnce(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		b := newBusy(w)
		try := func(err error) {
			switch domain.KindOf(err) {
			case domain.NotFound, domain.Conflict, domain.Forbidden, domain.Unprocessable:
			default:
				if err != nil {
					t.Error(err)
				}
			}
		}
		toggle := func(kind domain.SubjectType, id int64) {
			_, err := b.hide(kind, id)
			try(err)
			if h, err := b.a.Moderation.FindHidden(b.ctx(), b.by, domain.Subject{Type: kind, ID: id}); err == nil {
				_, err = b.a.Moderation.Show(b.ctx(), b.by, h.ID, "")
				try(err)
			}
		}
		targets := []collections.Target{{Channel: domain.Ref{ID: int64(b.bobs)}}, {Channel: domain.Ref{ID: int64(b.drawer)}}}
		var wait sync.WaitGroup
		for i := range 2 {
			wait.Go(func() {
				for range 4 {
					toggle(domain.SubjectBlock, int64(b.block))
				}
			})
			wait.Go(func() {
				for range 3 {
					toggle([]domain.SubjectType{domain.SubjectChannel, domain.SubjectComment}[i], []int64{int64(b.open), int64(b.said)}[i])
				}
			})
		}
		wait.Go(func() {
			for range 4 {
				made, err := b.a.Collections.Connect(b.ctx(), b.bob, domain.BlockRef(b.block), targets)
				try(err)
				for _, c := range made {
					_, err := b.a.Collections.MoveConnection(b.ctx(), b.bob, c.ID, domain.MoveToTop, nil)
					try(err)
				}
				_, err = b.a.Collections.CreateComment(b.ctx(), b.bob, b.block, "Hm")
				try(err)
				for _, c := range made {
					try(b.a.Collections.DeleteConnection(b.ctx(), b.bob, c.ID))
				}
			}
		})
		wait.Go(func() {
			for i := range 4 {
				_, err := b.a.Collections.UpdateComment(b.ctx(), b.ada, b.said, fmt.Sprint("Edit ", i))
				try(err)
				_, err = b.a.Collections.Connect(b.ctx(), b.ada, domain.BlockRef(b.block), []collections.Target{{Channel: domain.Ref{ID: int64(b.closed)}}})
				try(err)
			}
		})
		wait.Wait()
		b.clean()
		_, err := b.hide(domain.SubjectBlock, int64(b.block))
		try(err)
		b.WorkJobs()
		b.sees(b.ada, func(as domain.Actor) error {
			_, err := b.a.Collections.Block(b.ctx(), as, b.block)
			return err
		})
		b.clean()
	}, open)
}

// With a suspension, everything that the person created is hidden, and nothing of others. Lifting it restores everything
// except what an operator hid separately.
func TestHideWithSuspension(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		b := newBusy(w)
		s := w.S.Store
		own := storetest.OwnedChannel(t, s, domain.GroupRef(domain.GroupID(b.things[domain.SubjectGroup])), b.ada.UserID, "Sold", domain.Public)
		storetest.Connect(t, s, b.ada.UserID, own, domain.BlockRef(b.block), 0)
		alone := storetest.Comment(t, s, b.ada.UserID, b.theirs[2], "Moss!")
		before := b.keeps()
		_, err := b.a.Operating.SetAccount(b.ctx(), b.op, b.ada.UserID, operating.AccountChange{Hide: true})
		b.want(domain.Unprocessable, err)
		b.must(b.report(b.bob, domain.SubjectUser, int64(b.ada.UserID)))
		_, err = b.a.Moderation.Decide(b.ctx(), b.by, b.newest().ID, moderation.Decision{Outcome: moderation.Suspended, Hide: true})
		b.must(err)
		b.WorkJobs()
		b.clean()
		hidden := b.keeps()
		for range 2 { // running a job again changes nothing
			b.must(b.a.Moderation.ResumeHiding(b.ctx()))
			b.same(hidden)
		}
		for _, in := range []domain.ChannelID{b.open, own} {
			if got := b.contents(b.bob, in); got != nil {
				t.Errorf("channel %d has %v", in, got)
			}
		}
		for _, in := range []domain.ChannelID{b.bobs, b.groups, b.drawer} {
			if got, want := b.contents(b.bob, in), []int64{int64(b.theirs[2]), int64(b.theirs[0])}; !slices.Equal(got, want) {
				t.Errorf("channel %d has %v, not %v", in, got, want)
			}
		}
		for _, block := range []domain.BlockID{b.block, b.theirs[0], b.theirs[2]} {
			read, err := b.S.Store.Blocks().AnyBlock(b.ctx(), block)
			if b.must(err); read.Comments != map[domain.BlockID]int64{b.block: 1}[block] {
				t.Errorf("%d comments on block %d", read.Comments, block)
			}
		}
		b.sees(b.ada, func(as domain.Actor) error {
			_, err := b.a.Collections.Block(b.ctx(), as, b.block)
			return err
		})
		if all, err := b.a.Moderation.HiddenSubjects(b.ctx(), b.by, 0, 10); err != nil || len(all) != 1 || all[0].About.Kind != "User" || all[0].State != "hidden" {
			t.Errorf("%+v, %v", all, err)
		}
		// What others change in the meantime is kept, and so is what an operator hides separately.
		_, err = b.hide(domain.SubjectComment, int64(alone))
		b.must(err)
		_, err = b.hide(domain.SubjectChannel, int64(b.open))
		b.must(err)
		_, err = b.hide(domain.SubjectBlock, int64(b.theirs[1]))
		b.must(err)
		suspended := false
		_, err = b.a.Operating.SetAccount(b.ctx(), b.op, b.ada.UserID, operating.AccountChange{Suspended: &suspended})
		b.must(err)
		b.WorkJobs()
		b.clean()
		if got := b.contents(b.bob, b.open); got != nil {
			t.Errorf("the channel that is hidden by itself has %v", got)
		}
		if got, want := b.contents(b.bob, b.bobs), []int64{int64(b.theirs[2]), int64(b.block), int64(b.theirs[0])}; !slices.Equal(got, want) {
			t.Errorf("%v, not %v", got, want)
		}
		b.show(domain.SubjectComment, int64(alone))
		b.show(domain.SubjectChannel, int64(b.open))
		b.show(domain.SubjectBlock, int64(b.theirs[1]))
		b.same(before)
	}, open)
}

// A thing that cannot be shown or hidden does not stop the following ones, and the errors name all of these.
func TestResumeHidingGoesOn(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		b := newBusy(w)
		alone := storetest.Comment(t, w.S.Store, b.bob.UserID, b.theirs[2], "Moss!")
		var ids []moderation.HiddenID
		for _, about := range []domain.Subject{{Type: domain.SubjectComment, ID: int64(b.said)}, {Type: domain.SubjectBlock, ID: int64(b.theirs[1])},
			{Type: domain.SubjectComment, ID: int64(alone)}, {Type: domain.SubjectBlock, ID: int64(b.theirs[2])}} {
			h, err := b.hide(about.Type, about.ID)
			b.must(err)
			ids = append(ids, h.ID)
		}
		b.WorkJobs()
		// All four are due to be shown, but what two of them would restore exists already.
		b.Exec(`UPDATE hidden_things SET state = 'showing'`)
		b.Exec(`INSERT INTO comments (id, block_id, user_id, body_markdown, body_html, body_plain, version, created_at, updated_at)
			SELECT id, block_id, user_id, body_markdown, body_html, body_plain, version, created_at, updated_at FROM hidden_comments`)
		err := b.a.Moderation.ResumeHiding(b.ctx())
		for i, stuck := range []bool{true, false, true, false} {
			if named := err != nil && strings.Contains(err.Error(), fmt.Sprintf("hidden thing %d: ", ids[i])); named != stuck {
				t.Errorf("%d of %d: %v", i, ids, err)
			}
		}
		if got := w.Dump()["hidden_things"]; len(got) != 2 {
			t.Errorf("left are %v", got)
		}
		for _, block := range []domain.BlockID{b.theirs[1], b.theirs[2]} {
			if !slices.Contains(b.contents(b.bob, b.bobs), int64(block)) {
				t.Errorf("block %d is not back", block)
			}
		}
		b.Exec(`DELETE FROM comments WHERE id IN (SELECT id FROM hidden_comments)`)
		b.must(b.a.Moderation.ResumeHiding(b.ctx()))
		b.clean()
		if got := w.Dump()["hidden_things"]; len(got) != 0 {
			t.Errorf("left are %v", got)
		}
	}, open)
}

// While everything that somebody made is hidden and shown, others continue. Nothing is lost, and all values are right.
// Deleting an account also deletes its hidden things.
func TestHideWithSuspensionAtOnce(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		b := newBusy(w)
		var wait sync.WaitGroup
		wait.Go(func() {
			for range 3 {
				if _, err := b.a.Operating.SuspendAndHide(b.ctx(), domain.Ref{ID: int64(b.ada.UserID)}); err != nil {
					t.Error(err)
				}
				if err := b.a.Moderation.ResumeHiding(b.ctx()); err != nil {
					t.Error(err)
				}
				if _, err := b.a.Operating.Suspend(b.ctx(), domain.Ref{ID: int64(b.ada.UserID)}, false); err != nil {
					t.Error(err)
				}
			}
		})
		for range 2 {
			wait.Go(func() {
				for range 4 {
					if err := b.a.Moderation.ResumeHiding(b.ctx()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		made := 0
		wait.Go(func() {
			for i := range 6 {
				block := storetest.Block(t, w.S.Store, b.bob.UserID, fmt.Sprint("More ", i))
				if _, err := b.a.Collections.Connect(b.ctx(), b.bob, domain.BlockRef(block), []collections.Target{{Channel: domain.Ref{ID: int64(b.bobs)}, Position: 3}}); err != nil {
					t.Error(err)
				}
				made++
			}
		})
		wait.Wait()
		b.must(b.a.Moderation.ResumeHiding(b.ctx()))
		b.clean()
		if got := b.contents(b.bob, b.bobs); len(got) != 5+made {
			t.Errorf("%d items, not %d", len(got), 5+made)
		}
		_, err := b.a.Operating.SuspendAndHide(b.ctx(), domain.Ref{ID: int64(b.ada.UserID)})
		b.must(err)
		b.must(b.a.Moderation.ResumeHiding(b.ctx()))
		_, err = b.a.Operating.DeleteAccountOf(b.ctx(), b.by, domain.Ref{ID: int64(b.ada.UserID)}, "ada")
		b.must(err)
		b.WorkJobs()
		b.clean()
		for _, table := range []string{"hidden_things", "hidden_connections", "hidden_comments"} {
			if left := w.Dump()[table]; len(left) > 0 {
				t.Errorf("%s: %v", table, left)
			}
		}
	}, open)
}

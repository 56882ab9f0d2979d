package people_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// fixture is a set of users around one channel of a group, in which ada acts.
type fixture struct {
	t       *testing.T
	app     *app.App
	s       *store.Store
	who     map[string]domain.UserID
	group   domain.GroupID
	channel domain.ChannelID // the group's
	other   domain.ChannelID // of owner
	block   domain.BlockID   // by author, in other

	made    domain.ChannelID    // by ada
	said    domain.CommentID    // by ada
	helping domain.PrincipalRef // added by ada to channel
}

// ada acts. fan follows her, reader the group's channel, and watcher the group. chief and member are in the group. early
// has commented before.
var fixtureUsers = []string{"ada", "author", "chief", "early", "fan", "helper", "member", "named", "owner", "reader", "watcher"}

func newFixture(t *testing.T, s *store.Store) *fixture {
	w := &fixture{t: t, s: s, who: map[string]domain.UserID{}}
	now := storetest.Now
	w.app = app.New(app.Options{Store: s, Now: func() time.Time { now = now.Add(time.Second); return now }})
	for _, name := range fixtureUsers {
		w.who[name] = storetest.User(t, s, name)
	}
	w.group = storetest.Group(t, s, "Guild", w.who["chief"], w.who["member"])
	w.channel = storetest.OwnedChannel(t, s, domain.GroupRef(w.group), w.who["chief"], "Hall", domain.Public)
	w.other = storetest.Channel(t, s, w.who["owner"], "Other", domain.Public)
	w.block = storetest.Block(t, s, w.who["author"], "x")
	storetest.Connect(t, s, w.who["author"], w.other, domain.BlockRef(w.block), 0)
	storetest.Comment(t, s, w.who["early"], w.block, "first")
	storetest.Follow(t, s, w.who["fan"], storetest.UserSubject(w.who["ada"]))
	storetest.Follow(t, s, w.who["reader"], storetest.ChannelSubject(w.channel))
	storetest.Follow(t, s, w.who["watcher"], storetest.GroupSubject(w.group))
	return w
}

func (w *fixture) actor(name string) domain.Actor {
	return domain.Actor{UserID: w.who[name], Tier: domain.TierFree, Scope: domain.ScopeWrite}
}

func (w *fixture) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// recipients returns the users whose feed contains ada's activity of a kind, and those whose
// notifications contain it.
func (w *fixture) recipients(kind domain.ActivityKind) (feed, notified string) {
	w.t.Helper()
	var feeds, notices []string
	for _, name := range fixtureUsers {
		f, err := w.app.People.Feed(w.t.Context(), w.actor(name), people.CursorInput{Limit: 100})
		w.must(err)
		n, err := w.app.People.Notifications(w.t.Context(), w.actor(name), false, people.CursorInput{Limit: 100})
		w.must(err)
		if slices.ContainsFunc(f.Items, func(s domain.Story) bool { return s.Kind == kind }) {
			feeds = append(feeds, name)
		}
		if slices.ContainsFunc(n.Items, func(s domain.Notice) bool { return s.Kind == kind }) {
			notices = append(notices, name)
		}
	}
	return strings.Join(feeds, " "), strings.Join(notices, " ")
}

func (w *fixture) connect(item domain.ItemRef, to domain.ChannelID) {
	w.t.Helper()
	_, err := w.app.Collections.Connect(w.t.Context(), w.actor("ada"), item, []collections.Target{{Channel: domain.Ref{ID: int64(to)}}})
	w.must(err)
}

func (w *fixture) hide(id domain.ChannelID, by string) {
	w.t.Helper()
	private := domain.Private
	_, err := w.app.Collections.UpdateChannel(w.t.Context(), w.actor(by), domain.Ref{ID: int64(id)}, collections.UpdateChannelInput{Visibility: &private})
	w.must(err)
}

func (w *fixture) follow(what domain.Subject) {
	w.t.Helper()
	w.must(w.app.People.Follow(w.t.Context(), w.actor("ada"), people.FollowTarget{Type: what.Type, Ref: domain.Ref{ID: what.ID}}))
}

func (w *fixture) comment(body string) {
	w.t.Helper()
	c, err := w.app.Collections.CreateComment(w.t.Context(), w.actor("ada"), w.block, body)
	w.must(err)
	w.said = c.ID
}

func (w *fixture) collaborate(who domain.PrincipalRef) {
	w.t.Helper()
	w.join() // only owners may
	w.helping = who
	_, _, err := w.app.Collections.AddCollaborator(w.t.Context(), w.actor("ada"), domain.Ref{ID: int64(w.channel)}, who)
	w.must(err)
}

// create makes ada create a channel of her own, or of the group.
func (w *fixture) create(owner *domain.PrincipalRef) {
	w.t.Helper()
	if owner != nil {
		w.join()
	}
	c, err := w.app.Collections.CreateChannel(w.t.Context(), w.actor("ada"), collections.CreateChannelInput{Title: "New", Visibility: domain.Closed, Owner: owner})
	w.must(err)
	w.made = c.ID
}

// add makes ada, who becomes a member, add a follower of hers to the group.
func (w *fixture) add(name string) {
	w.t.Helper()
	w.join()
	storetest.Follow(w.t, w.s, w.who[name], storetest.UserSubject(w.who["ada"]))
	_, err := w.app.People.Invite(w.t.Context(), w.actor("ada"), domain.Ref{ID: int64(w.group)}, people.InviteInput{User: w.who[name]})
	w.must(err)
}

func (w *fixture) join() {
	storetest.In(w.t, w.s, func(tx *store.Tx) error {
		_, err := tx.Membership().AddMember(w.t.Context(), w.group, w.who["ada"], storetest.Now)
		return err
	})
}

func unfollow(w *fixture) {
	storetest.Unfollow(w.t, w.s, w.who["fan"], storetest.UserSubject(w.who["ada"]))
	storetest.Unfollow(w.t, w.s, w.who["watcher"], storetest.GroupSubject(w.group))
}

func hideMade(w *fixture)  { w.hide(w.made, "ada") }
func hideHall(w *fixture)  { w.hide(w.channel, "chief") }
func hideOther(w *fixture) { w.hide(w.other, "owner") }

func deleteHall(w *fixture) {
	w.must(w.app.Collections.DeleteChannel(w.t.Context(), w.actor("chief"), domain.Ref{ID: int64(w.channel)}))
}

func deleteBlock(w *fixture) {
	w.must(w.app.Collections.DeleteBlock(w.t.Context(), w.actor("author"), w.block))
}

func deleteGroup(w *fixture) {
	w.must(w.app.People.DeleteGroup(w.t.Context(), w.actor("chief"), domain.Ref{ID: int64(w.group)}))
}

// addHelper makes helper, who follows ada, a collaborator on a channel.
func addHelper(w *fixture, to domain.ChannelID, by string) {
	storetest.Follow(w.t, w.s, w.who["helper"], storetest.UserSubject(w.who["ada"]))
	_, _, err := w.app.Collections.AddCollaborator(w.t.Context(), w.actor(by), domain.Ref{ID: int64(to)}, domain.UserRef(w.who["helper"]))
	w.must(err)
}

func (w *fixture) removeCollaborator(who domain.PrincipalRef, from domain.ChannelID, by string) {
	w.must(w.app.Collections.RemoveCollaborators(w.t.Context(), w.actor(by), domain.Ref{ID: int64(from)}, who))
}

// hideWithHelper makes the hall visible only to its group and to helper.
func hideWithHelper(w *fixture) {
	addHelper(w, w.channel, "chief")
	hideHall(w)
}

func hideWithoutHelper(w *fixture) {
	hideWithHelper(w)
	w.removeCollaborator(domain.UserRef(w.who["helper"]), w.channel, "chief")
}

// hideOtherWithHelper makes the other channel visible only to owner and helper.
func hideOtherWithHelper(w *fixture) {
	addHelper(w, w.other, "owner")
	hideOther(w)
}

func hideOtherWithoutHelper(w *fixture) {
	hideOtherWithHelper(w)
	w.removeCollaborator(domain.UserRef(w.who["helper"]), w.other, "owner")
}

// hideMadeWithHelper makes the channel that ada created visible only to her and helper.
func hideMadeWithHelper(w *fixture) {
	addHelper(w, w.made, "ada")
	hideMade(w)
}

func hideMadeWithoutHelper(w *fixture) {
	hideMadeWithHelper(w)
	w.removeCollaborator(domain.UserRef(w.who["helper"]), w.made, "ada")
}

// removeCollaborators undoes ada's collaborate.
func removeCollaborators(w *fixture) {
	w.removeCollaborator(w.helping, w.channel, "chief")
}

func removeAndHide(w *fixture) {
	removeCollaborators(w)
	hideHall(w)
}

func deleteBand(w *fixture) {
	w.must(w.app.People.DeleteGroup(w.t.Context(), w.actor("owner"), domain.Ref{ID: w.helping.ID}))
}

func deleteComment(w *fixture) {
	w.must(w.app.Collections.DeleteComment(w.t.Context(), w.actor("ada"), w.said))
}

func removeNamed(w *fixture) {
	w.must(w.app.People.RemoveMember(w.t.Context(), w.actor("chief"), domain.Ref{ID: int64(w.group)}, w.who["named"]))
}

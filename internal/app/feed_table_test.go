package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// town is a cast around one channel of a group, in which ada does things.
type town struct {
	t       *testing.T
	app     *App
	s       *store.Store
	who     map[string]domain.UserID
	group   domain.GroupID
	channel domain.ChannelID // the group's
	other   domain.ChannelID // of owner
	block   domain.BlockID   // by author, in other
}

// The cast: ada acts; fan follows her, reader the group's channel, watcher the group;
// chief and member are in the group; early has commented before.
var townsfolk = []string{"ada", "author", "chief", "early", "fan", "helper", "member", "named", "owner", "reader", "watcher"}

func newTown(t *testing.T, s *store.Store) *town {
	w := &town{t: t, s: s, who: map[string]domain.UserID{}}
	now := storetest.Now
	w.app = New(Options{Store: s, Now: func() time.Time { now = now.Add(time.Second); return now }})
	for _, name := range townsfolk {
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

func (w *town) actor(name string) domain.Actor {
	return domain.Actor{UserID: w.who[name], Tier: domain.TierFree, Scope: domain.ScopeWrite}
}

func (w *town) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// told lists, as two lists of names, in whose feed and in whose notifications an
// activity of a kind by ada is.
func (w *town) told(kind domain.ActivityKind) (feed, notified string) {
	w.t.Helper()
	var feeds, notices []string
	for _, name := range townsfolk {
		f, err := w.app.Feed(w.t.Context(), w.actor(name), CursorInput{Limit: 100})
		w.must(err)
		n, err := w.app.Notifications(w.t.Context(), w.actor(name), false, CursorInput{Limit: 100})
		w.must(err)
		if slices.ContainsFunc(f.Items, func(s Story) bool { return s.Kind == kind }) {
			feeds = append(feeds, name)
		}
		if slices.ContainsFunc(n.Items, func(s Notice) bool { return s.Kind == kind }) {
			notices = append(notices, name)
		}
	}
	return strings.Join(feeds, " "), strings.Join(notices, " ")
}

func (w *town) connect(item domain.ItemRef, to domain.ChannelID) {
	w.t.Helper()
	_, err := w.app.Connect(w.t.Context(), w.actor("ada"), item, []Target{{Channel: domain.Ref{ID: int64(to)}}})
	w.must(err)
}

func (w *town) hide(id domain.ChannelID, by string) {
	w.t.Helper()
	private := domain.Private
	_, err := w.app.UpdateChannel(w.t.Context(), w.actor(by), domain.Ref{ID: int64(id)}, UpdateChannelInput{Visibility: &private})
	w.must(err)
}

func (w *town) follow(what domain.Subject) {
	w.t.Helper()
	w.must(w.app.Follow(w.t.Context(), w.actor("ada"), FollowTarget{Type: what.Type, Ref: domain.Ref{ID: what.ID}}))
}

func (w *town) comment(body string) {
	w.t.Helper()
	_, err := w.app.CreateComment(w.t.Context(), w.actor("ada"), w.block, body)
	w.must(err)
}

func (w *town) collaborate(who domain.PrincipalRef) {
	w.t.Helper()
	w.join() // only owners may
	_, _, err := w.app.AddCollaborator(w.t.Context(), w.actor("ada"), domain.Ref{ID: int64(w.channel)}, who)
	w.must(err)
}

// add lets ada, who becomes a member, put somebody who follows her into the group.
func (w *town) add(name string) {
	w.t.Helper()
	w.join()
	storetest.Follow(w.t, w.s, w.who[name], storetest.UserSubject(w.who["ada"]))
	_, err := w.app.Invite(w.t.Context(), w.actor("ada"), domain.Ref{ID: int64(w.group)}, InviteInput{User: w.who[name]})
	w.must(err)
}

func (w *town) join() {
	storetest.In(w.t, w.s, func(tx *store.Tx) error {
		_, err := tx.AddMember(w.t.Context(), w.group, w.who["ada"], storetest.Now)
		return err
	})
}

func unfollow(w *town) {
	storetest.Unfollow(w.t, w.s, w.who["fan"], storetest.UserSubject(w.who["ada"]))
	storetest.Unfollow(w.t, w.s, w.who["watcher"], storetest.GroupSubject(w.group))
}

func hideHall(w *town)  { w.hide(w.channel, "chief") }
func hideOther(w *town) { w.hide(w.other, "owner") }

func deleteHall(w *town) {
	w.must(w.app.DeleteChannel(w.t.Context(), w.actor("chief"), domain.Ref{ID: int64(w.channel)}))
}

func deleteBlock(w *town) {
	w.must(w.app.DeleteBlock(w.t.Context(), w.actor("author"), w.block))
}

func deleteGroup(w *town) {
	w.must(w.app.DeleteGroup(w.t.Context(), w.actor("chief"), domain.Ref{ID: int64(w.group)}))
}

// hideWithHelper makes the hall private to its group and to helper, who follows ada.
func hideWithHelper(w *town) {
	storetest.Follow(w.t, w.s, w.who["helper"], storetest.UserSubject(w.who["ada"]))
	_, _, err := w.app.AddCollaborator(w.t.Context(), w.actor("chief"), domain.Ref{ID: int64(w.channel)}, domain.UserRef(w.who["helper"]))
	w.must(err)
	hideHall(w)
}

func hideWithoutHelper(w *town) {
	hideWithHelper(w)
	w.must(w.app.RemoveCollaborator(w.t.Context(), w.actor("chief"), domain.Ref{ID: int64(w.channel)}, domain.UserRef(w.who["helper"])))
}

// after is a change, and in whose feed and notifications the activity is then.
type after struct {
	name           string
	change         func(*town)
	feed, notified string
}

func TestWhoIsTold(t *testing.T) {
	t.Parallel()
	tests := []struct {
		kind           domain.ActivityKind
		do             func(*town)
		feed, notified string
		after          []after
	}{
		{domain.AddedBlock, func(w *town) { w.connect(domain.BlockRef(w.block), w.channel) },
			"fan reader watcher", "author chief member", []after{
				{"unfollow", unfollow, "reader", "author chief member"},
				{"channel private", hideHall, "", "chief member"},
				{"channel deleted", deleteHall, "", ""},
				{"elsewhere private", hideOther, "fan reader watcher", "author chief member"},
				{"block deleted", deleteBlock, "", ""},
				{"collaborator", hideWithHelper, "helper", "chief member"},
				{"collaborator removed", hideWithoutHelper, "", "chief member"},
				{"group deleted", deleteGroup, "fan reader", "author chief member"},
			}},
		{domain.AddedChannel, func(w *town) { w.connect(domain.ChannelRef(w.other), w.channel) },
			"fan reader watcher", "chief member owner", []after{
				{"unfollow", unfollow, "reader", "chief member owner"},
				{"channel private", hideHall, "", "chief member"},
				{"item private", hideOther, "", "owner"},
				{"channel deleted", deleteHall, "", ""},
			}},
		{domain.CreatedChannel, func(w *town) {
			_, err := w.app.CreateChannel(w.t.Context(), w.actor("ada"), CreateChannelInput{Title: "New", Visibility: domain.Closed})
			w.must(err)
		}, "fan", "", []after{{"unfollow", unfollow, "", ""}}},
		{domain.FollowedUser, func(w *town) { w.follow(storetest.UserSubject(w.who["owner"])) },
			"fan", "owner", []after{{"unfollow", unfollow, "", "owner"}, {"channel private", hideHall, "fan", "owner"}}},
		{domain.FollowedChannel, func(w *town) { w.follow(storetest.ChannelSubject(w.channel)) },
			"fan", "chief member", []after{
				{"unfollow", unfollow, "", "chief member"},
				{"channel private", hideHall, "", "chief member"},
				{"channel deleted", deleteHall, "", ""},
				{"group deleted", deleteGroup, "fan", "chief member"},
			}},
		{domain.FollowedGroup, func(w *town) { w.follow(storetest.GroupSubject(w.group)) },
			"fan", "", []after{{"unfollow", unfollow, "", ""}, {"group deleted", deleteGroup, "", ""}}},
		{domain.CollaboratingUser, func(w *town) { w.collaborate(domain.UserRef(w.who["helper"])) },
			"fan reader watcher", "helper", []after{
				{"unfollow", unfollow, "reader", "helper"},
				{"channel private", hideHall, "", "helper"},
				{"channel deleted", deleteHall, "", ""},
			}},
		{domain.CollaboratingGroup, func(w *town) {
			w.collaborate(domain.GroupRef(storetest.Group(w.t, w.s, "Band", w.who["owner"], w.who["helper"])))
		}, "fan reader watcher", "helper owner", []after{{"channel private", hideHall, "", "helper owner"}}},
		{domain.Commented, func(w *town) { w.comment("hello") },
			"fan", "author early", []after{
				{"unfollow", unfollow, "", "author early"},
				{"block in private", hideOther, "", "author"},
				{"block deleted", deleteBlock, "", ""},
			}},
		{domain.Mentioned, func(w *town) { w.comment("hello @named and @ada and @nobody") },
			"fan", "named", []after{{"unfollow", unfollow, "", "named"}, {"block in private", hideOther, "", ""}}},
		{domain.AddedToGroup, func(w *town) { w.add("named") }, "fan named watcher", "named", []after{
			{"unfollow", unfollow, "named", "named"}, {"group deleted", deleteGroup, "", ""}}},
	}
	for _, test := range tests {
		all := append([]after{{"at once", func(*town) {}, test.feed, test.notified}}, test.after...)
		for _, then := range all {
			t.Run(string(test.kind)+"/"+then.name, func(t *testing.T) {
				t.Parallel()
				storetest.Each(t, func(t *testing.T, s *store.Store) {
					w := newTown(t, s)
					test.do(w)
					then.change(w)
					feed, notified := w.told(test.kind)
					if feed != then.feed || notified != then.notified {
						t.Errorf("in the feeds of %q, want %q; in the notifications of %q, want %q", feed, then.feed, notified, then.notified)
					}
				})
			})
		}
	}
}

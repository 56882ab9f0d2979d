package people_test

import (
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// after is a change, and whose feed and notifications contain the activity afterwards.
type after struct {
	name           string
	change         func(*fixture)
	feed, notified string
}

// Who gets which activity, and when it disappears (behaviour.md section 7): each kind is combined with the changes that
// affect the things it shows, and with some that do not.
func TestWhoIsTold(t *testing.T) {
	t.Parallel()
	tests := []struct {
		kind           domain.ActivityKind
		how            string
		do             func(*fixture)
		feed, notified string
		after          []after
	}{
		{domain.AddedBlock, "", func(w *fixture) { w.connect(domain.BlockRef(w.block), w.channel) },
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
		{domain.AddedChannel, "", func(w *fixture) { w.connect(domain.ChannelRef(w.other), w.channel) },
			"fan reader watcher", "chief member owner", []after{
				{"unfollow", unfollow, "reader", "chief member owner"},
				{"channel private", hideHall, "", "chief member"},
				{"item private", hideOther, "", "owner"},
				{"channel deleted", deleteHall, "", ""},
				{"block deleted", deleteBlock, "fan reader watcher", "chief member owner"},
				{"collaborator", hideWithHelper, "helper", "chief member"},
				{"collaborator removed", hideWithoutHelper, "", "chief member"},
				{"item's collaborator", hideOtherWithHelper, "helper", "owner"},
				{"item's collaborator removed", hideOtherWithoutHelper, "", "owner"},
				{"group deleted", deleteGroup, "fan reader", "chief member owner"},
			}},
		{domain.CreatedChannel, "", func(w *fixture) { w.create(nil) },
			"fan", "", []after{
				{"unfollow", unfollow, "", ""},
				{"channel private", hideMade, "", ""},
				{"block deleted", deleteBlock, "fan", ""},
				{"collaborator", hideMadeWithHelper, "helper", ""},
				{"collaborator removed", hideMadeWithoutHelper, "", ""},
				{"group deleted", deleteGroup, "fan", ""},
			}},
		{domain.CreatedChannel, " of the group", func(w *fixture) { owner := domain.GroupRef(w.group); w.create(&owner) },
			"fan watcher", "", []after{
				{"unfollow", unfollow, "", ""},
				{"channel private", hideMade, "", ""},
				{"collaborator", hideMadeWithHelper, "helper", ""},
				{"collaborator removed", hideMadeWithoutHelper, "", ""},
				{"group deleted", deleteGroup, "fan", ""},
			}},
		{domain.FollowedUser, "", func(w *fixture) { w.follow(storetest.UserSubject(w.who["owner"])) },
			"fan", "owner", []after{
				{"unfollow", unfollow, "", "owner"},
				{"channel private", hideHall, "fan", "owner"},
				{"block deleted", deleteBlock, "fan", "owner"},
				{"collaborator removed", hideWithoutHelper, "fan helper", "owner"},
				{"group deleted", deleteGroup, "fan", "owner"},
			}},
		{domain.FollowedChannel, "", func(w *fixture) { w.follow(storetest.ChannelSubject(w.channel)) },
			"fan", "chief member", []after{
				{"unfollow", unfollow, "", "chief member"},
				{"channel private", hideHall, "", "chief member"},
				{"channel deleted", deleteHall, "", ""},
				{"block deleted", deleteBlock, "fan", "chief member"},
				{"collaborator", hideWithHelper, "helper", "chief member"},
				{"collaborator removed", hideWithoutHelper, "", "chief member"},
				{"group deleted", deleteGroup, "fan", "chief member"},
			}},
		{domain.FollowedGroup, "", func(w *fixture) { w.follow(storetest.GroupSubject(w.group)) },
			"fan", "", []after{
				{"unfollow", unfollow, "", ""},
				{"channel private", hideHall, "fan", ""},
				{"block deleted", deleteBlock, "fan", ""},
				{"collaborator removed", hideWithoutHelper, "fan helper", ""},
				{"group deleted", deleteGroup, "", ""},
			}},
		{domain.CollaboratingUser, "", func(w *fixture) { w.collaborate(domain.UserRef(w.who["helper"])) },
			"fan reader watcher", "helper", []after{
				{"unfollow", unfollow, "reader", "helper"},
				{"channel private", hideHall, "", "helper"},
				{"channel deleted", deleteHall, "", ""},
				{"block deleted", deleteBlock, "fan reader watcher", "helper"},
				{"collaborator removed", removeCollaborators, "fan reader watcher", "helper"},
				{"removed, then private", removeAndHide, "", ""},
				{"group deleted", deleteGroup, "fan reader", "helper"},
			}},
		{domain.CollaboratingGroup, "", func(w *fixture) {
			w.collaborate(domain.GroupRef(storetest.Group(w.t, w.s, "Band", w.who["owner"], w.who["helper"])))
		},
			"fan reader watcher", "helper owner", []after{
				{"unfollow", unfollow, "reader", "helper owner"},
				{"channel private", hideHall, "", "helper owner"},
				{"channel deleted", deleteHall, "", ""},
				{"block deleted", deleteBlock, "fan reader watcher", "helper owner"},
				{"collaborator removed", removeCollaborators, "fan reader watcher", "helper owner"},
				{"removed, then private", removeAndHide, "", ""},
				{"group deleted", deleteGroup, "fan reader", "helper owner"},
				{"collaborating group deleted", deleteBand, "", ""},
			}},
		{domain.Commented, "", func(w *fixture) { w.comment("hello") },
			"fan", "author early", []after{
				{"unfollow", unfollow, "", "author early"},
				{"block in private", hideOther, "", "author"},
				{"block deleted", deleteBlock, "", ""},
				{"comment deleted", deleteComment, "", ""},
				{"collaborator", hideOtherWithHelper, "helper", "author"},
				{"collaborator removed", hideOtherWithoutHelper, "", "author"},
				{"group deleted", deleteGroup, "fan", "author early"},
			}},
		{domain.Mentioned, "", func(w *fixture) { w.comment("hello @named and @ada and @nobody") },
			"fan", "named", []after{
				{"unfollow", unfollow, "", "named"},
				{"block in private", hideOther, "", ""},
				{"block deleted", deleteBlock, "", ""},
				{"comment deleted", deleteComment, "", ""},
				{"collaborator", hideOtherWithHelper, "helper", ""},
				{"collaborator removed", hideOtherWithoutHelper, "", ""},
				{"group deleted", deleteGroup, "fan", "named"},
			}},
		{domain.AddedToGroup, "", func(w *fixture) { w.add("named") },
			"fan named watcher", "named", []after{
				{"unfollow", unfollow, "named", "named"},
				{"channel private", hideHall, "fan named watcher", "named"},
				{"block deleted", deleteBlock, "fan named watcher", "named"},
				{"collaborator removed", hideWithoutHelper, "fan helper named watcher", "named"},
				{"member removed", removeNamed, "fan named watcher", "named"},
				{"group deleted", deleteGroup, "", ""},
			}},
	}
	for _, test := range tests {
		all := append([]after{{"at once", func(*fixture) {}, test.feed, test.notified}}, test.after...)
		for _, then := range all {
			t.Run(string(test.kind)+test.how+"/"+then.name, func(t *testing.T) {
				t.Parallel()
				storetest.Each(t, func(t *testing.T, s *store.Store) {
					w := newFixture(t, s)
					test.do(w)
					then.change(w)
					feed, notified := w.recipients(test.kind)
					if feed != then.feed || notified != then.notified {
						t.Errorf("in the feeds of %q, want %q; in the notifications of %q, want %q", feed, then.feed, notified, then.notified)
					}
				})
			})
		}
	}
}

package app_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/core"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
)

// viewers are the columns of the tables of permissions, in this order. The owner owns the group Guild, which owns the
// channels, and the member belongs to it. The helper belongs to the group Helpers, which collaborates on the channels.
// The reader is the owner with a token of the scope read.
var viewers = []string{"guest", "reader", "stranger", "operator", "follower", "collaborator", "helper", "member", "owner"}

// cast is a server with one user for each relation to a channel, block or group.
type cast struct {
	*accountsRig
	as             map[string]domain.Actor
	guild, helpers domain.GroupID
	homes          map[domain.UserID]domain.ChannelID // a closed channel of each user
	elsewhere      domain.BlockID                     // a public block of a stranger
	shelf          domain.ChannelID                   // its channel, which only its owner may add to
}

func newCast(w *accountsRig) *cast {
	c := &cast{accountsRig: w, as: map[string]domain.Actor{"guest": {}}, homes: map[domain.UserID]domain.ChannelID{}}
	c.as["operator"] = w.first("an-operator")
	for _, name := range []string{"stranger", "follower", "collaborator", "helper", "member", "owner", "spare", "extra"} {
		c.as[name] = w.member("a-" + name)
	}
	reader := c.as["owner"]
	reader.Scope = domain.ScopeRead
	c.as["reader"] = reader
	s := w.S.Store
	c.guild = storetest.Group(w.t, s, "Guild", c.as["owner"].UserID, c.as["member"].UserID)
	c.helpers = storetest.Group(w.t, s, "Helpers", c.as["helper"].UserID)
	for name, actor := range c.as {
		if actor.UserID != 0 && name != "reader" {
			c.homes[actor.UserID] = storetest.Channel(w.t, s, actor.UserID, "Home of "+name, domain.Closed)
		}
	}
	c.shelf = storetest.Channel(w.t, s, c.as["spare"].UserID, "Shelf", domain.Closed)
	c.elsewhere = storetest.Block(w.t, s, c.as["spare"].UserID, "from elsewhere")
	storetest.Connect(w.t, s, c.as["spare"].UserID, c.shelf, domain.BlockRef(c.elsewhere), 0)
	return c
}

// place is a channel of the group Guild with everything that the cases act on.
type place struct {
	id            domain.ChannelID
	block         domain.BlockID // of the owner, in no other channel
	top, bottom   domain.ConnectionID
	nested        domain.ChannelID // in the channel, and as visible
	comment       domain.CommentID // of the collaborator, about the block
	orphan        domain.BlockID   // of the owner, in no channel
	orphanComment domain.CommentID // of the owner
}

func (p place) ref() domain.Ref { return domain.Ref{ID: int64(p.id)} }

func (c *cast) place(v domain.Visibility) (p place) {
	c.t.Helper()
	s, owner := c.S.Store, c.as["owner"].UserID
	p.id = storetest.OwnedChannel(c.t, s, domain.GroupRef(c.guild), owner, "Place", v)
	storetest.Collaborate(c.t, s, p.id, domain.UserRef(c.as["collaborator"].UserID), domain.GroupRef(c.helpers))
	storetest.Follow(c.t, s, c.as["follower"].UserID, storetest.ChannelSubject(p.id))
	p.block = storetest.Block(c.t, s, owner, "in the place")
	p.bottom = storetest.Connect(c.t, s, owner, p.id, domain.BlockRef(p.block), 0)
	p.nested = storetest.OwnedChannel(c.t, s, domain.GroupRef(c.guild), owner, "Nested", v)
	storetest.Collaborate(c.t, s, p.nested, domain.UserRef(c.as["collaborator"].UserID), domain.GroupRef(c.helpers))
	p.top = storetest.Connect(c.t, s, owner, p.id, domain.ChannelRef(p.nested), 0)
	p.comment = storetest.Comment(c.t, s, c.as["collaborator"].UserID, p.block, "a remark")
	p.orphan = storetest.Block(c.t, s, owner, "in no channel")
	p.orphanComment = storetest.Comment(c.t, s, owner, p.orphan, "to myself")
	return p
}

// outcome is the result of a case: + for success, or a letter for the kind of the error.
func outcome(err error) byte {
	if err == nil {
		return '+'
	}
	letters := map[domain.Kind]byte{domain.Forbidden: 'f', domain.NotFound: 'n', domain.Unprocessable: 'u', domain.Invalid: 'i',
		domain.Conflict: 'c', domain.Unauthenticated: 'a', domain.TooMany: 'm'}
	if letter, ok := letters[domain.KindOf(err)]; ok {
		return letter
	}
	return '!'
}

// deed is a use case in a table of permissions. want has a column for each viewer; a space skips it, because the
// transports do not let that viewer call the use case.
type deed[T any] struct {
	name string
	want map[string]string // by state
	do   func(as domain.Actor, in T) error
}

// permissions runs each deed as each viewer, in each state. Refused ones share one target and must not change anything;
// each of the others has a target of its own.
func permissions[T any](c *cast, columns []string, states []string, make func(state string) T, deeds []deed[T]) {
	c.t.Helper()
	for _, state := range states {
		shared := make(state)
		before := c.Dump()
		for _, d := range deeds {
			c.refused(d.name+", "+state, columns, d.want[state], func(as domain.Actor) error { return d.do(as, shared) })
		}
		if diff := before.Diff(c.Dump()); len(diff) > 0 {
			c.t.Errorf("%s: refused calls changed %s", state, strings.Join(diff, "\n"))
		}
		for _, d := range deeds {
			for i, viewer := range columns {
				if d.want[state][i] != '+' {
					continue
				}
				if err := d.do(c.as[viewer], make(state)); err != nil {
					c.t.Errorf("%s, %s, as %s: %v", d.name, state, viewer, err)
				}
			}
		}
	}
}

// refused runs the refused columns of a row.
func (c *cast) refused(row string, columns []string, want string, do func(as domain.Actor) error) {
	c.t.Helper()
	if len(want) != len(columns) {
		c.t.Fatalf("%s: %d columns, want %d", row, len(want), len(columns))
	}
	for i, viewer := range columns {
		if want[i] == '+' || want[i] == ' ' {
			continue
		}
		if err := do(c.as[viewer]); outcome(err) != want[i] {
			c.t.Errorf("%s, as %s: %v, want %c", row, viewer, err, want[i])
		}
	}
}

// by returns the expectations of the three visibilities.
func by(public, closed, private string) map[string]string {
	return map[string]string{"public": public, "closed": closed, "private": private}
}

func TestWhoMayDoWhatInChannels(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		c := newCast(w)
		a, ctx := w.a.Collections, w.ctx()
		//                     grsofchmw    grsofchmw    grsofchmw
		sees := by("+++++++++", "+++++++++", "n+nnn++++")
		adds := by("ff+++++++", "fffff++++", "nfnnn++++")
		works := by("fffff++++", "fffff++++", "nfnnn++++")
		owns := by("fffffff++", "fffffff++", "nfnnnff++")
		never := by("fffffffff", "fffffffff", "nfnnnffff")
		oneself := func(as domain.Actor) domain.PrincipalRef {
			if as.SignedIn() {
				return domain.UserRef(as.UserID)
			}
			return domain.UserRef(c.as["stranger"].UserID)
		}
		title, text := "Another title", "Another text"
		next := map[domain.Visibility]domain.Visibility{domain.Public: domain.Closed, domain.Closed: domain.Private, domain.Private: domain.Public}
		permissions(c, viewers, []string{"public", "closed", "private"}, func(state string) place { return c.place(domain.Visibility(state)) }, []deed[place]{
			{"read it", sees, func(as domain.Actor, p place) error {
				_, err := a.Channel(ctx, as, p.ref())
				return err
			}},
			{"list its contents", sees, func(as domain.Actor, p place) error {
				l, err := a.Contents(ctx, as, p.ref(), collections.ContentsInput{Page: somePage})
				if err == nil && l.Total != 2 {
					err = fmt.Errorf("%d contents", l.Total)
				}
				return err
			}},
			{"list its collaborators", sees, func(as domain.Actor, p place) error {
				all, err := a.Collaborators(ctx, as, p.ref())
				if err == nil && len(all) != 2 {
					err = fmt.Errorf("%d collaborators", len(all))
				}
				return err
			}},
			{"read the order of its contents", sees, func(as domain.Actor, p place) error {
				_, ids, err := a.Order(ctx, as, p.ref())
				if err == nil && !slices.Equal(ids, []domain.ConnectionID{p.bottom, p.top}) {
					err = fmt.Errorf("the order is %v", ids)
				}
				return err
			}},
			{"read a connection", sees, func(as domain.Actor, p place) error {
				_, err := a.Connection(ctx, as, p.top)
				return err
			}},
			{"list its followers", sees, func(as domain.Actor, p place) error {
				l, err := w.a.People.Followers(ctx, as, people.FollowTarget{Type: domain.SubjectChannel, Ref: p.ref()}, false, somePage)
				if err == nil && l.Total != 1 {
					err = fmt.Errorf("%d followers", l.Total)
				}
				return err
			}},
			{"follow it", by("  +++++++", "  +++++++", "  nnn++++"), func(as domain.Actor, p place) error {
				return w.a.People.Follow(ctx, as, people.FollowTarget{Type: domain.SubjectChannel, Ref: p.ref()})
			}},
			{"add a block", adds, func(as domain.Actor, p place) error {
				_, err := a.CreateBlock(ctx, as, collections.CreateBlockInput{BlockInput: collections.BlockInput{Value: "new"},
					Targets: []collections.Target{{Channel: p.ref()}}})
				return err
			}},
			{"add a block to it and to another", adds, func(as domain.Actor, p place) error {
				targets := []collections.Target{{Channel: p.ref()}}
				if own, ok := c.homes[as.UserID]; ok {
					targets = append(targets, collections.Target{Channel: domain.Ref{ID: int64(own)}})
				}
				_, err := a.CreateBlock(ctx, as, collections.CreateBlockInput{BlockInput: collections.BlockInput{Value: "new"}, Targets: targets})
				return err
			}},
			{"connect a block", adds, func(as domain.Actor, p place) error {
				_, err := a.Connect(ctx, as, domain.BlockRef(c.elsewhere), []collections.Target{{Channel: p.ref()}})
				return err
			}},
			{"connect a channel", adds, func(as domain.Actor, p place) error {
				_, err := a.Connect(ctx, as, domain.ChannelRef(c.shelf), []collections.Target{{Channel: p.ref()}})
				return err
			}},
			{"change its title", works, func(as domain.Actor, p place) error {
				_, err := a.UpdateChannel(ctx, as, p.ref(), collections.UpdateChannelInput{Title: &title})
				return err
			}},
			{"change its description", works, func(as domain.Actor, p place) error {
				_, err := a.UpdateChannel(ctx, as, p.ref(), collections.UpdateChannelInput{Description: core.Patch{Set: true, Value: &text}})
				return err
			}},
			{"change its metadata", works, func(as domain.Actor, p place) error {
				_, err := a.UpdateChannel(ctx, as, p.ref(), collections.UpdateChannelInput{Metadata: []byte(`{"k":"v"}`)})
				return err
			}},
			{"change its visibility", owns, func(as domain.Actor, p place) error {
				was, err := w.S.Store.Channels().Channel(ctx, c.as["owner"].UserID, p.ref())
				w.must(err)
				to := next[was.Visibility]
				_, err = a.UpdateChannel(ctx, as, p.ref(), collections.UpdateChannelInput{Visibility: &to})
				return err
			}},
			{"change its title and visibility", owns, func(as domain.Actor, p place) error {
				was, err := w.S.Store.Channels().Channel(ctx, c.as["owner"].UserID, p.ref())
				w.must(err)
				to := next[was.Visibility]
				_, err = a.UpdateChannel(ctx, as, p.ref(), collections.UpdateChannelInput{Title: &title, Visibility: &to})
				return err
			}},
			{"give it to oneself", owns, func(as domain.Actor, p place) error {
				to := oneself(as)
				_, err := a.UpdateChannel(ctx, as, p.ref(), collections.UpdateChannelInput{Owner: &to})
				return err
			}},
			{"give it to somebody else", never, func(as domain.Actor, p place) error {
				to := domain.UserRef(c.as["spare"].UserID)
				_, err := a.UpdateChannel(ctx, as, p.ref(), collections.UpdateChannelInput{Owner: &to})
				return err
			}},
			{"give it to a group of others", never, func(as domain.Actor, p place) error {
				to := domain.GroupRef(c.helpers)
				if as == c.as["helper"] {
					to = domain.GroupRef(c.guild)
					if g, err := w.S.Store.Channels().Channel(ctx, as.UserID, p.ref()); err != nil || g.Owner.PrincipalRef == to {
						to = domain.UserRef(as.UserID)
					}
				}
				_, err := a.UpdateChannel(ctx, as, p.ref(), collections.UpdateChannelInput{Owner: &to})
				return err
			}},
			{"delete it", owns, func(as domain.Actor, p place) error { return a.DeleteChannel(ctx, as, p.ref()) }},
			{"add a collaborator", owns, func(as domain.Actor, p place) error {
				_, _, err := a.AddCollaborator(ctx, as, p.ref(), domain.UserRef(c.as["spare"].UserID))
				return err
			}},
			{"add several collaborators", owns, func(as domain.Actor, p place) error {
				_, err := a.AddCollaborators(ctx, as, p.ref(), domain.UserRef(c.as["spare"].UserID), domain.UserRef(c.as["extra"].UserID))
				return err
			}},
			{"replace the collaborators", owns, func(as domain.Actor, p place) error {
				_, err := a.SetCollaborators(ctx, as, p.ref(), nil)
				return err
			}},
			{"remove a group that collaborates", owns, func(as domain.Actor, p place) error {
				return a.RemoveCollaborators(ctx, as, p.ref(), domain.GroupRef(c.helpers))
			}},
			{"remove oneself and a group", owns, func(as domain.Actor, p place) error {
				return a.RemoveCollaborators(ctx, as, p.ref(), oneself(as), domain.GroupRef(c.helpers))
			}},
			{"stop collaborating", by("  +++++++", "  +++++++", "  nnn++++"), func(as domain.Actor, p place) error {
				return a.RemoveCollaborators(ctx, as, p.ref(), domain.UserRef(as.UserID))
			}},
			{"move a connection", works, func(as domain.Actor, p place) error {
				_, err := a.MoveConnection(ctx, as, p.bottom, domain.MoveToTop, nil)
				return err
			}},
			{"sort the contents", works, func(as domain.Actor, p place) error {
				return a.SortContents(ctx, as, p.ref(), []int64{int64(p.block), int64(p.nested)})
			}},
			{"pin a connection", works, func(as domain.Actor, p place) error {
				_, err := a.Select(ctx, as, p.bottom)
				return err
			}},
			{"change the metadata of a connection", works, func(as domain.Actor, p place) error {
				_, err := a.UpdateConnection(ctx, as, p.bottom, []byte(`{"k":"v"}`))
				return err
			}},
			{"remove a connection of somebody else", works, func(as domain.Actor, p place) error {
				if as.UserID == c.as["owner"].UserID && as.Scope == domain.ScopeRead {
					return a.DeleteConnection(ctx, as, p.bottom)
				}
				return a.DeleteConnection(ctx, as, p.top)
			}},
		})
	})
}

func TestWhoMayDoWhatWithBlocks(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		c := newCast(w)
		a, ctx := w.a.Collections, w.ctx()
		title := "Another title"
		states := func(public, private, orphan string) map[string]string {
			return map[string]string{"public": public, "private": private, "orphan": orphan}
		}
		type in struct {
			block   domain.BlockID
			comment domain.CommentID
			place
		}
		home := func(as domain.Actor) []collections.Target {
			to, ok := c.homes[as.UserID]
			if !ok {
				to = c.shelf
			}
			return []collections.Target{{Channel: domain.Ref{ID: int64(to)}}}
		}
		//                   grsofchmw    grsofchmw    grsofchmw
		sees := states("+++++++++", "n+nnn++++", "n+nnnnnn+")
		manages := states("ffffffff+", "nfnnnfff+", "nfnnnnnn+")
		permissions(c, viewers, []string{"public", "private", "orphan"}, func(state string) in {
			if state == "orphan" {
				p := c.place(domain.Private)
				return in{p.orphan, p.orphanComment, p}
			}
			p := c.place(domain.Visibility(state))
			return in{p.block, p.comment, p}
		}, []deed[in]{
			{"read it", sees, func(as domain.Actor, b in) error {
				got, err := a.Block(ctx, as, b.block)
				if err == nil && got.Comments != 1 {
					err = fmt.Errorf("%d comments", got.Comments)
				}
				return err
			}},
			{"read its revision", sees, func(as domain.Actor, b in) error {
				_, err := a.BlockRevision(ctx, as, b.block)
				return err
			}},
			{"list its comments", sees, func(as domain.Actor, b in) error {
				_, err := a.Comments(ctx, as, b.block, false, somePage)
				return err
			}},
			{"read a comment", sees, func(as domain.Actor, b in) error {
				_, err := a.Comment(ctx, as, b.comment)
				return err
			}},
			{"list its channels", sees, func(as domain.Actor, b in) error {
				_, err := a.BlockConnections(ctx, as, b.block, collections.ItemChannelsInput{Ownership: domain.AnyOwner, Page: somePage})
				return err
			}},
			{"comment on it", states("  +++++++", "  nnn++++", "  nnnnnn+"), func(as domain.Actor, b in) error {
				_, err := a.CreateComment(ctx, as, b.block, "Nice")
				return err
			}},
			{"connect it to their own channel", states("ff+++++++", "ffnnn++++", "ffnnnnnn+"), func(as domain.Actor, b in) error {
				_, err := a.Connect(ctx, as, domain.BlockRef(b.block), home(as))
				return err
			}},
			{"change it", manages, func(as domain.Actor, b in) error {
				_, err := a.UpdateBlock(ctx, as, b.block, collections.UpdateBlockInput{Title: &title})
				return err
			}},
			{"delete it", manages, func(as domain.Actor, b in) error { return a.DeleteBlock(ctx, as, b.block) }},
			{"change a comment", states("fffff+fff", "nfnnn+fff", "nfnnnnnn+"), func(as domain.Actor, b in) error {
				_, err := a.UpdateComment(ctx, as, b.comment, "Changed")
				return err
			}},
			{"delete a comment", states("fffff+fff", "nfnnn+fff", "nfnnnnnn+"), func(as domain.Actor, b in) error {
				return a.DeleteComment(ctx, as, b.comment)
			}},
		})
	})
}

// guild is a group with an owner, two members, a follower, an invite, and an invitation by the member.
type guild struct {
	id         domain.GroupID
	invitation domain.InvitationID
	code       string
}

func (g guild) ref() domain.Ref { return domain.Ref{ID: int64(g.id)} }

func TestWhoMayDoWhatInGroups(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		c := newCast(w)
		a, ctx := w.a.People, w.ctx()
		columns := []string{"guest", "reader", "stranger", "operator", "follower", "member", "owner"}
		n := 0
		group := func(string) guild {
			n++
			g := guild{id: storetest.Group(t, w.S.Store, fmt.Sprint("Order ", n), c.as["owner"].UserID, c.as["member"].UserID, c.as["extra"].UserID)}
			storetest.Follow(t, w.S.Store, c.as["follower"].UserID, storetest.GroupSubject(g.id))
			i, _, err := a.CreateGroupInvite(ctx, c.as["member"], g.ref())
			w.must(err)
			g.code = i.Code
			w.Clock.Advance(core.Day) // the limit of invitations
			made, err := a.Invite(ctx, c.as["member"], g.ref(), people.InviteInput{Email: fmt.Sprintf("p%d@example.org", n)})
			w.must(err)
			g.invitation = made.Invitation.ID
			return g
		}
		only := func(want string) map[string]string { return map[string]string{"": want} }
		name := "Another name"
		permissions(c, columns, []string{""}, group, []deed[guild]{
			//                                grsofmw
			{"read it", only("+++++++"), func(as domain.Actor, g guild) error {
				got, err := a.Group(ctx, as, g.ref())
				if member := as == c.as["member"] || as.UserID == c.as["owner"].UserID; err == nil && got.Member != member {
					err = fmt.Errorf("a member: %v", got.Member)
				}
				return err
			}},
			{"list its members", only("+++++++"), func(as domain.Actor, g guild) error {
				l, err := a.Members(ctx, as, g.ref(), somePage)
				if err == nil && (l.Total != 3 || !l.Items[0].Owner || l.Items[1].Owner) {
					err = fmt.Errorf("%+v", l)
				}
				return err
			}},
			{"change it", only("ffffff+"), func(as domain.Actor, g guild) error {
				_, err := a.UpdateGroup(ctx, as, g.ref(), people.UpdateGroupInput{Name: &name})
				return err
			}},
			{"delete it", only("ffffff+"), func(as domain.Actor, g guild) error { return a.DeleteGroup(ctx, as, g.ref()) }},
			{"remove a member", only("ffffff+"), func(as domain.Actor, g guild) error {
				return a.RemoveMember(ctx, as, g.ref(), c.as["extra"].UserID)
			}},
			{"remove somebody who is no member", only("ffffff+"), func(as domain.Actor, g guild) error {
				return a.RemoveMember(ctx, as, g.ref(), c.as["spare"].UserID)
			}},
			{"remove its owner", only("fffffff"), func(as domain.Actor, g guild) error {
				return a.RemoveMember(ctx, as, g.ref(), c.as["owner"].UserID)
			}},
			{"leave it", only(" f++++f"), func(as domain.Actor, g guild) error { return a.LeaveGroup(ctx, as, g.ref()) }},
			{"join with the code", only(" +++++ "), func(as domain.Actor, g guild) error {
				_, _, err := a.JoinGroup(ctx, as, g.ref(), g.code)
				return err
			}},
			{"join with a wrong code", only("fffffff"), func(as domain.Actor, g guild) error {
				_, _, err := a.JoinGroup(ctx, as, g.ref(), g.code+"x")
				return err
			}},
			{"see its invite", only("f+fff++"), func(as domain.Actor, g guild) error {
				i, err := a.GroupInvite(ctx, as, g.ref())
				if err == nil && i.Code != g.code {
					err = fmt.Errorf("another code")
				}
				return err
			}},
			{"make an invite again", only("fffff++"), func(as domain.Actor, g guild) error {
				i, created, err := a.CreateGroupInvite(ctx, as, g.ref())
				if err == nil && (created || i.Code != g.code) {
					err = fmt.Errorf("another invite")
				}
				return err
			}},
			{"end its invite", only("fffff++"), func(as domain.Actor, g guild) error { return a.DeleteGroupInvite(ctx, as, g.ref()) }},
			{"list its invitations", only("f+fff++"), func(as domain.Actor, g guild) error {
				l, err := a.Invitations(ctx, as, g.ref(), somePage)
				if err == nil && l.Total != 1 {
					err = fmt.Errorf("%d invitations", l.Total)
				}
				return err
			}},
			{"invite an address", only("fffff++"), func(as domain.Actor, g guild) error {
				_, err := a.Invite(ctx, as, g.ref(), people.InviteInput{Email: "new@example.org"})
				return err
			}},
			{"invite a user", only("fffff++"), func(as domain.Actor, g guild) error {
				_, err := a.Invite(ctx, as, g.ref(), people.InviteInput{User: c.as["spare"].UserID})
				return err
			}},
			{"revoke an invitation of a member", only("fffff++"), func(as domain.Actor, g guild) error {
				return a.RevokeInvitation(ctx, as, g.ref(), g.invitation)
			}},
			{"revoke an unknown invitation", only("fffffnn"), func(as domain.Actor, g guild) error {
				return a.RevokeInvitation(ctx, as, g.ref(), g.invitation+1_000_000)
			}},
			{"create a channel for it", only("  fff++"), func(as domain.Actor, g guild) error {
				owner := domain.GroupRef(g.id)
				_, err := w.a.Collections.CreateChannel(ctx, as, collections.CreateChannelInput{Title: "Ours", Owner: &owner})
				return err
			}},
		})
	})
}

// Access to a private channel ends together with its reason.
func TestAccessEnds(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		c := newCast(w)
		a, ctx := w.a, w.ctx()
		owner := c.as["owner"]
		for _, row := range []struct {
			name  string
			loses []string // of the collaborator, helper, member and owner
			end   func(p place) error
		}{
			{"a collaborator is removed", []string{"collaborator"}, func(p place) error {
				return a.Collections.RemoveCollaborators(ctx, owner, p.ref(), domain.UserRef(c.as["collaborator"].UserID))
			}},
			{"a collaborator stops", []string{"collaborator"}, func(p place) error {
				return a.Collections.RemoveCollaborators(ctx, c.as["collaborator"], p.ref(), domain.UserRef(c.as["collaborator"].UserID))
			}},
			{"a group no longer collaborates", []string{"helper"}, func(p place) error {
				return a.Collections.RemoveCollaborators(ctx, owner, p.ref(), domain.GroupRef(c.helpers))
			}},
			{"the users are replaced by another", []string{"collaborator"}, func(p place) error {
				_, err := a.Collections.SetCollaborators(ctx, owner, p.ref(), []domain.PrincipalRef{domain.UserRef(c.as["spare"].UserID)})
				return err
			}},
			{"it is handed to its owner", []string{"member"}, func(p place) error {
				to := domain.UserRef(owner.UserID)
				_, err := a.Collections.UpdateChannel(ctx, owner, p.ref(), collections.UpdateChannelInput{Owner: &to})
				return err
			}},
			{"a member takes it", []string{"owner"}, func(p place) error {
				to := domain.UserRef(c.as["member"].UserID)
				_, err := a.Collections.UpdateChannel(ctx, c.as["member"], p.ref(), collections.UpdateChannelInput{Owner: &to})
				return err
			}},
			{"it is deleted", []string{"collaborator", "helper", "member", "owner"}, func(p place) error {
				return a.Collections.DeleteChannel(ctx, owner, p.ref())
			}},
			// These end the memberships, so they come last.
			{"the collaborating group is deleted", []string{"helper"}, func(place) error {
				return a.People.DeleteGroup(ctx, c.as["helper"], domain.Ref{ID: int64(c.helpers)})
			}},
			{"a member leaves", []string{"helper", "member"}, func(place) error { // the helpers are gone
				return a.People.LeaveGroup(ctx, c.as["member"], domain.Ref{ID: int64(c.guild)})
			}},
		} {
			p := c.placeOf(row.name)
			w.must(row.end(p))
			for _, viewer := range []string{"collaborator", "helper", "member", "owner"} {
				want := byte('+')
				if slices.Contains(row.loses, viewer) {
					want = 'n'
				}
				_, err := a.Collections.Channel(ctx, c.as[viewer], p.ref())
				if outcome(err) != want {
					t.Errorf("%s: %s reads the channel: %v, want %c", row.name, viewer, err, want)
				}
				_, err = a.Collections.Contents(ctx, c.as[viewer], p.ref(), collections.ContentsInput{Page: somePage})
				if outcome(err) != want {
					t.Errorf("%s: %s lists the contents: %v, want %c", row.name, viewer, err, want)
				}
				if viewer == "owner" { // the author of the block sees it everywhere
					continue
				}
				if _, err = a.Collections.Block(ctx, c.as[viewer], p.block); outcome(err) != want {
					t.Errorf("%s: %s reads the block: %v, want %c", row.name, viewer, err, want)
				}
			}
		}
	})
}

// placeOf is place for a private channel, without the group Helpers once it was deleted.
func (c *cast) placeOf(row string) place {
	if row != "a member leaves" {
		return c.place(domain.Private)
	}
	s, owner := c.S.Store, c.as["owner"].UserID
	p := place{id: storetest.OwnedChannel(c.t, s, domain.GroupRef(c.guild), owner, "Place", domain.Private)}
	storetest.Collaborate(c.t, s, p.id, domain.UserRef(c.as["collaborator"].UserID))
	p.block = storetest.Block(c.t, s, owner, "in the place")
	storetest.Connect(c.t, s, owner, p.id, domain.BlockRef(p.block), 0)
	return p
}

// A connection to a hidden channel is hidden, even from people who may otherwise change the channel that contains it.
func TestConnectionsToHiddenChannels(t *testing.T) {
	eachAccounts(t, func(t *testing.T, w *accountsRig) {
		c := newCast(w)
		a, ctx, s := w.a.Collections, w.ctx(), w.S.Store
		owner := c.as["owner"]
		here := storetest.Channel(t, s, owner.UserID, "Here", domain.Public)
		storetest.Collaborate(t, s, here, domain.UserRef(c.as["collaborator"].UserID))
		drawer := storetest.Channel(t, s, owner.UserID, "Drawer", domain.Private)
		hidden := storetest.Connect(t, s, owner.UserID, here, domain.ChannelRef(drawer), 0)
		ref := domain.Ref{ID: int64(here)}
		before := w.Dump()
		deeds := map[string]func(as domain.Actor) error{
			"read": func(as domain.Actor) error { _, err := a.Connection(ctx, as, hidden); return err },
			"pin":  func(as domain.Actor) error { _, err := a.Select(ctx, as, hidden); return err },
			"move": func(as domain.Actor) error {
				_, err := a.MoveConnection(ctx, as, hidden, domain.MoveToTop, nil)
				return err
			},
			"change": func(as domain.Actor) error {
				_, err := a.UpdateConnection(ctx, as, hidden, []byte(`{"k":1}`))
				return err
			},
			"remove": func(as domain.Actor) error { return a.DeleteConnection(ctx, as, hidden) },
			"pin the item": func(as domain.Actor) error {
				_, err := a.SelectItem(ctx, as, ref, domain.ChannelRef(drawer))
				return err
			},
			"connect it elsewhere": func(as domain.Actor) error {
				_, err := a.Connect(ctx, as, domain.ChannelRef(drawer), []collections.Target{{Channel: domain.Ref{ID: int64(c.homes[as.UserID])}}})
				return err
			},
		}
		for _, name := range slices.Sorted(maps.Keys(deeds)) {
			for _, viewer := range []string{"collaborator", "stranger", "operator"} {
				if err := deeds[name](c.as[viewer]); outcome(err) != 'n' {
					t.Errorf("%s, as %s: %v", name, viewer, err)
				}
			}
		}
		for _, viewer := range []string{"guest", "stranger", "collaborator"} {
			l, err := a.Contents(ctx, c.as[viewer], ref, collections.ContentsInput{Page: somePage})
			if w.must(err); len(l.Items) != 0 || l.Total != 0 {
				t.Errorf("%s gets %+v", viewer, l)
			}
			_, ids, err := a.Order(ctx, c.as[viewer], ref)
			w.must(err)
			if all, err := a.Ordered(ctx, c.as[viewer], here, ids); err != nil || len(all) != 0 {
				t.Errorf("%s reads in order %+v, %v", viewer, all, err)
			}
			r, err := a.RemoveConnections(ctx, c.as[viewer], ref, []domain.ConnectionID{hidden})
			if w.must(err); r.Count != 0 || r.Gone != 1 || r.Kept != 0 || r.Undo != "" {
				t.Errorf("%s removes %+v", viewer, r)
			}
		}
		if d := before.Diff(w.Dump()); len(d) > 0 {
			t.Errorf("changed: %v", d)
		}
		for _, name := range []string{"read", "pin", "move", "change", "pin the item", "remove"} {
			w.must(deeds[name](owner))
		}
	})
}

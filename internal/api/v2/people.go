package v2

import (
	"vitrine/internal/app/collections"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
)

// getUser returns a user.
func (h *handler) getUser(c call) (answer, error) {
	u, err := h.app.People.User(c.ctx, c.ref(0))
	if err != nil {
		return nil, err
	}
	cast := h.newRelated(c.who)
	return func(p jsonWriter) { cast.person(p, h.at.User(&u), nil) }, nil
}

// getUserChannel is the operation for the channel of a profile, which does not exist here.
func (h *handler) getUserChannel(c call) (answer, error) {
	if _, err := h.app.People.User(c.ctx, c.ref(0)); err != nil {
		return nil, err
	}
	return nil, domain.NewNotFound()
}

// made lists the channels that a user created.
func (h *handler) made(c call, ref domain.Ref, at domain.Page) (l domain.List[domain.Channel], err error) {
	found, err := h.app.Finder.UserContents(c.ctx, c.who, ref, channelsByAddition(at))
	return channelsOf(found), err
}

// channelsByAddition requests the channels of an owner, the one with the latest addition first.
func channelsByAddition(at domain.Page) collections.MadeInput {
	return collections.MadeInput{Types: []string{string(domain.ItemChannel)},
		Sort: domain.SearchSort{Key: domain.SearchByAdded, Desc: true}, Page: at}
}

// channelsOf converts a list of things to channels.
func channelsOf(found domain.List[domain.Entity]) domain.List[domain.Channel] {
	l := domain.List[domain.Channel]{Total: found.Total}
	for _, t := range found.Items {
		if t.Channel != nil {
			l.Items = append(l.Items, *t.Channel)
		}
	}
	return l
}

func (h *handler) getUserChannels(c call) (answer, error) { return h.madeList(c, c.ref(0)) }

func (h *handler) getAccountChannels(c call) (answer, error) {
	return h.madeList(c, domain.Ref{ID: int64(c.who.UserID)})
}

func (h *handler) madeList(c call, ref domain.Ref) (answer, error) {
	at := c.page()
	l, err := h.made(c, ref, at)
	if err != nil {
		return nil, err
	}
	previews, err := h.previews(c, l.Items, true)
	if err != nil {
		return nil, err
	}
	return h.channelList(c, l, previews, func(p jsonWriter) { titled(p, at, l.Total, nil, "User", "User") })
}

// getUserFollowing lists the users, channels and groups that a user follows.
func (h *handler) getUserFollowing(c call) (answer, error) {
	at := c.page()
	l, err := h.app.People.Following(c.ctx, c.who, c.ref(0), people.FollowingInput{Desc: true, Page: at})
	if err != nil {
		return nil, err
	}
	cast := h.newRelated(c.who)
	for _, t := range l.Items {
		cast.entity(t)
	}
	if err := cast.load(c.ctx); err != nil {
		return nil, err
	}
	return func(p jsonWriter) {
		p.object(func() {
			titled(p, at, l.Total, nil, "User", "User")
			p.list("following", len(l.Items), func(i int) { cast.any(p, l.Items[i]) })
		})
	}, nil
}

func (h *handler) getUserFollowers(c call) (answer, error) {
	return h.followers(c, domain.SubjectUser, "User")
}

func (h *handler) getChannelFollowers(c call) (answer, error) {
	return h.followers(c, domain.SubjectChannel, "Channel")
}

func (h *handler) followers(c call, kind domain.SubjectType, class string) (answer, error) {
	at := c.page()
	l, err := h.app.People.Followers(c.ctx, c.who, people.FollowTarget{Type: kind, Ref: c.ref(0)}, true, at)
	if err != nil {
		return nil, err
	}
	cast := h.newRelated(c.who)
	return func(p jsonWriter) {
		p.object(func() {
			titled(p, at, l.Total, nil, class, class)
			p.list("users", len(l.Items), func(i int) { cast.person(p, h.at.User(&l.Items[i]), nil) })
		})
	}, nil
}

func (h *handler) followUser(c call) (answer, error)    { return h.follow(c, domain.SubjectUser) }
func (h *handler) followChannel(c call) (answer, error) { return h.follow(c, domain.SubjectChannel) }

func (h *handler) follow(c call, kind domain.SubjectType) (answer, error) {
	err := h.app.People.Follow(c.ctx, c.who, people.FollowTarget{Type: kind, Ref: c.ref(0)})
	return empty, err
}

// empty writes an empty object.
func empty(p jsonWriter) { p.object(func() {}) }

func (h *handler) unfollowUser(c call) (answer, error) { return h.unfollow(c, domain.SubjectUser) }
func (h *handler) unfollowChannel(c call) (answer, error) {
	return h.unfollow(c, domain.SubjectChannel)
}

func (h *handler) unfollow(c call, kind domain.SubjectType) (answer, error) {
	return nil, h.app.People.Unfollow(c.ctx, c.who, people.FollowTarget{Type: kind, Ref: c.ref(0)})
}

// ownChannels is the page of channels in the representation of a user.
var ownChannels = domain.Page{Number: 1, Per: domain.MaxPerPage}

// getMe returns the actor with their channels.
func (h *handler) getMe(c call) (answer, error) {
	u, channels, cast, err := h.me(c)
	if err != nil {
		return nil, err
	}
	return func(p jsonWriter) {
		cast.person(p, h.at.User(&u), func() {
			p.text("email", u.Email)
			cast.listAll(p, "channels", channels, nil)
		})
	}, nil
}

func (h *handler) me(c call) (u domain.User, channels []domain.Channel, cast *related, err error) {
	if u, err = h.app.People.Me(c.ctx, c.who); err != nil {
		return u, nil, nil, err
	}
	l, err := h.made(c, domain.Ref{ID: int64(u.ID)}, ownChannels)
	if err != nil {
		return u, nil, nil, err
	}
	cast = h.newRelated(c.who)
	for i := range l.Items {
		cast.channel(&l.Items[i])
	}
	return u, l.Items, cast, cast.load(c.ctx)
}

// getAccounts returns the actor, their channels and their follows in the form for the official client. Its other fields
// are empty.
func (h *handler) getAccounts(c call) (answer, error) {
	u, channels, cast, err := h.me(c)
	if err != nil {
		return nil, err
	}
	followed, users, _, err := h.app.People.FollowedIDs(c.ctx, c.who)
	if err != nil {
		return nil, err
	}
	return func(p jsonWriter) {
		p.object(func() {
			p.field("user")
			cast.person(p, h.at.User(&u), func() { p.text("email", u.Email) })
			cast.listAll(p, "channels", channels, nil)
			p.list("help_channels", 0, nil)
			p.under("following_ids", func() {
				p.list("channels", len(followed), func(i int) { p.e.Int64(int64(followed[i])) })
				p.list("users", len(users), func(i int) { p.e.Int64(int64(users[i])) })
			})
			p.under("manifest", func() {})
		})
	}, nil
}

// membersShown is the page of members in the representation of a group.
var membersShown = domain.Page{Number: 1, Per: domain.MaxPerPage}

// getGroup returns a group with its members.
func (h *handler) getGroup(c call) (answer, error) {
	g, err := h.app.People.Group(c.ctx, c.who, c.ref(0))
	if err != nil {
		return nil, err
	}
	members, err := h.app.People.Members(c.ctx, c.who, domain.Ref{ID: int64(g.ID)}, membersShown)
	if err != nil {
		return nil, err
	}
	cast := h.newRelated(c.who)
	cast.principal(g.Owner)
	for _, m := range members.Items {
		cast.principal(m.Principal)
	}
	if err := cast.load(c.ctx); err != nil {
		return nil, err
	}
	return func(p jsonWriter) {
		p.object(func() {
			groupFields(p, g)
			p.text("title", g.Name)
			p.bool("published", true)
			p.field("user")
			cast.embedded(p, g.Owner)
			p.list("users", len(members.Items), func(i int) { cast.embedded(p, members.Items[i].Principal) })
			for _, name := range []string{"member_ids", "accessible_by_ids"} {
				p.list(name, len(members.Items), func(i int) { p.e.Int64(members.Items[i].ID) })
			}
		})
	}, nil
}

// getGroupChannels lists the channels of a group.
func (h *handler) getGroupChannels(c call) (answer, error) {
	at := c.page()
	found, err := h.app.Finder.GroupContents(c.ctx, c.who, c.ref(0), channelsByAddition(at))
	if err != nil {
		return nil, err
	}
	l := channelsOf(found)
	previews, err := h.previews(c, l.Items, true)
	if err != nil {
		return nil, err
	}
	return h.channelList(c, l, previews, func(p jsonWriter) { titled(p, at, l.Total, nil, "Group", "Group") })
}

package v2

import (
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/present"
)

// embedded writes a nested user. If the user was not loaded, only the name is known.
func (c *related) embedded(p jsonWriter, of domain.Principal) {
	if of.Type == domain.TypeGroup {
		c.groupOwner(p, of)
		return
	}
	u, ok := c.users[domain.UserID(of.ID)]
	if !ok {
		u = domain.User{ID: domain.UserID(of.ID), Slug: of.Slug, Name: of.Name, Avatar: of.Avatar}
	}
	c.person(p, c.at.User(&u), nil)
}

// person writes a user; more adds fields of specific places.
func (c *related) person(p jsonWriter, u present.User, more func()) {
	first, last, _ := strings.Cut(u.Name, " ")
	p.object(func() {
		p.int("id", int64(u.ID))
		p.time("created_at", u.CreatedAt)
		p.text("slug", u.Slug)
		p.text("username", u.Name)
		p.text("first_name", first)
		p.text("last_name", strings.TrimSpace(last))
		p.text("full_name", u.Name)
		p.text("avatar", u.Avatar())
		p.under("avatar_image", func() {
			p.text("thumb", u.Avatar())
			p.text("display", u.Avatar())
		})
		p.int("channel_count", u.ChannelsFor(c.who))
		p.int("following_count", u.Following)
		p.null("profile_id")
		p.int("follower_count", u.Followers)
		p.text("initials", u.Initials())
		p.bool("can_index", !c.app.Exposure.GuestsClosed)
		p.under("metadata", func() { described(p, u.Bio) })
		p.bool("is_premium", u.Tier == domain.TierPremium || u.Tier == domain.TierSupporter)
		p.bool("is_lifetime_premium", false)
		p.bool("is_supporter", u.Tier == domain.TierSupporter)
		p.bool("is_exceeding_connections_limit", false)
		p.bool("is_confirmed", true)
		p.bool("is_pending_reconfirmation", false)
		p.bool("is_pending_confirmation", false)
		p.orNull("badge", u.Badge())
		p.text("base_class", "User")
		p.text("class", "User")
		if more != nil {
			more()
		}
	})
}

// described writes a description as Markdown.
func described(p jsonWriter, text *domain.Text) {
	if text == nil {
		p.null("description")
		return
	}
	p.text("description", text.Markdown)
}

// groupVisibility is version 2's number for the visibility of every group.
const groupVisibility = 0

// groupFields writes the fields of a group that all places have.
func groupFields(p jsonWriter, g domain.Group) {
	p.int("id", int64(g.ID))
	p.text("class", "Group")
	p.text("base_class", "Group")
	p.time("created_at", g.CreatedAt)
	p.time("updated_at", g.UpdatedAt)
	p.text("name", g.Name)
	described(p, g.Description)
	p.int("visibility", groupVisibility)
	p.text("slug", g.Slug)
}

// groupOwner writes a group that owns something.
func (c *related) groupOwner(p jsonWriter, of domain.Principal) {
	g, ok := c.groups[domain.GroupID(of.ID)]
	if !ok {
		g = domain.Group{ID: domain.GroupID(of.ID), Slug: of.Slug, Name: of.Name, CreatedAt: time.Unix(0, 0), UpdatedAt: time.Unix(0, 0)}
	}
	p.object(func() { groupFields(p, g) })
}

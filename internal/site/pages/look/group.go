package look

import (
	"fmt"
	"net/http"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

var groupViews = []string{"channels", "blocks", "members", "followers"}

// groupView is a group, and a page of one of its lists.
type groupView struct {
	Group  present.Group
	Can    domain.GroupAbilities
	View   string
	Views  bar
	Sorts  *bar
	Kinds  *bar
	Follow web.Follow
	// PrivateFeed is the member's secret feed, which includes the group's private channels.
	PrivateFeed string
	listing
}

// group shows a group: its description and, by tabs, its contents and members.
func group(v *web.Visit) error {
	slug := v.Args[0]
	g, err := v.App().People.Group(v.R.Context(), v.Actor(), domain.ParseRef(strings.ToLower(slug)))
	if err != nil {
		return err
	}
	shown := groupView{Group: v.Addresses().Group(&g)}
	if g.Slug != slug {
		return moved(v, shown.Group.Path())
	}
	a := askedFor(v, "view", "kind", "sort", "page")
	var f domain.Faults
	view, sort, kind := a.option(&f, "view", groupViews), a.option(&f, "sort", madeSorts), a.option(&f, "kind", kinds)
	if err := f.Err(); err != nil {
		return err
	}
	page, err := listPage(v)
	if err != nil {
		return err
	}
	l, err := groupList(v, g.ID, view, collections.MadeInput{Types: typesOf(view, kind), Sort: sortsOf[sort], Page: page})
	if err != nil {
		return err
	}
	shown.View, shown.Can = view, shown.Group.Can(v.Actor())
	if shown.listing, err = newListing(v, a, l, page, "look.group.empty."+view); err != nil {
		return err
	}
	shown.Views = a.bar("look.views", "look.view.", "view", view, groupViews, "kind", "sort", "page")
	shown.Views.count("look.view.members", g.Users)
	shown.Views.count("look.view."+view, l.Total)
	shown.Sorts, shown.Kinds = madeBars(a, view, sort, kind)
	if shown.Follow, err = v.Follow(v.R.Context(), domain.Subject{Type: domain.SubjectGroup, ID: int64(g.ID)}, -1); err != nil {
		return err
	}
	if g.Member {
		shown.PrivateFeed, err = secretFeed(v, func(s present.SecretFeeds) string { return s.Group(&g, present.Atom) })
		if err != nil {
			return err
		}
	}
	card := shown.Group.Card()
	v.Wide = true
	v.Head = shown.head(web.Head{Canonical: a.canonical(v, "view"), Kind: "profile", Description: described(g.Description),
		Picture: web.Picture{URL: card.URL, Alt: card.Alt, Width: card.Width, Height: card.Height}, Feeds: feedsOf(g.Name, shown.Group.FeedURL)})
	if v.Fresh(append(shown.tags(), v.Cell(domain.Entity{Group: &g}).Tag(), fmt.Sprint(g.Users, g.Member, shown.Follow, shown.PrivateFeed))...) {
		return nil
	}
	return v.Page("group", g.Name, nil, shown)
}

// groupList reads a page of one of a group's lists.
func groupList(v *web.Visit, id domain.GroupID, view string, in collections.MadeInput) (domain.List[domain.Entity], error) {
	ctx, ref := v.R.Context(), domain.Ref{ID: int64(id)}
	switch view {
	case "members":
		l, err := v.App().People.Members(ctx, v.Actor(), ref, in.Page)
		return entities(l, memberEntity), err
	case "followers":
		l, err := v.App().People.Followers(ctx, v.Actor(), people.FollowTarget{Type: domain.SubjectGroup, Ref: ref}, true, in.Page)
		return entities(l, userEntity), err
	}
	return v.App().Finder.Outlined().GroupContents(ctx, v.Actor(), ref, in)
}

// moved redirects permanently from a former address, or one with an id, to the page's address.
func moved(v *web.Visit, path string) error {
	to := v.Addresses().Site + path
	if v.R.URL.RawQuery != "" {
		to += "?" + v.R.URL.RawQuery
	}
	v.W.Header().Set("Location", to)
	v.W.WriteHeader(http.StatusMovedPermanently)
	return nil
}

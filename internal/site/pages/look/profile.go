package look

import (
	"fmt"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

var (
	profileViews = []string{"channels", "blocks", "groups", "followers", "following"}
	madeSorts    = []string{"newest", "updated"}
)

// profileView is a user, and a page of one of their lists.
type profileView struct {
	User   present.User
	Self   bool
	View   string
	Views  bar
	Sorts  *bar // of their channels and blocks
	Kinds  *bar // of blocks
	Count  profileCounts
	Follow web.Follow
	listing
}

// profileCounts are the counts that the reader may see.
type profileCounts struct{ Followers, Following int64 }

// profile shows a user: their description and, by tabs, their items, followers and followed.
func profile(v *web.Visit) error {
	slug := v.Args[0]
	u, err := v.App().People.User(v.R.Context(), domain.ParseRef(strings.ToLower(slug)))
	if err != nil {
		return err
	}
	if u.Slug != slug {
		return moved(v, "/"+u.Slug)
	}
	a := askedFor(v, "view", "kind", "sort", "page")
	var f domain.Faults
	view, sort, kind := a.option(&f, "view", profileViews), a.option(&f, "sort", madeSorts), a.option(&f, "kind", kinds)
	if err := f.Err(); err != nil {
		return err
	}
	page, err := listPage(v)
	if err != nil {
		return err
	}
	l, err := profileList(v, u.ID, view, collections.MadeInput{Types: typesOf(view, kind), Sort: sortsOf[sort], Page: page})
	if err != nil {
		return err
	}
	shown := profileView{User: v.Addresses().User(&u), Self: v.Actor().UserID == u.ID, View: view,
		Count: profileCounts{u.Followers, u.Following}}
	if shown.listing, err = newListing(v, a, l, page, "look.profile.empty."+view); err != nil {
		return err
	}
	shown.Views = a.bar("look.views", "look.view.", "view", view, profileViews, "kind", "sort", "page")
	shown.Views.count("look.view.followers", shown.Count.Followers)
	shown.Views.count("look.view.following", shown.Count.Following)
	shown.Views.count("look.view."+view, l.Total)
	shown.Sorts, shown.Kinds = madeBars(a, view, sort, kind)
	if shown.Follow, err = v.Follow(v.R.Context(), domain.Subject{Type: domain.SubjectUser, ID: int64(u.ID)}, -1); err != nil {
		return err
	}
	card := shown.User.Card()
	v.Wide = true
	v.Head = shown.head(web.Head{Canonical: a.canonical(v, "view"), Kind: "profile", Description: described(u.Bio),
		Picture: web.Picture{URL: card.URL, Alt: card.Alt, Width: card.Width, Height: card.Height}, Feeds: feedsOf(u.Name, shown.User.FeedURL)})
	if v.Fresh(append(shown.tags(), v.Cell(domain.Entity{User: &u}).Tag(), fmt.Sprint(shown.Count, shown.Follow))...) {
		return nil
	}
	return v.Page("profile", u.Name, nil, shown)
}

// profileList reads a page of one of a user's lists, newest first.
func profileList(v *web.Visit, id domain.UserID, view string, in collections.MadeInput) (all domain.List[domain.Entity], err error) {
	ctx, ref := v.R.Context(), domain.Ref{ID: int64(id)}
	switch view {
	case "groups":
		l, err := v.App().People.UserGroups(ctx, v.Actor(), ref, domain.GroupSort{Key: domain.GroupsByName}, in.Page)
		return entities(l, groupEntity), err
	case "followers":
		l, err := v.App().People.Followers(ctx, v.Actor(), people.FollowTarget{Type: domain.SubjectUser, Ref: ref}, true, in.Page)
		return entities(l, userEntity), err
	case "following":
		return v.App().People.Following(ctx, v.Actor(), ref, people.FollowingInput{Desc: true, Page: in.Page})
	}
	return v.App().Finder.Outlined().UserContents(ctx, v.Actor(), ref, in)
}

// madeBars returns the bars that order and filter a user's items.
func madeBars(a asked, view, sort, kind string) (sorts, of *bar) {
	if view != "channels" && view != "blocks" {
		return nil, nil
	}
	s := a.bar("look.sorts", "look.sort.", "sort", sort, madeSorts, "page")
	if view == "channels" {
		return &s, nil
	}
	k := a.bar("look.kinds", "look.kind.", "kind", kind, kinds, "page")
	return &s, &k
}

// described returns the beginning of a profile's description.
func described(t *domain.Text) string {
	if t == nil {
		return ""
	}
	return present.Excerpt(t.Plain, 200)
}

package people

import (
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// secretFeed is a feed with its addresses.
type secretFeed struct {
	Text string // id of its title
	Name string // of the group, "" for other feeds
	Atom string
	JSON string
}

// feedsPage shows the addresses of the reader's secret feeds, which include private content.
func feedsPage(v *web.Visit) error {
	secret, err := v.App().People.FeedSecret(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	feeds, me := v.Addresses().SecretFeeds(v.Account.ID, secret), v.Account.User
	data := []secretFeed{
		{"people.feeds.home", "", feeds.Home(present.Atom), feeds.Home(present.JSONFeed)},
		{"people.feeds.own", "", feeds.User(&me, present.Atom), feeds.User(&me, present.JSONFeed)},
		{"people.feeds.highlights", "", feeds.Highlights(present.Atom), feeds.Highlights(present.JSONFeed)},
	}
	groups, err := v.App().People.UserGroups(v.R.Context(), v.Actor(), domain.Ref{ID: int64(me.ID)},
		domain.GroupSort{Key: domain.GroupsByName}, domain.Page{Number: 1, Per: domain.MaxPerPage})
	if err != nil {
		return err
	}
	for _, g := range groups.Items {
		data = append(data, secretFeed{"", g.Name, feeds.Group(&g, present.Atom), feeds.Group(&g, present.JSONFeed)})
	}
	return v.Page("feeds", v.T("people.feeds"), nil, data)
}

// renewFeeds changes the addresses of the secret feeds. The old addresses stop working.
func renewFeeds(v *web.Visit) error {
	if v.Form().Get("do") != "renew" {
		return web.UnknownButton()
	}
	if _, err := v.App().People.RenewFeedSecret(v.R.Context(), v.Actor()); err != nil {
		return err
	}
	return v.Done("/settings/feeds", "feeds")
}

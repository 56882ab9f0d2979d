package look

import (
	"fmt"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// How many items of each list the start page shows.
const (
	homeChannels   = 12
	homeBlocks     = 18
	homeActivities = 24
	homeNews       = 12
)

// welcomeView is the start page of a guest.
type welcomeView struct {
	Offer            accounts.SignUpOffer
	Picture          *present.Image
	Featured         web.Cells // chosen by the operator
	Channels, Blocks web.Cells // the newest ones, unless guests have no access
}

// homeView is the start page of a signed-in user.
type homeView struct {
	News, Pinned, Recent, Featured web.Cells
	Pins                           []pinning
	Activities                     []web.Activity
}

// pinning is a channel that is or can be pinned.
type pinning struct {
	present.Channel
	Pinned bool
}

// home shows the start page: for guests an introduction, the featured channels and new items, for users the newest items
// from their feed, their own channels, the featured ones and the beginning of their feed.
func home(v *web.Visit) error {
	v.Wide = true
	if v.Account == nil {
		return welcome(v)
	}
	ctx, actor := v.R.Context(), v.Actor()
	pinned, err := v.App().Collections.PinnedChannels(ctx, actor)
	if err != nil {
		return err
	}
	recent, err := v.App().Collections.RecentChannels(ctx, actor, homeChannels)
	if err != nil {
		return err
	}
	news, err := v.App().People.Feed(ctx, actor, people.CursorInput{Limit: homeActivities})
	if err != nil {
		return err
	}
	shown := homeView{News: newsCells(v, news.Items), Pinned: channelCells(v, pinned), Recent: channelCells(v, recent), Activities: v.Activities(news.Items)}
	if shown.Featured, err = featuredCells(v); err != nil {
		return err
	}
	is := map[domain.ChannelID]bool{}
	for i := range pinned {
		is[pinned[i].ID] = true
		shown.Pins = append(shown.Pins, pinning{v.Addresses().Channel(&pinned[i]), true})
	}
	for i := range recent {
		if !is[recent[i].ID] {
			shown.Pins = append(shown.Pins, pinning{v.Addresses().Channel(&recent[i]), false})
		}
	}
	if err := v.Cover(append(web.ActivityCells(shown.Activities), &shown.News, &shown.Pinned, &shown.Recent, &shown.Featured)...); err != nil {
		return err
	}
	tags := append(web.ActivityTags(shown.Activities), "news", shown.News.Tag(), "pinned", shown.Pinned.Tag(), "recent", shown.Recent.Tag(),
		"featured", shown.Featured.Tag())
	if v.Fresh(tags...) {
		return nil
	}
	return v.Page("home", v.Site().Name, nil, shown)
}

// newsCells returns the newest blocks and channels among activities, each once.
func newsCells(v *web.Visit, stories []domain.Story) web.Cells {
	var found []domain.Entity
	seen := map[domain.Subject]bool{}
	for i := range stories {
		s := &stories[i]
		switch s.Kind {
		case domain.AddedBlock, domain.AddedChannel, domain.CreatedChannel:
			if subject := s.Activity.Item; !seen[subject] && len(found) < homeNews {
				seen[subject] = true
				found = append(found, s.Item)
			}
		}
	}
	cells := v.Cells(found)
	cells.ID = "none"
	return cells
}

// featuredCells returns the cells of the channels that the operator chose.
func featuredCells(v *web.Visit) (web.Cells, error) {
	channels, err := v.App().Collections.FeaturedChannels(v.R.Context(), v.Actor(), v.Site().Featured)
	return channelCells(v, channels), err
}

// channelCells returns the cells of channels in a list next to other lists.
func channelCells(v *web.Visit, channels []domain.Channel) web.Cells {
	cells := v.Cells(entities(domain.List[domain.Channel]{Items: channels}, channelEntity).Items)
	cells.ID = "none"
	return cells
}

// welcome introduces the site to a guest, with the operator's text if there is one, and shows what
// is new.
func welcome(v *web.Visit) error {
	offer, err := v.App().Accounts.SignUpOffer(v.R.Context(), "")
	if err != nil {
		return err
	}
	site := v.Site()
	shown := welcomeView{Offer: offer}
	if site.Picture != nil {
		image := v.Addresses().Image(site.Picture)
		shown.Picture = &image
	}
	if !offer.First && v.App().Exposure.Admits(v.Actor()) == nil {
		if shown.Featured, err = featuredCells(v); err != nil {
			return err
		}
		if shown.Channels, err = newest(v, homeChannels, string(domain.SubjectChannel)); err != nil {
			return err
		}
		if shown.Blocks, err = newest(v, homeBlocks, domain.BlockTypes...); err != nil {
			return err
		}
		if err := v.Cover(&shown.Featured, &shown.Channels, &shown.Blocks); err != nil {
			return err
		}
		if v.App().Exposure.Indexes(domain.Public) {
			v.Head.Feeds = feedsOf(v.T("look.explore.feed"), v.Addresses().ExploreFeed)
		}
	}
	v.Head.Canonical, v.Head.Description = v.Addresses().Site+"/", v.T("look.home.lead")
	if site.About != nil {
		v.Head.Description = described(site.About)
	}
	if v.Fresh(shown.Featured.Tag(), shown.Channels.Tag(), shown.Blocks.Tag(), fmt.Sprint(offer)) {
		return nil
	}
	return v.Page("welcome", site.Name, nil, shown)
}

// newest returns the cells of the newest public items of some types.
func newest(v *web.Visit, n int64, types ...string) (web.Cells, error) {
	l, err := v.App().Finder.Outlined().Finished(v.Actor()).Explore(v.R.Context(), domain.Actor{}, domain.Search{Types: types, Sort: sortsOf["newest"],
		Page: domain.Page{Number: 1, Per: n}}, nil)
	cells := v.Cells(l.Items)
	cells.ID = "none"
	return cells, err
}

package look

import (
	"fmt"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// How much of each list the start page shows.
const (
	homeChannels   = 12
	homeBlocks     = 18
	homeActivities = 24
)

// welcomeView is the start page of a guest.
type welcomeView struct {
	Offer            accounts.SignUpOffer
	Picture          *present.Image
	Channels, Blocks web.Cells // that are new, unless guests are closed out
}

// homeView is the start page of who is signed in.
type homeView struct {
	Pinned, Recent web.Cells
	Pins           []pinning
	Activities     []web.Activity
}

// pinning is a channel that can be pinned, or is.
type pinning struct {
	present.Channel
	Pinned bool
}

// home is where one begins: a guest with what this is and what is new here, others with their
// own channels and the beginning of their feed.
func home(v *web.Visit) error {
	v.Wide = true
	if v.Account == nil {
		return welcome(v)
	}
	ctx, actor := v.R.Context(), v.Actor()
	pinned, err := v.App().PinnedChannels(ctx, actor)
	if err != nil {
		return err
	}
	recent, err := v.App().RecentChannels(ctx, actor, homeChannels)
	if err != nil {
		return err
	}
	news, err := v.App().Feed(ctx, actor, people.CursorInput{Limit: homeActivities})
	if err != nil {
		return err
	}
	shown := homeView{Pinned: channelCells(v, pinned), Recent: channelCells(v, recent), Activities: v.Activities(news.Items)}
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
	return v.Page("home", v.Site().Name, nil, shown)
}

// channelCells are cells of channels, in a list beside others.
func channelCells(v *web.Visit, channels []domain.Channel) web.Cells {
	cells := v.Cells(things(domain.List[domain.Channel]{Items: channels}, channelThing).Items)
	cells.ID = "none"
	return cells
}

// welcome shows a guest what this is, in the operator's words if there are any, and what is new.
func welcome(v *web.Visit) error {
	offer, err := v.App().SignUpOffer(v.R.Context(), "")
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
		if shown.Channels, err = newest(v, homeChannels, string(domain.SubjectChannel)); err != nil {
			return err
		}
		if shown.Blocks, err = newest(v, homeBlocks, domain.BlockTypes...); err != nil {
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
	if v.Fresh(append(append(shown.Channels.Tags(), shown.Blocks.Tags()...), fmt.Sprint(offer))...) {
		return nil
	}
	return v.Page("welcome", site.Name, nil, shown)
}

// newest are the cells of what is new and public, of some types of things.
func newest(v *web.Visit, n int64, types ...string) (web.Cells, error) {
	l, err := v.App().Explore(v.R.Context(), domain.Actor{}, domain.Search{Types: types, Sort: sortsOf["newest"],
		Page: domain.Page{Number: 1, Per: n}}, nil)
	cells := v.Cells(l.Items)
	cells.ID = "none"
	return cells, err
}

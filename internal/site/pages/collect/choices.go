package collect

import (
	"html/template"
	"strconv"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// maxChoices is how many channels a form offers at a time; maxPlaces is how many of those that
// contain the item.
const (
	maxChoices = 24
	maxPlaces  = 100
)

// choice is a channel with a check box.
type choice struct {
	present.Channel
	There, Ticked bool
	Cover         template.HTML
}

// choices are the channels that a form offers.
type choices struct {
	Path  string // of the page, for the search form
	Query string
	In    []choice // channels that contain the item
	More  []choice // other channels
}

// findChoices finds channels that match the query, ticked ones first. The item is zero if it does
// not exist yet.
func findChoices(v *web.Visit, item domain.ItemRef, query string, ticked, shown []string) (all choices, err error) {
	all = choices{Path: v.R.URL.Path, Query: query}
	seen := map[domain.ChannelID]bool{}
	on, off := numbers(ticked), numbers(shown)
	add := func(c domain.Channel, there bool) {
		if seen[c.ID] {
			return
		}
		seen[c.ID] = true
		one := choice{v.Addresses().Channel(&c), there, on[int64(c.ID)] || there && !off[int64(c.ID)], ""}
		if there {
			all.In = append(all.In, one)
		} else {
			all.More = append(all.More, one)
		}
	}
	if item.ID != 0 {
		places, err := placesOf(v, item)
		if err != nil {
			return all, err
		}
		for _, c := range places {
			add(c, true)
		}
	}
	for id := range on {
		if !seen[domain.ChannelID(id)] && len(all.More) < domain.MaxTargets {
			c, err := v.App().Collections.Channel(v.R.Context(), v.Actor(), domain.Ref{ID: id})
			if missing(err) {
				continue
			}
			if err != nil {
				return all, err
			}
			add(c.Channel, false)
		}
	}
	found, err := v.App().Finder.ConnectChoices(v.R.Context(), v.Actor(), query, item, maxChoices)
	for _, c := range found {
		if c.MayAdd || c.There {
			add(c.Channel, c.There)
		}
	}
	if err != nil {
		return all, err
	}
	return all, all.cover(v)
}

// cover reads the covers of the channels.
func (c choices) cover(v *web.Visit) error {
	var channels []*domain.Channel
	for _, list := range [][]choice{c.In, c.More} {
		for i := range list {
			channels = append(channels, list[i].Channel.Channel)
		}
	}
	covers, err := v.Covers(channels)
	if err != nil {
		return err
	}
	for _, list := range [][]choice{c.In, c.More} {
		for i := range list {
			list[i].Cover, covers = covers[0], covers[1:]
		}
	}
	return nil
}

// placesOf returns the channels that the viewer connected the item to.
func placesOf(v *web.Visit, item domain.ItemRef) ([]domain.Channel, error) {
	in := collections.ItemChannelsInput{Ownership: domain.Own, Desc: true, Page: domain.Page{Number: 1, Per: maxPlaces}}
	list := v.App().Collections.ChannelConnections
	if item.Type == domain.ItemBlock {
		l, err := v.App().Collections.BlockConnections(v.R.Context(), v.Actor(), domain.BlockID(item.ID), in)
		return l.Items, err
	}
	l, err := list(v.R.Context(), v.Actor(), domain.Ref{ID: item.ID}, in)
	return l.Items, err
}

// numbers parses the ids of a form, and skips invalid ones.
func numbers(values []string) map[int64]bool {
	all := map[int64]bool{}
	for _, value := range values {
		if id, err := strconv.ParseInt(value, 10, 64); err == nil && id > 0 && len(all) < maxPlaces+maxChoices+domain.MaxTargets {
			all[id] = true
		}
	}
	return all
}

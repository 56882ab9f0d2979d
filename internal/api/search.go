package api

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/domain"
	"vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
)

// searchSorts are the orders of results by their names on the wire.
var searchSorts = map[v3.SearchSort]domain.SearchSort{
	v3.SearchSortScoreDesc:            {Key: domain.SearchByScore, Desc: true},
	v3.SearchSortCreatedAtDesc:        {Key: domain.SearchByCreated, Desc: true},
	v3.SearchSortCreatedAtAsc:         {Key: domain.SearchByCreated},
	v3.SearchSortUpdatedAtDesc:        {Key: domain.SearchByUpdated, Desc: true},
	v3.SearchSortUpdatedAtAsc:         {Key: domain.SearchByUpdated},
	v3.SearchSortNameAsc:              {Key: domain.SearchByName},
	v3.SearchSortNameDesc:             {Key: domain.SearchByName, Desc: true},
	v3.SearchSortConnectionsCountDesc: {Key: domain.SearchByConnections, Desc: true},
	v3.SearchSortRandom:               {Key: domain.SearchByChance},
}

// Search implements search.
func (h *handler) Search(ctx context.Context, p v3.SearchParams) (*v3.EverythingListResponse, error) {
	who, at := actor(ctx), page(p.Page, p.Per)
	in := domain.Search{Query: p.Query.Or(""), Types: types(p.Type),
		Scope:  domain.SearchScope(p.Scope.Or(v3.SearchScopeAll)),
		Author: domain.UserID(p.UserID.Or(0)), Group: domain.GroupID(p.GroupID.Or(0)), Channel: domain.ChannelID(p.ChannelID.Or(0)),
		Extensions: extensions(p.Ext), After: p.After.Or(time.Time{}),
		Sort: searchSorts[p.Sort.Or(v3.SearchSortScoreDesc)], Page: at}
	var seed *int64
	if p.Seed.Set {
		seed = &p.Seed.Value
	}
	l, err := h.app.Search(ctx, who, in, seed)
	if err != nil {
		return nil, err
	}
	return &v3.EverythingListResponse{Data: h.everything(who, l.Items), Meta: meta(at, l.Total)}, nil
}

var itemSorts = map[v3.ContentSort]domain.SearchSort{
	v3.ContentSortCreatedAtAsc:  {Key: domain.SearchByCreated},
	v3.ContentSortCreatedAtDesc: {Key: domain.SearchByCreated, Desc: true},
	v3.ContentSortUpdatedAtAsc:  {Key: domain.SearchByUpdated},
	v3.ContentSortUpdatedAtDesc: {Key: domain.SearchByUpdated, Desc: true},
}

func made(sort v3.OptContentSort, kind v3.OptContentTypeFilter, at domain.Page) app.MadeInput {
	in := app.MadeInput{Sort: itemSorts[sort.Or(v3.ContentSortCreatedAtDesc)], Page: at}
	if kind.Set {
		in.Types = types([]v3.ContentTypeFilter{kind.Value})
	}
	return in
}

// GetUserContents implements getUserContents.
func (h *handler) GetUserContents(ctx context.Context, p v3.GetUserContentsParams) (*v3.ConnectableListResponse, error) {
	who, at := actor(ctx), page(p.Page, p.Per)
	l, err := h.app.UserContents(ctx, who, domain.ParseRef(p.ID), made(p.Sort, p.Type, at))
	if err != nil {
		return nil, err
	}
	return &v3.ConnectableListResponse{Data: h.everything(who, l.Items), Meta: meta(at, l.Total)}, nil
}

// GetGroupContents implements getGroupContents.
func (h *handler) GetGroupContents(ctx context.Context, p v3.GetGroupContentsParams) (*v3.ConnectableListResponse, error) {
	who, at := actor(ctx), page(p.Page, p.Per)
	l, err := h.app.GroupContents(ctx, who, domain.ParseRef(p.ID), made(p.Sort, p.Type, at))
	if err != nil {
		return nil, err
	}
	return &v3.ConnectableListResponse{Data: h.everything(who, l.Items), Meta: meta(at, l.Total)}, nil
}

// types are kinds of things by their names on the wire; none for all.
func types[T ~string](names []T) (all []string) {
	for _, name := range names {
		switch name {
		case "All":
			return nil
		case "Block":
			all = append(all, domain.BlockTypes...)
		default:
			all = append(all, string(name))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// sameExtensions are those that one and the same kind of file goes by.
var sameExtensions = [][]string{{"jpg", "jpeg"}, {"tif", "tiff"}, {"mpg", "mpeg"}}

func extensions(names []v3.FileExtension) (all []string) {
	for _, name := range names {
		all = append(all, string(name))
		for _, same := range sameExtensions {
			if slices.Contains(same, string(name)) {
				all = append(all, same...)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// everything is what a list of mixed kinds shows.
func (h *handler) everything(who domain.Actor, all []app.Found) []wire.Item {
	items := make([]wire.Item, len(all))
	for i, f := range all {
		switch {
		case f.Block != nil:
			items[i] = h.block(*f.Block, func(blockSetter) {})
		case f.Channel != nil:
			items[i] = wire.Item{Value: h.channel(*f.Channel)}
		case f.User != nil:
			f.User.Unread = 0 // the user's own affair
			items[i] = wire.Item{Value: h.user(who, *f.User)}
		case f.Group != nil:
			items[i] = wire.Item{Value: h.group(who, *f.Group)}
		}
	}
	return items
}

// searches tells of operations with a query.
func searches(id string) bool { return id == "search" || id == "filterChannelContents" }

// plainLists writes lists of a search that are repeated in the query as one each, and
// `q` as `query` (behaviour.md section 1), as the generated decoder reads them.
func plainLists(u *url.URL) {
	if u.RawQuery == "" {
		return
	}
	var pairs []string
	at := map[string]int{}
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if first, ok := at[name]; ok && (name == "type" || name == "ext") {
			pairs[first] += "," + value
			continue
		}
		at[name] = len(pairs)
		pairs = append(pairs, pair)
	}
	if i, ok := at["q"]; ok {
		if _, given := at["query"]; !given {
			pairs[i] = "query" + strings.TrimPrefix(pairs[i], "q")
		}
	}
	u.RawQuery = strings.Join(pairs, "&")
}

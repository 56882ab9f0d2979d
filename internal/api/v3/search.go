package v3

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	v3 "vitrine/internal/oas/v3"
)

// searchSorts maps the orders of results.
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
	who, at := httpedge.Actor(ctx), httpedge.Page(p.Page, p.Per)
	in := domain.Search{Query: p.Query.Or(""), Types: httpedge.Types(p.Type),
		Scope:  domain.SearchScope(p.Scope.Or(v3.SearchScopeAll)),
		Author: domain.UserID(p.UserID.Or(0)), Group: domain.GroupID(p.GroupID.Or(0)), Channel: domain.ChannelID(p.ChannelID.Or(0)),
		Extensions: extensions(p.Ext), After: p.After.Or(time.Time{}),
		Sort: searchSorts[p.Sort.Or(v3.SearchSortScoreDesc)], Page: at}
	var seed *int64
	if p.Seed.Set {
		seed = &p.Seed.Value
	}
	l, err := h.app.Finder.Search(ctx, who, in, seed)
	if err != nil {
		return nil, err
	}
	return &v3.EverythingListResponse{Data: h.entities(who, l.Items), Meta: meta(at, l.Total)}, nil
}

var itemSorts = map[v3.ContentSort]domain.SearchSort{
	v3.ContentSortCreatedAtAsc:  {Key: domain.SearchByCreated},
	v3.ContentSortCreatedAtDesc: {Key: domain.SearchByCreated, Desc: true},
	v3.ContentSortUpdatedAtAsc:  {Key: domain.SearchByUpdated},
	v3.ContentSortUpdatedAtDesc: {Key: domain.SearchByUpdated, Desc: true},
}

func made(sort v3.OptContentSort, kind v3.OptContentTypeFilter, at domain.Page) collections.MadeInput {
	in := collections.MadeInput{Sort: itemSorts[sort.Or(v3.ContentSortCreatedAtDesc)], Page: at}
	if kind.Set {
		in.Types = httpedge.Types([]v3.ContentTypeFilter{kind.Value})
	}
	return in
}

// GetUserContents implements getUserContents.
func (h *handler) GetUserContents(ctx context.Context, p v3.GetUserContentsParams) (*v3.ConnectableListResponse, error) {
	who, at := httpedge.Actor(ctx), httpedge.Page(p.Page, p.Per)
	l, err := h.app.Finder.UserContents(ctx, who, domain.ParseRef(p.ID), made(p.Sort, p.Type, at))
	if err != nil {
		return nil, err
	}
	return &v3.ConnectableListResponse{Data: h.entities(who, l.Items), Meta: meta(at, l.Total)}, nil
}

// GetGroupContents implements getGroupContents.
func (h *handler) GetGroupContents(ctx context.Context, p v3.GetGroupContentsParams) (*v3.ConnectableListResponse, error) {
	who, at := httpedge.Actor(ctx), httpedge.Page(p.Page, p.Per)
	l, err := h.app.Finder.GroupContents(ctx, who, domain.ParseRef(p.ID), made(p.Sort, p.Type, at))
	if err != nil {
		return nil, err
	}
	return &v3.ConnectableListResponse{Data: h.entities(who, l.Items), Meta: meta(at, l.Total)}, nil
}

// sameExtensions are the groups of extensions of the same file type.
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

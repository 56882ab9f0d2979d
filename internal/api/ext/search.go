package ext

import (
	"context"
	"net/url"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// SearchByMetadata implements searchByMetadata.
func (h *handler) SearchByMetadata(ctx context.Context, p ext.SearchByMetadataParams) (*ext.FoundList, error) {
	who, at := httpedge.Actor(ctx), httpedge.Page(p.Page, p.Per)
	l, err := h.app.Finder.Explore(ctx, who, domain.Search{Query: p.Query.Or(""), Where: p.Metadata, Types: httpedge.Types(p.Type),
		Scope:  domain.SearchScope(p.Scope.Or(ext.SearchByMetadataScopeAll)),
		Author: domain.UserID(p.UserID.Or(0)), Group: domain.GroupID(p.GroupID.Or(0)), Channel: domain.ChannelID(p.ChannelID.Or(0)),
		Sort: sortOf(p.Sort.Or("score_desc")), Page: at}, nil)
	if err != nil {
		return nil, err
	}
	out := &ext.FoundList{Data: make([]wire.JSON, len(l.Items)), Meta: meta(at, l.Total)}
	for i, found := range l.Items {
		out.Data[i] = withPage(h.entity(who, found), h.at.Entity(found).URL())
	}
	return out, nil
}

// sorts are the orders that do not name a key.
var sorts = map[string]domain.SearchKey{"score": domain.SearchByScore, "created_at": domain.SearchByCreated, "updated_at": domain.SearchByUpdated,
	"name": domain.SearchByName, "connections_count": domain.SearchByConnections}

// sortOf returns an order by its name, which the description allows.
func sortOf(name string) domain.SearchSort {
	by, ascending := strings.CutSuffix(name, "_asc")
	by = strings.TrimSuffix(by, "_desc")
	if key, ok := strings.CutPrefix(by, "metadata."); ok {
		return domain.SearchSort{Key: domain.SearchByValue, Desc: !ascending, Value: key}
	}
	return domain.SearchSort{Key: sorts[by], Desc: !ascending}
}

// conditions rewrites parameters such as metadata.year=1972 as metadata=year=1972.
func conditions(u *url.URL) *url.URL {
	pairs := strings.Split(u.RawQuery, "&")
	for i, pair := range pairs {
		if rest, ok := strings.CutPrefix(pair, "metadata."); ok {
			pairs[i] = "metadata=" + strings.Replace(rest, "=", "%3D", 1)
		}
	}
	rewritten := *u
	rewritten.RawQuery = strings.Join(pairs, "&")
	return &rewritten
}

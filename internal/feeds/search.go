package feeds

import (
	"context"
	"hash/fnv"
	"net/http"
	"strings"
	"time"

	"vitrine/internal/app/searches"
	"vitrine/internal/domain"
	"vitrine/internal/middleware"
	"vitrine/internal/present"
)

// searchFeed returns the handler of the feed with the newest public results of the query in its address. It counts towards
// the rate limit of guests, as searches on the website do.
func (h *Handler) searchFeed(f present.FeedFormat) answer {
	return func(w http.ResponseWriter, r *http.Request) error {
		query := strings.Join(strings.Fields(r.URL.Query().Get("q")), " ")
		if query == "" {
			return domain.NewNotFound()
		}
		x := middleware.From(r.Context())
		if d := h.o.Limiter.Take(r.Context(), h.o.Now(), middleware.GuestKey(x.ClientIP), string(domain.TierGuest)); !d.Allowed {
			x.Refused, x.Tier = middleware.TooFast, d.Tier
			return domain.NewTooMany("", int64(d.Limit), time.Minute, time.Duration(d.RetryAfter)*time.Second)
		}
		found, err := h.results(r.Context(), domain.Actor{}, domain.SavedSearch{Name: query, Query: query})
		if err != nil {
			return err
		}
		sum := fnv.New64a()
		_, _ = sum.Write([]byte(query)) // never fails
		found.id = h.tag(epoch, "search", int64(sum.Sum64()>>1))
		found.address = func(f present.FeedFormat) string { return h.o.Addresses.SearchFeed(query, f) }
		return found.write(w, r, f)
	}
}

// savedSearchFeed reads the newest results of a saved search of the actor.
func (h *Handler) savedSearchFeed(id domain.SavedSearchID) source {
	return func(ctx context.Context, actor domain.Actor) (x feed, err error) {
		s, err := h.o.App.Searches.SavedSearch(ctx, actor, id)
		if err != nil {
			return x, err
		}
		x, err = h.results(ctx, actor, s)
		x.id = h.tag(s.CreatedAt, "saved-search", int64(s.ID))
		return x, err
	}
}

// results reads the newest results of a search.
func (h *Handler) results(ctx context.Context, actor domain.Actor, s domain.SavedSearch) (x feed, err error) {
	site, err := h.o.App.Operating.SiteSettings(ctx)
	if err != nil {
		return x, err
	}
	things, err := h.o.App.Finder.Finished(actor).Explore(ctx, actor, s.Search(newest), nil)
	if err != nil {
		return x, err
	}
	x = feed{title: site.Name + " · " + s.Name, page: h.o.Addresses.Site + searches.Path(s)}
	x.add(h, things.Items)
	x.finish(epoch)
	return x, nil
}

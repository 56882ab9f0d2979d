package httpedge

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"vitrine/internal/middleware"
)

// How many requests may come from one address in a minute. Forms: more than a classroom sends,
// and few enough that nobody fills the database with them. What programs fetch: more than
// whoever reads thousands of feeds for others asks for, and few enough that nobody has cards
// drawn all day.
const (
	formsPerMinute   = 240
	fetchesPerMinute = 600
)

// limited refuses requests of a rate that come too fast, at this server or, where limits are
// shared, at all of them. What is delicate, such as signing in, has stricter limits of its own.
func (o Options) limited(rate Rate, render middleware.Renderer, perMinute int, counts func(*http.Request) bool) middleware.Piece {
	const tier = "address"
	limiter := middleware.NewLimiter(map[string]int{tier: perMinute})
	if o.Shared != nil {
		limiter.Share(func(ctx context.Context, key string, limit int, window time.Duration) (middleware.Counted, bool) {
			return o.Shared(ctx, string(rate)+":"+key, limit, window) // apart from what the API counts of the address
		})
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if counts(r) {
				d := limiter.Take(r.Context(), o.Now(), middleware.GuestKey(middleware.From(r.Context()).ClientIP), tier)
				if !d.Allowed {
					middleware.From(r.Context()).Refused = middleware.TooFast
					w.Header().Set("Retry-After", strconv.Itoa(d.RetryAfter))
					render(w, r, http.StatusTooManyRequests, "That was a lot in a minute. Try again a little later.")
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

func isForm(r *http.Request) bool { return r.Method == http.MethodPost }

func isAny(*http.Request) bool { return true }

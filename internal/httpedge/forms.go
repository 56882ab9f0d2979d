package httpedge

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"vitrine/internal/middleware"
)

// Requests per minute from one address. Forms: more than a classroom sends, but too few to fill the
// database. Fetches by programs: more than a service that reads thousands of feeds needs, but too
// few to keep the server busy drawing cards.
const (
	formsPerMinute   = 240
	fetchesPerMinute = 600
)

// limited limits the requests selected by counts to perMinute per address, on this server or, with
// shared limits, on all servers. Sensitive actions such as signing in have their own stricter
// limits.
func (o Options) limited(rate Rate, render middleware.Renderer, perMinute int, counts func(*http.Request) bool) middleware.Middleware {
	const tier = "address"
	limiter := middleware.NewLimiter(map[string]int{tier: perMinute})
	if o.Shared != nil {
		limiter.Share(func(ctx context.Context, key string, limit int, window time.Duration) (middleware.Counted, bool) {
			return o.Shared(ctx, string(rate)+":"+key, limit, window) // a different key from the API's limit for the address
		})
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if counts(r) {
				d := limiter.Take(r.Context(), o.Now(), middleware.GuestKey(middleware.From(r.Context()).ClientIP), tier)
				if !d.Allowed {
					middleware.From(r.Context()).Refused = middleware.TooFast
					w.Header().Set("Retry-After", strconv.Itoa(d.RetryAfter))
					render(w, r, http.StatusTooManyRequests, "Too many requests. Try again in a minute.")
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

func isForm(r *http.Request) bool { return r.Method == http.MethodPost }

func isAny(*http.Request) bool { return true }

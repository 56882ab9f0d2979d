package server

import (
	"net/http"
	"strconv"
	"time"

	"vitrine/internal/middleware"
)

// formsPerMinute is how many forms may come from one address in a minute: more than a
// classroom sends, and few enough that nobody fills the database with them.
const formsPerMinute = 240

// limitForms refuses forms of the website that come too fast. Pages that only read are
// not counted, and what is delicate, such as signing in, has stricter limits of its own.
func limitForms(now func() time.Time, render middleware.Renderer) middleware.Piece {
	limiter := middleware.NewLimiter(map[string]int{"forms": formsPerMinute})
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				d := limiter.Take(now(), middleware.GuestKey(middleware.From(r.Context()).ClientIP), "forms")
				if !d.Allowed {
					w.Header().Set("Retry-After", strconv.Itoa(d.RetryAfter))
					render(w, r, http.StatusTooManyRequests, "That was a lot in a minute. Try again a little later.")
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

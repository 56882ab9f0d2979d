package middleware

import (
	"net/http"

	"vitrine/internal/budget"
)

// Memory charges the memory of each request and its response to a budget, per user or per guest's
// address, until the response is written.
func Memory(b *budget.Budget) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			x := From(r.Context())
			client := func() any {
				if x.UserID != 0 {
					return UserKey(x.UserID)
				}
				return GuestKey(x.ClientIP)
			}
			account := b.Open(client)
			defer account.Close()
			next.ServeHTTP(w, r.WithContext(budget.With(r.Context(), account)))
		})
	}
}

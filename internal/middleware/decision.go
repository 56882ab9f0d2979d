package middleware

import (
	"net/http"
	"strconv"
)

// Decision is the result of counting a request against a rate limit.
type Decision struct {
	Allowed    bool
	Tier       string
	Limit      int   // requests per window, or Unlimited
	Remaining  int   // requests left in this window, or Unlimited
	Reset      int64 // Unix seconds of the end of the window, rounded up
	RetryAfter int   // whole seconds to wait, at least 1; 0 if allowed
}

// WriteHeaders sets X-RateLimit-Limit, -Tier, -Window, -Reset and -Remaining, which every response
// has. Window is in seconds.
func (d Decision) WriteHeaders(h http.Header) {
	values := [...]string{
		strconv.Itoa(d.Limit), d.Tier, "60", strconv.FormatInt(d.Reset, 10), strconv.Itoa(d.Remaining),
	}
	v := values[:] // one allocation for the five
	h["X-Ratelimit-Limit"] = v[0:1:1]
	h["X-Ratelimit-Tier"] = v[1:2:2]
	h["X-Ratelimit-Window"] = v[2:3:3]
	h["X-Ratelimit-Reset"] = v[3:4:4]
	h["X-Ratelimit-Remaining"] = v[4:5:5]
}

// Refuse responds 429 with Retry-After and a RateLimitError body. Except for the seconds to wait,
// the body was encoded when the Limiter was created.
func (l *Limiter) Refuse(w http.ResponseWriter, r *http.Request, d Decision) {
	if x := From(r.Context()); x.Tier == "" {
		x.Tier = d.Tier
	}
	retry := strconv.Itoa(d.RetryAfter)
	h := w.Header()
	d.WriteHeaders(h)
	h.Set("Retry-After", retry)
	h.Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusTooManyRequests)
	tier := l.tiers[d.Tier]
	for _, part := range [...][]byte{tier.bodyHead, []byte(retry), tier.bodyTail} {
		if _, err := w.Write(part); err != nil {
			return
		}
	}
}

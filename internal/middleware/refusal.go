package middleware

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
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

// limitTier is a tier's limit and the encoded body of its refusals, split around the seconds to
// wait.
type limitTier struct {
	limit              int
	bodyHead, bodyTail []byte
}

type rateLimitError struct {
	Error rateLimitDetails `json:"error"`
}

type rateLimitDetails struct {
	Type          string        `json:"type"`
	Message       string        `json:"message"`
	Tier          string        `json:"tier"`
	Limit         int           `json:"limit"`
	LimitWindow   string        `json:"limit_window"`
	RetryAfter    int           `json:"retry_after"`
	CurrentStatus currentStatus `json:"current_status,omitzero"`
	Suggestions   []string      `json:"suggestions"`
	HeadersNote   string        `json:"headers_note,omitempty"`
}

// WriteLimitError responds 429 for a limit on an action rather than on requests. The message names
// the limit. The body is a RateLimitError, as in Refuse.
func WriteLimitError(w http.ResponseWriter, r *http.Request, message string, limit int64, window, wait time.Duration) {
	seconds := max(1, int((wait+time.Second-1)/time.Second))
	body, err := json.Marshal(rateLimitError{rateLimitDetails{Type: "rate_limit_exceeded", Message: message,
		Tier: From(r.Context()).Tier, Limit: int(limit), LimitWindow: inWords(window), RetryAfter: seconds,
		Suggestions: []string{"Wait the number of seconds in Retry-After before the next such request."}}})
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	h := w.Header()
	h.Set("Retry-After", strconv.Itoa(seconds))
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Del("ETag")
	w.WriteHeader(http.StatusTooManyRequests)
	_, _ = w.Write(body)
}

// inWords returns the length of a window in words: "1 day", "1 hour", "15 minutes".
func inWords(window time.Duration) string {
	n, unit := int64(window/time.Minute), "minute"
	switch {
	case window%(24*time.Hour) == 0:
		n, unit = int64(window/(24*time.Hour)), "day"
	case window%time.Hour == 0:
		n, unit = int64(window/time.Hour), "hour"
	}
	if n != 1 {
		unit += "s"
	}
	return strconv.FormatInt(n, 10) + " " + unit
}

type currentStatus struct {
	Tier        string         `json:"tier"`
	Limits      map[string]int `json:"limits"`
	UpgradePath upgradePath    `json:"upgrade_path"`
}

type upgradePath struct {
	Current     string   `json:"current"`
	Recommended string   `json:"recommended"`
	Benefits    []string `json:"benefits"`
	Action      string   `json:"action"`
}

// retryMark is a placeholder for the seconds to wait, at which the body is split.
const retryMark = -987654321

func newLimitTier(tier string, ranked []string, limits map[string]int) limitTier {
	shown := make(map[string]int, len(limits))
	for name, limit := range limits {
		shown[name] = effectiveLimit(limit)
	}
	limit := shown[tier]
	body, err := json.Marshal(rateLimitError{rateLimitDetails{
		Type:          "rate_limit_exceeded",
		Message:       fmt.Sprintf("The %s tier allows %s.", tier, rate(limit)),
		Tier:          tier,
		Limit:         limit,
		LimitWindow:   "1 minute",
		RetryAfter:    retryMark,
		CurrentStatus: currentStatus{Tier: tier, Limits: shown, UpgradePath: newUpgradePath(tier, ranked, shown)},
		Suggestions: []string{
			"Wait the number of seconds in Retry-After before the next request.",
			"Use X-RateLimit-Remaining and X-RateLimit-Reset to space out requests.",
			"Send If-None-Match, and cache responses as long as Cache-Control allows.",
		},
		HeadersNote: "Every response has X-RateLimit-Limit, -Remaining, -Reset (Unix seconds), -Tier and -Window (seconds).",
	}})
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	head, tail, _ := strings.Cut(string(body), strconv.Itoa(retryMark))
	return limitTier{limit: limit, bodyHead: []byte(head), bodyTail: []byte(tail)}
}

// newUpgradePath recommends the next tier with a higher limit, or the current tier if no other tier
// has one.
func newUpgradePath(tier string, ranked []string, shown map[string]int) upgradePath {
	for _, next := range ranked {
		if shown[next] > shown[tier] {
			return upgradePath{
				Current:     tier,
				Recommended: next,
				Benefits:    []string{rate(shown[next])},
				Action:      fmt.Sprintf("Use a token of an account of the %s tier.", next),
			}
		}
	}
	return upgradePath{
		Current: tier, Recommended: tier, Benefits: []string{},
		Action: "No tier has a higher limit. Space out your requests.",
	}
}

func rate(limit int) string {
	if limit == Unlimited {
		return "any number of requests"
	}
	return fmt.Sprintf("%d requests per minute", limit)
}

// rankTiers sorts the tiers by their limits, the strictest first.
func rankTiers(limits map[string]int) []string {
	ranked := make([]string, 0, len(limits))
	for tier := range limits {
		ranked = append(ranked, tier)
	}
	slices.SortFunc(ranked, func(a, b string) int {
		return cmp.Or(cmp.Compare(effectiveLimit(limits[a]), effectiveLimit(limits[b])), cmp.Compare(a, b))
	})
	return ranked
}

// effectiveLimit replaces 0 with Unlimited.
func effectiveLimit(limit int) int {
	if limit <= 0 {
		return Unlimited
	}
	return limit
}

package httpedge

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/middleware"
	"vitrine/internal/reads"
)

// step is one middleware of the chain.
type step struct {
	name string
	why  string // why it is at this place
	// wrap returns the middleware, or nil if the mount does not use it.
	wrap func(o Options, m Mount, h Handler) middleware.Middleware
}

// chain lists the middleware of all mounts, outermost first. testdata/chain.txt shows which mount uses
// which. Only Pace, which wraps each listener, and StripPrefix, on which routing depends, run before.
var chain = []step{
	{"begin", "the log, the metrics and the trace include everything that follows", func(o Options, _ Mount, _ Handler) middleware.Middleware {
		return middleware.Begin(o.Now, o.observers()...)
	}},
	{"in flight", "counts requests as long as they are logged", func(o Options, _ Mount, _ Handler) middleware.Middleware {
		return o.InFlight
	}},
	{"client address", "the scope, limits and the log contain it", func(o Options, _ Mount, _ Handler) middleware.Middleware {
		return middleware.ClientAddr(o.TrustedProxies)
	}},
	{"request id", "before everything that may respond, as each response has it", func(o Options, _ Mount, _ Handler) middleware.Middleware {
		return middleware.RequestID(o.TrustedProxies)
	}},
	{"trace", "continues the trace of the header that \"request id\" reads", func(o Options, _ Mount, _ Handler) middleware.Middleware {
		return when(o.Tracer != nil, middleware.Traced(o.Tracer, o.TrustedProxies))
	}},
	{"scope", "contains the client's address, the request id and the trace", func(Options, Mount, Handler) middleware.Middleware {
		return middleware.Scoped
	}},
	{"cache headers", "outside of everything that may refuse, as errors have them too", func(_ Options, m Mount, _ Handler) middleware.Middleware {
		return when(m.Vary, middleware.CacheHeaders)
	}},
	{"secure headers", "like \"cache headers\"", func(_ Options, m Mount, _ Handler) middleware.Middleware {
		return when(m.Data, middleware.SecureHeaders)
	}},
	{"preflight limits", "outside of CORS, which answers preflights", func(o Options, m Mount, _ Handler) middleware.Middleware {
		return when(m.Preflights, middleware.PreflightLimits(o.Limiter, o.Now, string(domain.TierGuest)))
	}},
	{"cors", "outside of everything that may refuse, so that pages can read errors", func(_ Options, m Mount, _ Handler) middleware.Middleware {
		return when(m.CORS, middleware.CORS)
	}},
	{"recover", "outside of buffers, so that a panic in the middle of a body still results in a complete 500", func(o Options, _ Mount, h Handler) middleware.Middleware {
		return middleware.Recover(o.Log, h.Render)
	}},
	{"header limit", "before anything is done for the request", func(_ Options, _ Mount, h Handler) middleware.Middleware {
		return middleware.HeaderLimit(HeaderLimit, h.Render)
	}},
	{"fit", "before anything that uses the database", func(o Options, _ Mount, h Handler) middleware.Middleware {
		return when(o.Fit != nil, whileFit(o.Fit, h.Render))
	}},
	{"no cookies", "before anything that could accept a cookie as credentials", func(_ Options, m Mount, _ Handler) middleware.Middleware {
		return when(m.Credentials != SessionCookies, withoutCookies)
	}},
	{"memory", "outside of buffers, as a body counts until it is written", func(o Options, m Mount, h Handler) middleware.Middleware {
		return when(m.Memory, middleware.Unless(h.Downloads, middleware.Memory(o.Memory)))
	}},
	{"head", "outside of compression, as the Content-Length is that of the response to GET", func(_ Options, m Mount, _ Handler) middleware.Middleware {
		return when(m.Head, middleware.Head)
	}},
	{"compress", "outside of \"conditional\", so that an ETag is the same for every encoding", func(_ Options, m Mount, h Handler) middleware.Middleware {
		return when(m.Compressed, middleware.Unless(h.Downloads, middleware.Compress))
	}},
	{"conditional", "inside of \"compress\"", func(_ Options, m Mount, h Handler) middleware.Middleware {
		return when(m.Tagged, middleware.Unless(h.Downloads, middleware.Conditional))
	}},
	{"forms", "before the handler, which reads the database for each form", func(o Options, m Mount, h Handler) middleware.Middleware {
		return when(m.Rate == Forms, o.limited(Forms, h.Render, formsPerMinute, isForm))
	}},
	{"fetches", "like \"forms\"", func(o Options, m Mount, h Handler) middleware.Middleware {
		return when(m.Rate == Fetches, o.limited(Fetches, h.Render, fetchesPerMinute, isAny))
	}},
	{"replicas", "inside of what happens once, as Reading repeats a handler whose replica fails", func(o Options, m Mount, _ Handler) middleware.Middleware {
		return when(m.Replicas && o.Replicas, readSomewhere)
	}},
	{"deadline", "limits the handler, and the time in which it reads the body", func(o Options, m Mount, h Handler) middleware.Middleware {
		return when(m.Deadline, middleware.Unless(h.Downloads, middleware.Unless(h.Streams, middleware.Deadline(o.RequestTimeout, h.Render))))
	}},
	{"body limit", "innermost, as the handler responds when it reads too much", func(o Options, m Mount, h Handler) middleware.Middleware {
		return when(m.BodyLimit, middleware.Unless(h.Streams, middleware.BodyLimit(o.BodyLimit)))
	}},
}

// of returns the middleware for the handler of a mount, or nil. Health checks have none.
func (s step) of(o Options, m Mount, h Handler) middleware.Middleware {
	if m.Probe {
		return nil
	}
	return s.wrap(o, m, h)
}

// when returns the middleware if the mount uses it.
func when(used bool, m middleware.Middleware) middleware.Middleware {
	if !used {
		return nil
	}
	return m
}

// wrap wraps a handler in the middleware of its mount.
func wrap(o Options, m Mount, h Handler) http.Handler {
	var used []middleware.Middleware
	for _, s := range chain {
		if wrap := s.of(o, m, h); wrap != nil {
			used = append(used, wrap)
		}
	}
	return middleware.Chain(h.Handler, used...)
}

// observers returns what is called at the end of each request.
func (o Options) observers() []middleware.Observer {
	all := []middleware.Observer{middleware.AccessLog(o.Log), o.Observe}
	if o.Tracer != nil {
		all = append(all, middleware.EndTrace)
	}
	return all
}

// whileFit responds 503 if this program does not support the database's schema. A newer server may
// be able to handle the request.
func whileFit(fit func(ctx context.Context) error, render middleware.Renderer) middleware.Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := fit(r.Context()); err != nil {
				middleware.From(r.Context()).Error = err
				e := domain.NewUnavailable(err)
				w.Header().Set("Retry-After", e.RetryAfter())
				w.Header().Set("Cache-Control", "no-store")
				render(w, r, http.StatusServiceUnavailable, e.Message)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// withoutCookies removes the cookies of requests.
func withoutCookies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Cookie")
		next.ServeHTTP(w, r)
	})
}

// readSomewhere lets handlers choose with Reading where a request reads.
func readSomewhere(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		middleware.From(r.Context()).Scope.Reads = new(reads.Request)
		next.ServeHTTP(w, r)
	})
}

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

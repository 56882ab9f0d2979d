package middleware

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/gzhttp"
	"github.com/rs/cors"
)

// Shared by all responses; see SecureHeaders.
var (
	cachePublic  = []string{"max-age=300, public"}
	cachePrivate = []string{"private, no-cache"}
	cacheNever   = []string{"no-store"}
	varyUsual    = []string{"Authorization, Accept-Encoding"}
)

// CacheHeaders sets Cache-Control and Vary on every response (behaviour.md section 1). Responses to
// GET and HEAD with 200, 206 or 304 may be cached: by shared caches if the request has no
// Authorization header, otherwise only by the client, with revalidation. All others are no-store. A
// handler's own Cache-Control is kept, except on errors.
func CacheHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hook := &headerHook{ResponseWriter: w}
		hook.before = func(status int) { setCacheHeaders(w.Header(), r, status) }
		next.ServeHTTP(hook, r)
		hook.ensure()
	})
}

func setCacheHeaders(h http.Header, r *http.Request, status int) {
	addVary(h)
	if h.Get("Cache-Control") == "" || status >= http.StatusBadRequest {
		h["Cache-Control"] = cachePolicy(r, status)
	}
}

func cachePolicy(r *http.Request, status int) []string {
	kept := status == http.StatusOK || status == http.StatusPartialContent || status == http.StatusNotModified
	switch {
	case !kept || !isRead(r.Method):
		return cacheNever
	case r.Header.Get("Authorization") != "":
		return cachePrivate
	default:
		return cachePublic
	}
}

// addVary merges all Vary values into one line without duplicates, and adds the two fields that
// every response depends on.
func addVary(h http.Header) {
	fields := []string{"Authorization", "Accept-Encoding"}
	for _, line := range h.Values("Vary") {
		for field := range strings.SplitSeq(line, ",") {
			field = strings.TrimSpace(field)
			if field != "" && !containsFold(fields, field) {
				fields = append(fields, field)
			}
		}
	}
	if len(fields) == 2 {
		h["Vary"] = varyUsual
		return
	}
	h.Set("Vary", strings.Join(fields, ", "))
}

func containsFold(list []string, s string) bool {
	for _, item := range list {
		if strings.EqualFold(item, s) {
			return true
		}
	}
	return false
}

// Constant header values are shared by all responses. Header.Set would allocate a slice for each, a
// tenth of all allocations of reading a block. Header.Add cannot modify them because their capacity
// is used up.
var (
	nosniff    = []string{"nosniff"}
	noReferrer = []string{"no-referrer"}
	cspNone    = []string{"default-src 'none'; frame-ancestors 'none'"}
)

// SecureHeaders marks API responses as data that browsers must not sniff, frame, run, or send as a
// referrer. The website's pages have their own policy.
func SecureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h["X-Content-Type-Options"] = nosniff
		h["Referrer-Policy"] = noReferrer
		h["Content-Security-Policy"] = cspNone
		next.ServeHTTP(w, r)
	})
}

// preflightSeconds is how long a browser may cache a preflight. Browsers limit it to their own
// maximum.
const preflightSeconds = 86400

var anyOrigin = []string{"*"}

var exposedHeaders = []string{strings.Join([]string{
	"ETag", "Idempotent-Replayed", "Link", "Location", "Retry-After", "X-Request-Id",
	"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
	"X-RateLimit-Tier", "X-RateLimit-Window",
}, ", ")}

// CORS allows web pages of any origin to use the API (behaviour.md section 1): every method, any
// request header, no credentials, because tokens are sent in Authorization. It answers preflights
// with 204.
//
// The headers are sent whether or not the request has an Origin. So a response in a shared cache
// can be used for everyone, and Vary need not contain Origin.
func CORS(next http.Handler) http.Handler {
	preflight := cors.New(cors.Options{
		AllowedOrigins: []string{"*"},
		AllowedMethods: []string{
			http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut,
			http.MethodPatch, http.MethodDelete, http.MethodOptions,
		},
		AllowedHeaders: []string{"*"},
		MaxAge:         preflightSeconds,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isPreflight(r) {
			preflight.HandlerFunc(w, r)
			return
		}
		h := w.Header()
		h["Access-Control-Allow-Origin"] = anyOrigin
		h["Access-Control-Expose-Headers"] = exposedHeaders
		next.ServeHTTP(w, r)
	})
}

func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
}

// PreflightLimits adds the rate limit headers of a guest to preflights but does not count them,
// because browsers send them on their own before many requests.
func PreflightLimits(l *Limiter, now func() time.Time, tier string) Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if isPreflight(r) {
				l.Peek(now(), GuestKey(From(r.Context()).ClientIP), tier).WriteHeaders(w.Header())
			}
			next.ServeHTTP(w, r)
		})
	}
}

const (
	codingGzip = "gzip"
	codingZstd = "zstd"
)

// Compress encodes text responses of at least 1 KiB as zstd or gzip, whichever has the higher
// weight in Accept-Encoding; zstd wins a tie. Entity tags are weak, so they are the same for all
// encodings. The request's Accept-Encoding is replaced by the chosen coding because gzhttp supports
// neither "*" nor a preference for identity.
func Compress(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(
		gzhttp.MinSize(1024),
		gzhttp.ContentTypeFilter(compressible),
	)
	if err != nil {
		panic(err) // the options above are constants
	}
	encoded := wrap(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if lines := r.Header.Values("Accept-Encoding"); len(lines) > 0 {
			r.Header.Set("Accept-Encoding", negotiate(lines))
		}
		encoded(w, r)
	})
}

// compressible reports whether a media type is worth compressing. It lists the compressible types
// because the list of already compressed ones would never be complete.
func compressible(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	switch media {
	case "application/json", "application/yaml", "application/javascript", "application/xml",
		"application/wasm", "application/x-ndjson", "font/ttf", "font/otf":
		return true
	}
	return strings.HasPrefix(media, "text/") ||
		strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml")
}

// negotiate picks zstd, gzip or identity from Accept-Encoding (RFC 9110 §12.5.3). It picks identity
// only if that has a higher explicit weight.
func negotiate(lines []string) string {
	weights := map[string]float64{}
	for _, line := range lines {
		for element := range strings.SplitSeq(line, ",") {
			switch name, q := parseWeight(element); name {
			case codingZstd, codingGzip, "identity", "*":
				weights[name] = q
			case "x-gzip": // RFC 9110 §8.4.1.3
				weights[codingGzip] = q
			}
		}
	}
	weight := func(coding string) float64 {
		if q, named := weights[coding]; named {
			return q
		}
		return weights["*"]
	}
	best, q := codingZstd, weight(codingZstd)
	if g := weight(codingGzip); g > q {
		best, q = codingGzip, g
	}
	if q == 0 || weights["identity"] > q {
		return "identity"
	}
	return best
}

// parseWeight parses "name;q=0.5". The weight is 1 without q, and 0 if q is not a number from 0 to
// 1.
func parseWeight(element string) (name string, q float64) {
	name, params, _ := strings.Cut(element, ";")
	name = strings.ToLower(strings.TrimSpace(name))
	for param := range strings.SplitSeq(params, ";") {
		key, value, found := strings.Cut(strings.TrimSpace(param), "=")
		if !found || !strings.EqualFold(key, "q") {
			continue
		}
		q, err := strconv.ParseFloat(value, 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return name, 0
		}
		return name, q
	}
	return name, 1
}

// Head handles HEAD with the GET handler and drops the body, so that the status and all headers
// equal those of GET. It is outside Compress because the Content-Length of a HEAD response must be
// that of the GET response (RFC 9110 §8.6).
func Head(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		From(r.Context()).HeadOnly = true
		get := r.WithContext(r.Context()) // a copy: the caller's request stays HEAD
		get.Method = http.MethodGet
		next.ServeHTTP(bodiless{w}, get)
	})
}

// bodiless drops the body.
type bodiless struct{ http.ResponseWriter }

func (w bodiless) Write(p []byte) (int, error) { return len(p), nil }

func (w bodiless) Flush() { flush(w.ResponseWriter) }

// Unwrap supports http.ResponseController.
func (w bodiless) Unwrap() http.ResponseWriter { return w.ResponseWriter }

const (
	// maxBuffered limits the size of a body that is buffered to compute its tag. Larger bodies are
	// streamed without a tag, unless the handler set one.
	maxBuffered = 4 << 20
	// maxWaited limits the size of a body that is buffered although its tag and length are known,
	// so that a failure in the middle still results in a 500.
	maxWaited = 256 << 10
	// maxPooled keeps rare large buffers out of the pool.
	maxPooled = 1 << 20
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Conditional adds an ETag and a Content-Length to 200 responses to GET and HEAD, and responds 304
// if If-None-Match matches. The tag is the one passed to Exchange.NotModified, else the handler's
// ETag header, else a hash of the body. A large body is not buffered if the handler set a tag and
// the length. Flush ends the buffering.
func Conditional(next http.Handler) http.Handler { return conditional(next, maxBuffered) }

func conditional(next http.Handler, maxBody int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isRead(r.Method) {
			next.ServeHTTP(w, r)
			return
		}
		body := buffers.Get().(*bytes.Buffer)
		body.Reset()
		t := &tagWriter{ResponseWriter: w, r: r, x: From(r.Context()), body: body, maxBody: maxBody}
		next.ServeHTTP(t, r) // after a panic the buffer is garbage collected
		if t.state == buffering {
			t.send(true)
		}
		if body.Cap() <= maxPooled {
			buffers.Put(body)
		}
	})
}

type tagState int

const (
	buffering  tagState = iota
	passing             // the header was sent, the body is streamed
	discarding          // 304 was sent, the body is dropped
)

type tagWriter struct {
	http.ResponseWriter
	r       *http.Request
	x       *Exchange
	body    *bytes.Buffer
	maxBody int  // maximum size of the buffered body
	ok      bool // the handler sent status 200
	state   tagState
}

func (t *tagWriter) WriteHeader(status int) {
	switch {
	case t.state == buffering && status == http.StatusOK:
		t.ok = true
	case t.state == buffering && !t.ok && status > http.StatusOK:
		t.state = passing
		t.ResponseWriter.WriteHeader(status)
	case status < http.StatusOK:
		t.ResponseWriter.WriteHeader(status)
	}
}

func (t *tagWriter) Write(p []byte) (int, error) {
	if t.state == buffering {
		t.ok = true
		if !t.announced(len(p)) && t.body.Len()+len(p) <= t.maxBody {
			return t.body.Write(p)
		}
		t.send(false)
	}
	if t.state == discarding {
		return len(p), nil
	}
	return t.ResponseWriter.Write(p)
}

// announced reports whether a body need not be buffered further, given its first n bytes: the
// handler set a tag and Content-Length, and the body is complete or too large to wait for.
func (t *tagWriter) announced(n int) bool {
	h := t.Header()
	size, err := strconv.Atoi(h.Get("Content-Length"))
	return err == nil && (t.Tagged() || h.Get("ETag") != "") && (size == n || size > maxWaited)
}

// Tagged implements wire.Tagger: the handler has passed a tag to Exchange.NotModified.
func (t *tagWriter) Tagged() bool { return t.x.ETag != "" }

func (t *tagWriter) Flush() {
	if t.state == buffering {
		t.send(false)
	}
	if t.state == passing {
		flush(t.ResponseWriter)
	}
}

// Unwrap supports http.ResponseController.
func (t *tagWriter) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// send ends the buffering. It sends 304, or the header and the buffered body.
func (t *tagWriter) send(complete bool) {
	h, x := t.Header(), t.x
	tag := cmp.Or(x.ETag, h.Get("ETag"))
	if tag == "" && complete {
		tag = bodyTag(t.body.Bytes())
	}
	if tag != "" {
		if h.Get("ETag") != tag {
			h.Set("ETag", tag)
		}
		if strings.HasPrefix(x.ETag, `"`) {
			h.Set(gzhttp.HeaderNoCompression, "1") // a strong tag is that of one encoding
		}
		if x.NotModified(tag) {
			t.state = discarding
			WriteNotModified(t.ResponseWriter, t.r)
			return
		}
	}
	if complete {
		h.Set("Content-Length", strconv.Itoa(t.body.Len()))
	}
	t.state = passing
	t.ResponseWriter.WriteHeader(http.StatusOK)
	if t.body.Len() > 0 { // gzhttp treats an empty write as the end of the body
		_, _ = t.ResponseWriter.Write(t.body.Bytes()) // fails only if the client is gone
	}
}

// WriteNotModified responds 304 with the tag that was passed to Exchange.NotModified. It removes
// the headers that describe a body and keeps all others, such as rate limits.
func WriteNotModified(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if etag := From(r.Context()).ETag; etag != "" {
		h.Set("ETag", etag)
	}
	h.Del("Content-Type")
	h.Del("Content-Length")
	w.WriteHeader(http.StatusNotModified)
}

// bodyTag returns a weak entity tag of a body: W/"<16 hex digits of its xxHash64>".
func bodyTag(body []byte) string {
	return fmt.Sprintf(`W/"%016x"`, xxhash.Sum64(body))
}

// matchETag reports whether one of the If-None-Match lines matches etag by weak comparison (RFC
// 9110 §8.8.3.2).
func matchETag(lines []string, etag string) bool {
	want := strings.TrimPrefix(etag, "W/")
	return anyTag(lines, func(tag string, _ bool) bool { return tag == want })
}

// MatchStrong reports whether one of the tags in If-Match lines is strong and match accepts it, without its quotes, or
// whether there is a `*` (RFC 9110 §13.1.1).
func MatchStrong(lines []string, match func(tag string) bool) bool {
	return anyTag(lines, func(tag string, weak bool) bool { return !weak && match(tag[1:len(tag)-1]) })
}

// anyTag reports whether match accepts one of the tags in lines, with its quotes but without W/, or whether there is a `*`.
// It scans the lists instead of splitting them because a tag may contain commas. It skips malformed tags.
func anyTag(lines []string, match func(tag string, weak bool) bool) bool {
	for _, rest := range lines {
		for rest != "" {
			rest = strings.TrimLeft(rest, " \t,")
			if strings.TrimRight(rest, " \t,") == "*" {
				return true
			}
			weak := strings.HasPrefix(rest, "W/")
			var tag string
			if tag, rest = cutTag(rest); tag != "" && match(tag, weak) {
				return true
			}
		}
	}
	return false
}

// cutTag splits off the first element of a list. The tag includes its quotes but not W/, and is
// empty if the element is malformed.
func cutTag(list string) (tag, rest string) {
	quoted := strings.TrimPrefix(list, "W/")
	if strings.HasPrefix(quoted, `"`) {
		if end := strings.IndexByte(quoted[1:], '"'); end >= 0 {
			return quoted[:end+2], quoted[end+2:]
		}
	}
	_, rest, _ = strings.Cut(list, ",")
	return "", rest
}

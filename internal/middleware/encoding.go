package middleware

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

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

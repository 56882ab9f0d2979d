package middleware

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// WriteNotModified answers 304 with the tag that Exchange.NotModified recorded.
// There is no body and nothing that describes one; header fields set before,
// such as rate limits, are kept.
func WriteNotModified(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if etag := From(r.Context()).ETag; etag != "" {
		h.Set("ETag", etag)
	}
	h.Del("Content-Type")
	h.Del("Content-Length")
	w.WriteHeader(http.StatusNotModified)
}

// bodyTag is a weak entity tag of a body: W/"<16 hex digits of its xxHash64>".
func bodyTag(body []byte) string {
	return fmt.Sprintf(`W/"%016x"`, xxhash.Sum64(body))
}

// matchETag reports whether one of the If-None-Match lines matches etag by weak
// comparison (RFC 9110 §8.8.3.2). A tag may contain commas, so the lists are
// scanned rather than split. Elements that are no entity tag are skipped.
func matchETag(lines []string, etag string) bool {
	want := strings.TrimPrefix(etag, "W/")
	for _, rest := range lines {
		for rest != "" {
			rest = strings.TrimLeft(rest, " \t,")
			if strings.TrimRight(rest, " \t,") == "*" {
				return true
			}
			var tag string
			tag, rest = cutTag(rest)
			if tag != "" && tag == want {
				return true
			}
		}
	}
	return false
}

// cutTag takes one element off a list: its quoted part, quotes included, or ""
// if it is malformed, and what follows it.
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

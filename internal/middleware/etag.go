package middleware

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/cespare/xxhash/v2"
)

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
// 9110 §8.8.3.2). It scans the lists instead of splitting them because a tag may contain commas. It
// skips malformed tags.
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

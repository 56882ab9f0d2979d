package middleware

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
)

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
// ETag header, else a hash of the body. A large body is not buffered if the handler set both
// headers. Flush ends the buffering.
func Conditional(next http.Handler) http.Handler { return conditional(next, maxBuffered) }

func conditional(next http.Handler, maxBody int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isRead(r.Method) {
			next.ServeHTTP(w, r)
			return
		}
		body := buffers.Get().(*bytes.Buffer)
		body.Reset()
		t := &tagWriter{ResponseWriter: w, r: r, body: body, maxBody: maxBody}
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
// handler set ETag and Content-Length, and the body is complete or too large to wait for.
func (t *tagWriter) announced(n int) bool {
	h := t.Header()
	size, err := strconv.Atoi(h.Get("Content-Length"))
	return err == nil && h.Get("ETag") != "" && (size == n || size > maxWaited)
}

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
	h, x := t.Header(), From(t.r.Context())
	tag := cmp.Or(x.ETag, h.Get("ETag"))
	if tag == "" && complete {
		tag = bodyTag(t.body.Bytes())
	}
	if tag != "" {
		if h.Get("ETag") != tag {
			h.Set("ETag", tag)
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

package middleware

import (
	"bytes"
	"cmp"
	"net/http"
	"strconv"
	"sync"
)

const (
	// maxBuffered is how much of a body is held back to compute its tag. A
	// larger one is streamed and has no tag, unless its handler gave one, as what
	// encodes lists does.
	maxBuffered = 4 << 20
	// maxWaited is how much of a body whose tag and length are known is held back
	// all the same, so that a failure in the middle of it is still answered by 500.
	maxWaited = 256 << 10
	// maxPooled keeps rare large bodies from staying in memory for ever.
	maxPooled = 1 << 20
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Conditional gives 200 responses to GET and HEAD an ETag and a Content-Length,
// and turns them into 304 where If-None-Match matches. The tag is what
// Exchange.NotModified recorded, or the handler's own header, or computed from
// the body. A large body whose handler announces both fields is not held back.
// Flushing ends the buffering.
func Conditional(next http.Handler) http.Handler { return conditional(next, maxBuffered) }

func conditional(next http.Handler, most int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isRead(r.Method) {
			next.ServeHTTP(w, r)
			return
		}
		body := buffers.Get().(*bytes.Buffer)
		body.Reset()
		t := &tagWriter{ResponseWriter: w, r: r, body: body, most: most}
		next.ServeHTTP(t, r) // a panic leaves the buffer to the garbage collector
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
	passing             // the header is out, the body follows as it comes
	discarding          // 304 is out, the body is not wanted
)

type tagWriter struct {
	http.ResponseWriter
	r     *http.Request
	body  *bytes.Buffer
	most  int  // that body may hold
	ok    bool // the handler has said 200
	state tagState
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
		if !t.announced(len(p)) && t.body.Len()+len(p) <= t.most {
			return t.body.Write(p)
		}
		t.send(false)
	}
	if t.state == discarding {
		return len(p), nil
	}
	return t.ResponseWriter.Write(p)
}

// announced reports whether nothing has to be learnt from a body that begins with n
// bytes, and it is all there, or too large to wait for the rest of it.
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

// Unwrap serves http.ResponseController.
func (t *tagWriter) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// send ends the buffering: by 304, or by the header and what was held back.
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
	if t.body.Len() > 0 { // compression takes an empty write for the whole body
		_, _ = t.ResponseWriter.Write(t.body.Bytes()) // the client has gone; nothing to do
	}
}

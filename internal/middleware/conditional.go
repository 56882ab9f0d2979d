package middleware

import (
	"bytes"
	"net/http"
	"strconv"
	"sync"
)

const (
	// maxBuffered is how much of a body is held back to compute its tag. A
	// larger one is streamed and has no tag, unless its handler gave one. Lists
	// of the largest blocks are some megabytes, and must have one (V3.md section 1);
	// their encoder holds them whole as well.
	maxBuffered = 64 << 20
	// maxPooled keeps rare large bodies from staying in memory for ever.
	maxPooled = 1 << 20
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Conditional gives 200 responses to GET and HEAD an ETag and a Content-Length,
// and turns them into 304 where If-None-Match matches. The tag is the handler's
// own header, else what Exchange.NotModified recorded, else computed from the
// body. Flushing ends the buffering.
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
		if t.body.Len()+len(p) <= t.most {
			return t.body.Write(p)
		}
		t.send(false)
	}
	if t.state == discarding {
		return len(p), nil
	}
	return t.ResponseWriter.Write(p)
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
	tag := h.Get("ETag")
	if tag == "" {
		tag = x.ETag
	}
	if tag == "" && complete {
		tag = bodyTag(t.body.Bytes())
	}
	if tag != "" {
		h.Set("ETag", tag)
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
	_, _ = t.ResponseWriter.Write(t.body.Bytes()) // the client has gone; nothing to do
}

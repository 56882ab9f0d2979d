package middleware

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

func TestConditionalTagsAndRevalidates(t *testing.T) {
	t.Parallel()
	h := Conditional(text("hello"))
	first := serve(h, get())
	tag := first.Header().Get("ETag")
	if first.Code != 200 || first.Body.String() != "hello" || tag != bodyTag([]byte("hello")) {
		t.Fatalf("first answer = %d %q with tag %s", first.Code, first.Body, tag)
	}
	wantHeader(t, first.Header(), "Content-Length", "5")

	second := serve(h, get("If-None-Match", `"other", `+tag))
	if second.Code != http.StatusNotModified || second.Body.Len() != 0 {
		t.Errorf("second answer = %d, %d bytes; want 304, none", second.Code, second.Body.Len())
	}
	wantHeader(t, second.Header(), "ETag", tag)
	wantHeader(t, second.Header(), "Content-Type", "")
	wantHeader(t, second.Header(), "Content-Length", "")

	if third := serve(Conditional(text("hello!")), get("If-None-Match", tag)); third.Code != 200 {
		t.Errorf("a changed body answered %d", third.Code)
	}
}

func TestConditionalWhichTag(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"recorded before the header": {func(w http.ResponseWriter, r *http.Request) {
			From(r.Context()).NotModified(`W/"row"`)
			w.Header().Set("ETag", `W/"body"`)
		}, `W/"row"`},
		"announced": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("ETag", `"mine"`) }, `"mine"`},
		"recorded":  {func(_ http.ResponseWriter, r *http.Request) { From(r.Context()).NotModified(`W/"row"`) }, `W/"row"`},
		"error": {func(w http.ResponseWriter, r *http.Request) {
			From(r.Context()).NotModified(`W/"row"`)
			w.WriteHeader(http.StatusNotFound)
			w.WriteHeader(http.StatusOK)
		}, ""},
		"created":  {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusCreated) }, ""},
		"computed": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }, bodyTag(nil)},
		"after hints": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			_, _ = io.WriteString(w, "x")
		}, bodyTag([]byte("x"))},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantHeader(t, serve(Conditional(tt.handler), get()).Header(), "ETag", tt.want)
		})
	}
}

func TestConditionalLeavesWritesAlone(t *testing.T) {
	t.Parallel()
	w := serve(Conditional(text("done")), request(http.MethodPost, "If-None-Match", "*"))
	if w.Code != 200 || w.Body.String() != "done" {
		t.Errorf("answer = %d %q", w.Code, w.Body)
	}
	wantHeader(t, w.Header(), "ETag", "")
}

func TestConditionalStreamsLargeBodies(t *testing.T) {
	t.Parallel()
	chunk := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // 1 MiB
	write := func(chunks int, tag string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if tag != "" {
				From(r.Context()).NotModified(tag)
			}
			for range chunks {
				_, _ = w.Write(chunk)
			}
		})
	}
	tests := map[string]struct {
		chunks        int
		given, tagged string
		length        string
	}{
		"at the limit":     {4, "", bodyTag(bytes.Repeat(chunk, 4)), strconv.Itoa(4 << 20)},
		"over":             {6, "", "", ""},
		"over, known tag":  {6, `W/"row"`, `W/"row"`, ""},
		"under, known tag": {1, `W/"row"`, `W/"row"`, strconv.Itoa(1 << 20)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := conditional(write(tt.chunks, tt.given), 4*len(chunk))
			w := serve(h, get())
			wantHeader(t, w.Header(), "ETag", tt.tagged)
			wantHeader(t, w.Header(), "Content-Length", tt.length)
			if !bytes.Equal(w.Body.Bytes(), bytes.Repeat(chunk, tt.chunks)) {
				t.Errorf("body of %d bytes is not what was written", w.Body.Len())
			}
			if tt.tagged != "" {
				if w := serve(h, get("If-None-Match", tt.tagged)); w.Code != 304 || w.Body.Len() != 0 {
					t.Errorf("revalidation = %d, %d bytes", w.Code, w.Body.Len())
				}
			}
		})
	}
}

func TestConditionalFlushStreams(t *testing.T) {
	t.Parallel()
	w := serve(Conditional(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "one,")
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Errorf("flush: %v", err)
		}
		_, _ = io.WriteString(w, "two")
	})), get())
	if !w.Flushed || w.Body.String() != "one,two" {
		t.Errorf("flushed = %v, body = %q", w.Flushed, w.Body)
	}
	wantHeader(t, w.Header(), "ETag", "")
}

func TestConditionalBuffersAreNotShared(t *testing.T) {
	t.Parallel()
	for _, body := range []string{strings.Repeat("x", 100), "y", ""} {
		if got := serve(Conditional(text(body)), get()).Body.String(); got != body {
			t.Errorf("body = %q, want %q", got, body)
		}
	}
}

func TestMatchETag(t *testing.T) {
	t.Parallel()
	tests := []struct {
		header string
		etag   string
		want   bool
	}{
		{`"a"`, `"a"`, true},
		{`"a"`, `W/"a"`, true},
		{`W/"a"`, `"a"`, true},
		{`W/"a"`, `W/"a"`, true},
		{`"b"`, `"a"`, false},
		{`"A"`, `"a"`, false},
		{`"aa"`, `"a"`, false},
		{`"x", W/"a"`, `W/"a"`, true},
		{`"x","a"`, `"a"`, true},
		{`"x" , , "a"`, `"a"`, true},
		{`"x,a"`, `"a"`, false},
		{`"x,a", "b"`, `"x,a"`, true},
		{`"x", "a"x`, `"x"`, true},
		{`*`, `"a"`, true},
		{` * `, `"a"`, true},
		{`"*"`, `"a"`, false},
		{`a`, `"a"`, false},
		{`a, "a"`, `"a"`, true},
		{`w/"a"`, `W/"a"`, false},
		{`"a`, `"a"`, false},
		{`W/`, `""`, false},
		{`""`, `""`, true},
		{`,`, `"a"`, false},
		{`"a"`, ``, false},
	}
	for _, tt := range tests {
		if got := matchETag([]string{tt.header}, tt.etag); got != tt.want {
			t.Errorf("matchETag(%s, %s) = %v, want %v", tt.header, tt.etag, got, tt.want)
		}
	}
	if !matchETag([]string{`"x"`, `"a"`}, `"a"`) {
		t.Error("the second header line was not read")
	}
	if matchETag(nil, `"a"`) {
		t.Error("no header line matched")
	}
}

func FuzzMatchETag(f *testing.F) {
	for _, seed := range []string{`W/"a", "b,c"`, `*`, `"`, `W/W/""`, ", \t,"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if !matchETag([]string{header, `"needle"`}, `"needle"`) {
			t.Errorf("a tag on its own line was missed beside %q", header)
		}
	})
}

func TestBodyTag(t *testing.T) {
	t.Parallel()
	// The published xxHash64 of the empty input with seed 0.
	if got := bodyTag(nil); got != `W/"ef46db3751d8e999"` {
		t.Errorf("tag of nothing = %s", got)
	}
	if bodyTag([]byte("a")) == bodyTag([]byte("b")) {
		t.Error("different bodies share a tag")
	}
}

func TestWriteNotModifiedKeepsTheRest(t *testing.T) {
	t.Parallel()
	h := CacheHeaders(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "9")
		w.Header().Set("X-RateLimit-Limit", "30")
		if From(r.Context()).NotModified(`W/"7"`) {
			WriteNotModified(w, r)
		}
	}))
	w := serve(h, get("If-None-Match", `W/"7"`))
	if w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("answer = %d, %d bytes; want 304, none", w.Code, w.Body.Len())
	}
	for name, want := range map[string]string{
		"Content-Type": "", "Content-Length": "", "ETag": `W/"7"`, "X-RateLimit-Limit": "30",
		"Cache-Control": "max-age=300, public", "Vary": "Authorization, Accept-Encoding",
	} {
		wantHeader(t, w.Header(), name, want)
	}
}

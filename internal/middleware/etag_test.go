package middleware

import (
	"net/http"
	"testing"
)

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

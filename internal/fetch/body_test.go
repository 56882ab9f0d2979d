package fetch_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"vitrine/internal/fetch"
)

// packed compresses size zeros.
func packed(t *testing.T, coding string, size int64) []byte {
	t.Helper()
	return pack(t, coding, io.LimitReader(zeros{}, size))
}

// pack compresses the input with several codings in order.
func pack(t *testing.T, codings string, from io.Reader) []byte {
	t.Helper()
	coding, others, more := strings.Cut(codings, ", ")
	var out bytes.Buffer
	var w io.WriteCloser
	var err error
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&out)
	case "zstd":
		w, err = zstd.NewWriter(&out, zstd.WithWindowSize(1<<20))
	case "br":
		w = brotli.NewWriter(&out)
	case "zlib":
		w = zlib.NewWriter(&out)
	case "raw":
		w, err = flate.NewWriter(&out, flate.BestSpeed)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, from); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if more {
		return pack(t, others, &out)
	}
	return out.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// endless writes a part repeatedly until the client disconnects.
func endless(part []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	}
}

// coded adds a Content-Encoding.
func coded(coding string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", coding)
		w.Header().Set("Content-Type", "text/html")
		next(w, r)
	}
}

// repeated adds two headers for codings.
func repeated(first, second string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Encoding"] = []string{first, second}
		next(w, r)
	}
}

func bytesOf(body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }
}

func TestDecompression(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		length  int
		size    int64
	}{
		"plain":    {bytesOf(make([]byte, 2048)), 2048, 2048},
		"identity": {coded("identity", bytesOf(make([]byte, 2048))), 2048, 2048},
		"chunked": {func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			_, _ = w.Write(make([]byte, 2048))
		}, 2048, -1},
		"gzip":             {coded("gzip", bytesOf(packed(t, "gzip", 2048))), 2048, -1},
		"GZIP":             {coded("GZIP", bytesOf(packed(t, "gzip", 2048))), 2048, -1},
		"x-gzip":           {coded("x-gzip", bytesOf(packed(t, "gzip", 2048))), 2048, -1},
		"zstd":             {coded("zstd", bytesOf(packed(t, "zstd", 2048))), 2048, -1},
		"brotli":           {coded("br", bytesOf(packed(t, "br", 2048))), 2048, -1},
		"deflate, zlib":    {coded("deflate", bytesOf(packed(t, "zlib", 2048))), 2048, -1},
		"deflate, raw":     {coded("Deflate", bytesOf(packed(t, "raw", 2048))), 2048, -1},
		"nothing as br":    {coded("br", bytesOf(nil)), 0, -1},
		"gzip in brotli":   {coded("gzip, br", bytesOf(packed(t, "gzip, br", 2048))), 2048, -1},
		"three codings":    {coded("zstd,deflate , identity, gzip", bytesOf(packed(t, "zstd, zlib, gzip", 2048))), 2048, -1},
		"two headers":      {repeated("gzip", "br", bytesOf(packed(t, "gzip, br", 2048))), 2048, -1},
		"utf-8":            {coded("utf-8", bytesOf(make([]byte, 2048))), 2048, 2048},
		"none":             {coded("none", bytesOf(make([]byte, 2048))), 2048, 2048},
		"empty coding":     {coded("", bytesOf(make([]byte, 2048))), 2048, 2048},
		"empty":            {bytesOf(nil), 0, 0},
		"empty gzip":       {coded("gzip", bytesOf(packed(t, "gzip", 0))), 0, -1},
		"nothing as gzip":  {coded("gzip", bytesOf(nil)), 0, -1},
		"nothing as zstd":  {coded("zstd", bytesOf(nil)), 0, -1},
		"no content":       {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) }, 0, 0},
		"two gzip members": {coded("gzip", bytesOf(bytes.Repeat(packed(t, "gzip", 1024), 2))), 2048, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// A body of exactly the limit is accepted.
			resp, text, err := get(t, client(t, fetch.Options{}), fetch.Request{URL: serve(t, test.handler), MaxBytes: int64(test.length)})
			if err != nil || len(text) != test.length || strings.Trim(text, "\x00") != "" {
				t.Fatalf("got %d bytes, %v", len(text), err)
			}
			if resp.Size != test.size {
				t.Errorf("size %d, want %d", resp.Size, test.size)
			}
		})
	}
}

func TestBadBodies(t *testing.T) {
	t.Parallel()
	const large, bad, unknown = "The answer is larger than 1 MiB", "The answer is badly compressed", "The answer is compressed in an unknown way"
	whole := packed(t, "gzip", 2048)
	corrupt := bytes.Clone(whole)
	corrupt[len(corrupt)-6] ^= 1 // in the checksum
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"endless": {endless(make([]byte, 4096)), large},
		"one byte more": {func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			_, _ = w.Write(make([]byte, mib+1))
		}, large},
		"gzip, one byte more":   {coded("gzip", bytesOf(packed(t, "gzip", mib+1))), large},
		"zstd, one byte more":   {coded("zstd", bytesOf(packed(t, "zstd", mib+1))), large},
		"gzip bomb":             {coded("gzip", bytesOf(packed(t, "gzip", 16*mib))), large},
		"zstd bomb":             {coded("zstd", bytesOf(packed(t, "zstd", 16*mib))), large},
		"endless gzip":          {coded("gzip", endless(packed(t, "gzip", 4096))), large},
		"endless empty members": {coded("gzip", endless(packed(t, "gzip", 0))), large},
		"endless zstd skipping": {coded("zstd", endless([]byte("\x50\x2a\x4d\x18\x04\x00\x00\x00skip"))), large},
		"brotli bomb":           {coded("br", bytesOf(packed(t, "br", 16*mib))), large},
		"deflate bomb":          {coded("deflate", bytesOf(packed(t, "zlib", 16*mib))), large},
		"a bomb in a bomb":      {coded("gzip, gzip", bytesOf(packed(t, "gzip, gzip", 16*mib))), large},
		// 80 MiB of empty gzip members, which decompress to nothing.
		"a bomb of nothing":     {coded("gzip, br", bytesOf(pack(t, "br", bytes.NewReader(bytes.Repeat(packed(t, "gzip", 0), 80*mib/23))))), large},
		"four codings":          {coded("gzip, gzip, gzip, gzip", bytesOf(whole)), "The answer is compressed too often"},
		"compress":              {coded("compress", bytesOf(whole)), unknown},
		"no brotli":             {coded("br", bytesOf([]byte("plain text"))), bad},
		"no deflate":            {coded("deflate", bytesOf([]byte("\xff\xff"))), bad},
		"no gzip":               {coded("gzip", bytesOf([]byte("plain text"))), bad},
		"no zstd":               {coded("zstd", bytesOf([]byte("plain text"))), bad},
		"cut gzip":              {coded("gzip", bytesOf(whole[:len(whole)-10])), bad},
		"corrupt gzip":          {coded("gzip", bytesOf(corrupt)), bad},
		"zstd of a huge window": {coded("zstd", bytesOf([]byte("\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00"))), bad}, // empty, 128 MiB: RFC 8878 section 3.1.1.1.2
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := failure(t, client(t, fetch.Options{}), fetch.Request{URL: serve(t, test.handler), MaxBytes: mib})
			if e.Reason != test.want || e.Temporary != errors.Is(e, fetch.ErrCutOff) {
				t.Errorf("got %v", e)
			}
			if errors.Is(e, fetch.ErrTooLarge) != (test.want == large) {
				t.Errorf("%v: too large is %v", e, test.want != large)
			}
		})
	}
}

// A body is not read if its length is too large. If the length is unknown, the bytes up to the
// limit are usable.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/length" {
			w.Header().Set("Content-Length", "1025")
		}
		w.(http.Flusher).Flush()
		_, _ = w.Write(bytes.Repeat([]byte("x"), 1025))
	})
	c := client(t, fetch.Options{})
	for limit, want := range map[int64]string{1024: "1 KiB", 1000: "1000 bytes", 0: "0 bytes", -7: "0 bytes"} {
		if _, err := c.Get(t.Context(), fetch.Request{URL: url + "/length", MaxBytes: limit}); err == nil {
			t.Errorf("%d bytes: no error", limit)
		} else if e := asError(t, err); e.Reason != "The answer is larger than "+want || !errors.Is(e, fetch.ErrTooLarge) {
			t.Errorf("%d bytes: %v", limit, e)
		}
		_, text, err := get(t, c, fetch.Request{URL: url, MaxBytes: limit})
		if int64(len(text)) != max(limit, 0) || !errors.Is(err, fetch.ErrTooLarge) {
			t.Errorf("%d bytes: got %d, %v", limit, len(text), err)
		}
	}
}

// begin sends the start of a body, and calls next for the rest.
func begin(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(1000))
		_, _ = io.WriteString(w, "start")
		w.(http.Flusher).Flush()
		next(w, r)
	}
}

func silent(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func cut(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func TestSlowServers(t *testing.T) {
	t.Parallel()
	short := 50 * time.Millisecond
	half := packed(t, "gzip", 2048)[:15]
	const slow, stopped = "The server took too long", "The server stopped answering"
	trickle := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, ".")
			w.(http.Flusher).Flush()
		}
	}
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		options fetch.Options
		want    string
	}{
		"silent from the start":   {silent, fetch.Options{Idle: short}, slow},
		"silent for all the time": {silent, fetch.Options{Timeout: short}, slow},
		"silent in the body":      {begin(silent), fetch.Options{Idle: short}, stopped},
		"silent in gzip": {coded("gzip", func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write(half)
			w.(http.Flusher).Flush()
			silent(w, r)
		}), fetch.Options{Idle: short}, stopped},
		"silent in the gzip's head": {coded("gzip", func(w http.ResponseWriter, r *http.Request) { w.(http.Flusher).Flush(); silent(w, r) }), fetch.Options{Idle: short}, stopped},
		"body for all the time":     {begin(silent), fetch.Options{Timeout: short}, slow},
		"always a little":           {trickle, fetch.Options{Timeout: short}, slow},
		"cut":                       {begin(cut), fetch.Options{}, "The server's answer could not be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := failure(t, client(t, test.options), fetch.Request{URL: serve(t, test.handler), MaxBytes: math.MaxInt64})
			if e.Reason != test.want || !e.Temporary {
				t.Errorf("got %v", e)
			}
		})
	}
}

// A reader may take longer than a server may be silent.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	url := serve(t, begin(func(w http.ResponseWriter, r *http.Request) {
		<-release
		_, _ = w.Write(make([]byte, 995))
	}))
	idle := 50 * time.Millisecond
	resp, err := client(t, fetch.Options{Idle: idle}).Get(t.Context(), fetch.Request{URL: url, MaxBytes: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	<-time.After(2 * idle) // there is no event to wait for: the timer must not run
	close(release)
	if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) != 995 {
		t.Errorf("got %d bytes, %v", len(rest), err)
	}
}

func TestCallerStops(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{"before the answer": silent, "in the body": begin(silent)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				time.AfterFunc(time.Millisecond, cancel)
				handler(w, r)
			})
			resp, err := client(t, fetch.Options{}).Get(ctx, fetch.Request{URL: url, MaxBytes: mib})
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				_ = resp.Body.Close()
			}
			if e := asError(t, err); e.Reason != "The fetch was stopped" || !e.Temporary || !errors.Is(e, context.Canceled) {
				t.Errorf("got %v", e)
			}
		})
	}
}

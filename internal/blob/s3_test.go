package blob_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/blob"
)

func TestS3Sweep(t *testing.T) {
	t.Parallel()
	o := s3Options(t)
	store, core := openS3(t, o), s3Core(t, o)
	put(t, store, "kept", "x")
	begin := func(key string) string {
		id, err := core.NewMultipartUpload(t.Context(), o.Bucket, key, minioPut)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	begin(o.Prefix + "/a/unfinished")
	neighbour := begin(o.Prefix + "x/unfinished") // with another prefix
	if err := store.Sweep(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(objects(t, o)); got != "[kept unfinished a/unfinished]" {
		t.Errorf("what is new was swept: there is %s", got)
	}
	if err := store.Sweep(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(objects(t, o)); got != "[kept]" {
		t.Errorf("there is %s", got)
	}
	if err := core.AbortMultipartUpload(t.Context(), o.Bucket, o.Prefix+"x/unfinished", neighbour); err != nil {
		t.Errorf("the neighbour's upload: %v", err)
	}
}

func TestS3CheckFails(t *testing.T) {
	t.Parallel()
	good := s3Options(t)
	for name, c := range map[string]struct {
		spoil     func(o *blob.S3Options)
		want      string
		temporary bool
	}{
		"no bucket":  {func(o *blob.S3Options) { o.Bucket = "no-such-bucket" }, "does not exist", false},
		"secret key": {func(o *blob.S3Options) { o.SecretKey = "wrong" }, "signature", false},
		"access key": {func(o *blob.S3Options) { o.AccessKey = "wrong" }, "access key", false},
		"no server":  {func(o *blob.S3Options) { o.Endpoint = "http://127.0.0.1:1" }, "refused", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := good
			c.spoil(&o)
			err := openS3(t, o).Check(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), o.Bucket) || blob.Temporary(err) != c.temporary {
				t.Errorf("check: %v", err)
			}
		})
	}
}

// s3Answering returns a store on a test server with a handler.
func s3Answering(t *testing.T, answer http.HandlerFunc) *blob.S3 {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return openS3(t, blob.S3Options{
		Bucket: "media", Endpoint: server.URL, Region: "us-east-1", AccessKey: "key", SecretKey: "secret",
	})
}

// The observer sees each request to S3, including retries.
func TestS3Watched(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	var seen atomic.Int64
	store := openS3(t, blob.S3Options{Bucket: "media", Endpoint: server.URL, Region: "us-east-1", AccessKey: "key", SecretKey: "secret",
		Watch: func(next http.RoundTripper) http.RoundTripper {
			return roundTrip(func(r *http.Request) (*http.Response, error) {
				seen.Add(1)
				return next.RoundTrip(r)
			})
		}})
	if _, err := store.Stat(t.Context(), "a"); !blob.Temporary(err) {
		t.Errorf("got %v", err)
	}
	if seen.Load() < 2 {
		t.Errorf("%d requests were seen", seen.Load())
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestS3IsDown(t *testing.T) {
	t.Parallel()
	store := s3Answering(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	staged := receive(t, "x")
	for name, call := range map[string]func() error{
		"open":   func() error { _, err := store.Open(t.Context(), "a"); return err },
		"stat":   func() error { _, err := store.Stat(t.Context(), "a"); return err },
		"delete": func() error { return store.Delete(t.Context(), "a") },
		"put":    func() error { return store.Put(t.Context(), "a", stream{strings.NewReader("x")}, 1, "") },
		"staged": func() error { return store.PutStaged(t.Context(), "a", staged, "") },
		"check":  func() error { return store.Check(t.Context()) },
		"sweep":  func() error { return store.Sweep(t.Context(), time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := call(); !blob.Temporary(err) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A short outage is hidden if the content can be sent again.
func TestS3Retries(t *testing.T) {
	t.Parallel()
	requests, got := 0, 0
	store := s3Answering(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if requests++; requests < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		got = strings.Count(string(body), "hello")
	})
	if err := store.PutStaged(t.Context(), "a", receive(t, "hello"), ""); err != nil || requests != 3 || got != 1 {
		t.Errorf("%d requests, the last of them with %d contents: %v", requests, got, err)
	}
}

// head writes the headers that minio requires of an object.
func head(w http.ResponseWriter) {
	w.Header().Set("ETag", `"tag"`)
	w.Header().Set("Last-Modified", time.Unix(0, 0).UTC().Format(http.TimeFormat))
}

// A response with another range than the requested one is rejected.
func TestS3SendsAnotherRange(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{"", "bytes 0-9/10", "bytes 2-9/11"} {
		store := s3Answering(t, func(w http.ResponseWriter, r *http.Request) {
			head(w)
			if sent != "" && r.Method == http.MethodGet {
				w.Header().Set("Content-Range", sent)
			}
			_, _ = io.WriteString(w, "0123456789")
		})
		f, err := store.Open(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Seek(2, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if n, err := f.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Errorf("%q: %d bytes, %v", sent, n, err)
		}
	}
}

// An interrupted download is a temporary error, and the next read resumes it.
func TestS3ReadBreaksOff(t *testing.T) {
	t.Parallel()
	content := "0123456789"
	var ranges []string
	store := s3Answering(t, func(w http.ResponseWriter, r *http.Request) {
		head(w)
		if r.Method == http.MethodHead {
			w.Header().Set("Content-Length", fmt.Sprint(len(content)))
			return
		}
		ranges = append(ranges, r.Header.Get("Range")+" "+r.Header.Get("If-Match"))
		var first, last int
		_, _ = fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &first, &last)
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, last, len(content)))
		w.Header().Set("Content-Length", fmt.Sprint(last+1-first))
		w.WriteHeader(http.StatusPartialContent)
		_, _ = io.WriteString(w, content[first:min(first+4, last+1)])
	})
	f, err := store.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var got strings.Builder
	for range 2 {
		part, err := io.ReadAll(f)
		got.Write(part)
		if !blob.Temporary(err) {
			t.Errorf("after %q: %v", got.String(), err)
		}
	}
	if n, err := f.ReadAt(make([]byte, 6), 0); n != 4 || !blob.Temporary(err) {
		t.Errorf("read at: %d, %v", n, err)
	}
	rest, err := io.ReadAll(f)
	got.Write(rest)
	if err != nil || got.String() != content {
		t.Errorf("%q, %v", got.String(), err)
	}
	if want := `[bytes=0-9 "tag" bytes=4-9 "tag" bytes=0-5 "tag" bytes=8-9 "tag"]`; fmt.Sprint(ranges) != want {
		t.Errorf("requests %s, want %s", ranges, want)
	}
}

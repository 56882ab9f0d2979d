package blob_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/blob"
	"vitrine/internal/domain"
)

// against returns a store on a server that is not S3.
func against(t *testing.T, endpoint string, patience time.Duration) *blob.S3 {
	t.Helper()
	pathStyle := true
	s, err := blob.OpenS3(blob.S3Options{Bucket: "bucket", Endpoint: endpoint, Region: "us-east-1", PathStyle: &pathStyle,
		AccessKey: "key", SecretKey: "secret", Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A server that accepts connections but never responds is waited for until the timeout, and after a few
// requests not at all.
func TestS3Frozen(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var conns atomic.Int32
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns.Add(1)
			defer conn.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close() })
	s := against(t, "http://"+l.Addr().String(), 50*time.Millisecond)
	for name, ask := range map[string]func() error{
		"open":   func() error { _, err := s.Open(t.Context(), "a"); return err },
		"stat":   func() error { _, err := s.Stat(t.Context(), "a"); return err },
		"delete": func() error { return s.Delete(t.Context(), "a") },
		"ready":  func() error { return s.Ready(t.Context()) },
		"put":    func() error { return s.Put(t.Context(), "a", strings.NewReader("x"), 1, "text/plain") },
	} {
		if err := ask(); domain.KindOf(err) != domain.Unavailable || !blob.Temporary(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	before := conns.Load()
	for range 100 {
		if _, err := s.Open(t.Context(), "a"); domain.KindOf(err) != domain.Unavailable {
			t.Error(err)
		}
	}
	if after := conns.Load(); after != before {
		t.Errorf("%d more connections were made", after-before)
	}
}

// Nothing listens on the port.
func TestS3Refused(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	s := against(t, "http://"+l.Addr().String(), time.Second)
	if _, err := s.Open(t.Context(), "a"); domain.KindOf(err) != domain.Unavailable || !blob.Temporary(err) {
		t.Errorf("open: %v", err)
	}
}

// The object's headers arrive, but its content does not.
func TestS3FrozenDownload(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"tag"`)
		w.Header().Set("Last-Modified", time.Unix(1, 0).UTC().Format(http.TimeFormat))
		w.Header().Set("Content-Length", "5")
		if r.Method == http.MethodGet {
			<-stop
		}
	}))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(stop) })
	f, err := against(t, s.URL, 50*time.Millisecond).Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.ReadAll(f); domain.KindOf(err) != domain.Unavailable {
		t.Errorf("read: %v", err)
	}
}

// Responses from S3, including rejections, do not open the breaker. Invalid credentials are not reported
// as the client's fault.
func TestS3Refuses(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(s.Close)
	store := against(t, s.URL, time.Second)
	for range 10 {
		_, err := store.Stat(t.Context(), "a")
		if domain.KindOf(err) != domain.Unavailable || blob.Temporary(err) || errors.Is(err, blob.ErrNotFound) {
			t.Errorf("stat: %v", err)
		}
	}
	if n := asked.Load(); n != 10 {
		t.Errorf("it was asked %d times", n)
	}
}

package blob_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/minio/minio-go/v7"

	"vitrine/internal/blob"
)

var minioPut = minio.PutObjectOptions{ContentType: "text/plain"}

func presign(t *testing.T, s blob.Store, name, contentType string) *url.URL {
	t.Helper()
	raw, ok, err := s.PresignPut(t.Context(), name, contentType, time.Hour)
	if err != nil || !ok {
		t.Fatalf("presign: %t, %v", ok, err)
	}
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// send sends a request like a browser, and returns the status and the body.
func send(t *testing.T, method string, u *url.URL, contentType, content string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, u.String(), strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func TestPresignPut(t *testing.T) {
	t.Parallel()
	o := s3Options(t)
	store := openS3(t, o)
	for _, contentType := range []string{"image/png", "text/plain; charset=utf-8"} {
		content := "from a client: " + contentType
		if status, body := send(t, http.MethodPut, presign(t, store, "uploads/a", contentType), contentType, content); status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
		want(t, store, "uploads/a", content)
		if info, err := store.Stat(t.Context(), "uploads/a"); err != nil || info.ContentType != contentType {
			t.Errorf("%+v, %v", info, err)
		}
	}
}

func TestPresignPutRefuses(t *testing.T) {
	t.Parallel()
	o := s3Options(t)
	store := openS3(t, o)
	put(t, store, "other", "as it was")
	for name, c := range map[string]struct {
		method      string
		change      func(u *url.URL)
		contentType string
	}{
		"another type":   {http.MethodPut, func(*url.URL) {}, "text/html"},
		"type with more": {http.MethodPut, func(*url.URL) {}, "image/png; x=y"},
		"no type":        {http.MethodPut, func(*url.URL) {}, ""},
		"another key":    {http.MethodPut, func(u *url.URL) { u.Path = strings.Replace(u.Path, "/a", "/other", 1) }, "image/png"},
		"key below":      {http.MethodPut, func(u *url.URL) { u.Path += "/b" }, "image/png"},
		"get":            {http.MethodGet, func(u *url.URL) { u.Path = strings.Replace(u.Path, "/a", "/other", 1) }, "image/png"},
		"delete":         {http.MethodDelete, func(u *url.URL) { u.Path = strings.Replace(u.Path, "/a", "/other", 1) }, "image/png"},
		"longer": {http.MethodPut, func(u *url.URL) {
			u.RawQuery = strings.Replace(u.RawQuery, "X-Amz-Expires=3600", "X-Amz-Expires=7200", 1)
		}, "image/png"},
		"unsigned": {http.MethodPut, func(u *url.URL) { u.RawQuery = "" }, "image/png"},
		"header no longer signed": {http.MethodPut, func(u *url.URL) {
			u.RawQuery = strings.Replace(u.RawQuery, "content-type%3Bhost", "host", 1)
		}, "text/html"},
	} {
		u := presign(t, store, "a", "image/png")
		before := u.String()
		c.change(u)
		if status, body := send(t, c.method, u, c.contentType, "x"); status != http.StatusForbidden {
			t.Errorf("%s: %s\n%s\n%d %s", name, before, u, status, body)
		}
	}
	want(t, store, "other", "as it was")
	if got := objects(t, o); len(got) != 1 {
		t.Errorf("there is %q", got)
	}
}

// In a synctest bubble the year is 2000.
func TestPresignPutExpires(t *testing.T) {
	t.Parallel()
	o := s3Options(t)
	store := openS3(t, o)
	var u *url.URL
	synctest.Test(t, func(t *testing.T) { u = presign(t, store, "a", "image/png") })
	status, body := send(t, http.MethodPut, u, "image/png", "x")
	if status != http.StatusForbidden || !strings.Contains(body, "expired") {
		t.Errorf("%d %s", status, body)
	}
	if got := objects(t, o); got != nil {
		t.Errorf("there is %q", got)
	}
}

func TestPresignPutDuration(t *testing.T) {
	t.Parallel()
	store := s3Answering(t, nil)
	for d, ok := range map[time.Duration]bool{
		0: false, time.Second: true, 7 * 24 * time.Hour: true, 8 * 24 * time.Hour: false, -time.Hour: false,
	} {
		if u, _, err := store.PresignPut(t.Context(), "a", "image/png", d); (err == nil) != ok {
			t.Errorf("%v: %q, %v", d, u, err)
		}
	}
	for _, contentType := range []string{"", " image/png", "image/png\n"} {
		if u, _, err := store.PresignPut(t.Context(), "a", contentType, time.Hour); err == nil {
			t.Errorf("%q: %q", contentType, u)
		}
	}
}

// URLs use the address at which clients reach the server.
func TestPresignPutPublicEndpoint(t *testing.T) {
	t.Parallel()
	o := s3Options(t)
	private, err := url.Parse(o.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	o.PublicEndpoint = "http://localhost:" + private.Port()
	store := openS3(t, o)
	u := presign(t, store, "a", "image/png")
	if u.Hostname() != "localhost" {
		t.Fatalf("the URL is %s", u)
	}
	if status, body := send(t, http.MethodPut, u, "image/png", "x"); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	want(t, store, "a", "x")
}

package api_test

import (
	"bytes"
	"crypto/rand"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// onS3 makes a test server store its files in its own folder of a bucket. It skips the test if no S3 server is
// configured.
func onS3(t *testing.T) apptest.Option {
	t.Helper()
	address := os.Getenv("VITRINE_TEST_S3")
	if address == "" {
		if os.Getenv("VITRINE_TEST_REQUIRE_S3") != "" {
			t.Fatal("VITRINE_TEST_S3 holds no bucket's address")
		}
		t.Skip("no S3 server to test on: VITRINE_TEST_S3 holds no bucket's address")
	}
	bucket, query, _ := strings.Cut(address, "?")
	return func(c *config.Config) {
		c.Blob = config.Blob{URL: bucket + "/" + rand.Text() + "?" + query,
			AccessKey: os.Getenv("VITRINE_TEST_S3_ACCESS_KEY"), SecretKey: os.Getenv("VITRINE_TEST_S3_SECRET_KEY")}
	}
}

// putThere uploads bytes directly to S3.
func putThere(t *testing.T, address, contentType string, body []byte) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, address, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	return res.StatusCode
}

// With S3, clients upload files to S3 directly, and the server reads them from there.
func TestUploadsInS3(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, onS3(t), func(c *config.Config) { c.UploadLimit = 1 << 20 })
	r.Channel("ada", "Channel", "closed")
	create := func(as, value string) *apptest.Response {
		return r.Do(as, "POST", "/v3/blocks", map[string]any{"value": value, "channel_ids": []string{"channel"}})
	}
	picture := apptest.PNG(t, 900, 600)
	address, key := presigned(r, "ada", "moss.png", "image/png")
	value, _, _ := strings.Cut(address, "?")
	if strings.HasPrefix(address, apptest.Base) {
		t.Fatalf("%s is this server's", address)
	}
	refused(t, "not sent", create("ada", value), http.StatusBadRequest, "value: the file has not been sent yet")
	if status := putThere(t, address, "image/jpeg", picture); status != http.StatusForbidden {
		t.Errorf("another type: %d", status)
	}
	if status := putThere(t, strings.Replace(address, "moss", "other", 1), "image/png", picture); status != http.StatusForbidden {
		t.Errorf("another key: %d", status)
	}
	if status := putThere(t, address, "image/png", picture); status != http.StatusOK {
		t.Fatalf("%d", status)
	}
	refused(t, "a stranger's", create("eve", value), http.StatusBadRequest, "value: names no upload of yours")
	for _, value := range []string{value, address, "https://s3.amazonaws.com/arena_images-temp/" + key} {
		made := create("ada", value).Want(http.StatusCreated)
		r.WorkJobs()
		got := r.Get("ada", "/v3/blocks/%d", made.Int("id"))
		if got.Str("type") != "Image" || got.Str("title") != "moss.png" || got.Int("image.width") != 900 {
			t.Fatalf("%s became %s", value, got.Body)
		}
		original := r.Do("", "GET", strings.TrimPrefix(got.Str("image.src"), apptest.Base), nil).Want(http.StatusOK)
		if !bytes.Equal(original.Body, picture) {
			t.Error("the original is another")
		}
		r.Do("", "GET", strings.TrimPrefix(got.Str("image.small.src_2x"), apptest.Base), nil, "Range", "bytes=0-9").Want(http.StatusPartialContent)
	}
	address, _ = presigned(r, "ada", "large.bin", "application/octet-stream")
	putThere(t, address, "application/octet-stream", make([]byte, 1<<20+1))
	refused(t, "too large", create("ada", address), http.StatusBadRequest, "value: the file is larger than 1048576 bytes")

	r.Clock.Advance(25 * time.Hour)
	if err := r.S.App.Content.SweepContent(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused(t, "a day later", create("ada", value), http.StatusBadRequest, "value: names no upload of yours")
	if n := rows(r, "uploads") + rows(r, "doomed_objects"); n != 0 {
		t.Errorf("%d rows of uploads are left", n)
	}
}

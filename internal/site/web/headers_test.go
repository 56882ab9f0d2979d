package web

import "testing"

func TestPolicy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, files, uploads, img, connect string }{
		{"all here", "", "", "'self'", "'self'"},
		{"files elsewhere", "https://files.example.net/x", "", "'self' https://files.example.net", "'self' https://files.example.net"},
		{"uploads to S3", "", "https://bucket.s3.example.net/uploads/", "'self'", "'self' https://bucket.s3.example.net"},
		{"S3 by port", "https://files.example.net", "http://127.0.0.1:9000/bucket/uploads/", "'self' https://files.example.net",
			"'self' https://files.example.net http://127.0.0.1:9000"},
		{"files there too", "https://s3.example.net/bucket", "https://s3.example.net/bucket/uploads/", "'self' https://s3.example.net", "'self' https://s3.example.net"},
		{"the longer name", "https://s3.example.net:9000", "https://s3.example.net/", "'self' https://s3.example.net:9000",
			"'self' https://s3.example.net:9000 https://s3.example.net"},
		{"IPv6", "", "http://[::1]:9000/bucket/", "'self'", "'self' http:"},
	} {
		want := "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; img-src " + c.img +
			" blob:; media-src " + c.img + " blob:; connect-src " + c.connect + "; base-uri 'none'"
		if got := policy(c.files, c.uploads); got != want {
			t.Errorf("%s: %s, want %s", c.name, got, want)
		}
	}
}

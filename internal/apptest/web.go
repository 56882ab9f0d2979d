package apptest

import (
	"bytes"
	"crypto/x509"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"vitrine/internal/fetch"
)

// web replaces the World Wide Web in a test: all hosts that the server fetches from, over HTTP or
// HTTPS, use this handler.
type web struct {
	mux    *http.ServeMux
	plain  *httptest.Server
	secure *httptest.Server
	roots  *x509.CertPool
}

// Web serves an address such as "example.com/page" for the server under test. Patterns are those of
// http.ServeMux.
func (r *Rig) Web(pattern string, handler http.HandlerFunc) {
	r.T.Helper()
	r.web.mux.HandleFunc(pattern, handler)
}

// newWeb starts a web without pages. Certificates are for example.com and its subdomains.
func (r *Rig) newWeb() {
	w := &web{mux: http.NewServeMux(), roots: x509.NewCertPool()}
	w.plain = httptest.NewServer(w.mux)
	w.secure = httptest.NewTLSServer(w.mux)
	w.roots.AddCert(w.secure.Certificate())
	r.T.Cleanup(w.plain.Close)
	r.T.Cleanup(w.secure.Close)
	r.web = w
}

// fetching redirects all fetches to the web of the test.
func (w *web) fetching() fetch.Options {
	return fetch.Options{
		Allow:   []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		RootCAs: w.roots,
		Route: func(address string) string {
			if strings.HasSuffix(address, ":443") {
				return w.secure.Listener.Addr().String()
			}
			return w.plain.Listener.Addr().String()
		},
	}
}

// DataDir returns the server's data folder.
func (r *Rig) DataDir() string { return r.dataDir }

// Serve answers with fixed bytes.
func Serve(contentType string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(body)
	}
}

// PNG returns an image of a colour gradient.
func PNG(t testing.TB, width, height int) []byte {
	t.Helper()
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			picture.SetNRGBA(x, y, color.NRGBA{uint8(x * 255 / width), uint8(y * 255 / height), 128, 255})
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

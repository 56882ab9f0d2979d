package sandbox

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"html"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// Web answers every request for a page, so that a sandbox needs no network and a client's tests always see
// the same: the path determines the title, the description and the picture.
type Web struct{}

// RoundTrip implements http.RoundTripper. Paths such as /status/404 are answered with that status,
// addresses of oEmbed with a player, names that end like a picture with a picture, and all others with a
// page.
func (Web) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	address := r.URL
	switch ext := strings.ToLower(path.Ext(address.Path)); {
	case strings.HasPrefix(address.Path, "/status/"):
		status, err := strconv.Atoi(strings.TrimPrefix(address.Path, "/status/"))
		if err != nil || status < 200 || status > 599 {
			status = http.StatusNotFound
		}
		return answer(r, status, "text/html; charset=utf-8", []byte("<title>"+http.StatusText(status)+"</title>")), nil
	case strings.Contains(address.Path, "oembed"):
		return answer(r, http.StatusOK, "application/json", player(address.Query().Get("url"))), nil
	case ext == ".png", ext == ".jpg", ext == ".jpeg", ext == ".webp", ext == ".ico":
		return answer(r, http.StatusOK, "image/png", picture(seedOf(address.Path), 600, 400)), nil
	}
	return answer(r, http.StatusOK, "text/html; charset=utf-8", page(address.Hostname(), address.Path)), nil
}

func answer(r *http.Request, status int, contentType string, body []byte) *http.Response {
	if r.Method == http.MethodHead {
		body = nil
	}
	return &http.Response{Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {contentType}, "Date": {time.Now().UTC().Format(http.TimeFormat)}},
		Body:   io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r}
}

// page returns an article with the metadata that links show.
func page(host, path string) []byte {
	title := titleOf(path)
	if title == "" {
		title = host
	}
	title, host = html.EscapeString(title), html.EscapeString(host)
	return fmt.Appendf(nil, `<!doctype html><html lang="en"><head><title>%[1]s</title>
<meta property="og:site_name" content="%[2]s"><meta name="description" content="A page of the sandbox about %[1]s.">
<meta property="og:image" content="/pictures/%[3]d.png"></head>
<body><article><h1>%[1]s</h1><p>This page exists only in the sandbox of Vitrine. Its address determines what it says, so that tests always find the same words.</p>
<p>Pages like this one have a title, a description, a picture and a few sentences of text about %[1]s, which search finds.</p></article></body></html>`,
		title, host, seedOf(path)%1000)
}

// player returns an oEmbed response (oEmbed 1.0, section 2.3.4.2) with a player on the provider's own site.
func player(address string) []byte {
	return fmt.Appendf(nil, `{"version":"1.0","type":"video","provider_name":"Sandbox video","title":%q,"author_name":"The sandbox","width":640,"height":360,"html":"<iframe src=\"https://player.vimeo.com/video/76979871\" width=\"640\" height=\"360\"></iframe>"}`,
		titleOf(address))
}

// titleOf makes a title from the last part of a path: "/notes/wet-meadows" becomes "Wet meadows".
func titleOf(address string) string {
	name := strings.TrimSpace(strings.NewReplacer("-", " ", "_", " ").Replace(strings.TrimSuffix(path.Base(address), path.Ext(address))))
	if name == "" || name == "/" || name == "." {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// seedOf returns a number that depends only on s.
func seedOf(s string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, s)
	return h.Sum64()
}

package page

import (
	"cmp"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	nethtml "golang.org/x/net/html"
)

// Permissions of a frame. It may never navigate the page around it. "allow-same-origin" gives
// players access to their own storage. In combination with "allow-scripts" it would not restrict a
// document of our own origin at all, so our own hosts are refused.
const (
	frameSandbox = "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-forms allow-presentation"
	frameAllow   = "encrypted-media; fullscreen; picture-in-picture"
)

var percentWidth = regexp.MustCompile(`^(?:100|[1-9][0-9])%$`)

// SafeHTML returns the player of a response as a newly generated sandboxed <iframe>, or "" if no
// player may be shown. endpoint is the source of the response, and page its subject; either may be
// nil.
//
// Of the response's HTML it uses only the address and size of the first iframe that uses HTTPS and
// whose host has the same registrable domain as endpoint or page. own are the host names of this
// installation, on any port. Frames from there would have its origin and are refused.
func (o OEmbed) SafeHTML(endpoint, page *url.URL, own ...string) string {
	var hosts []string
	for _, u := range []*url.URL{endpoint, page} {
		if u != nil {
			hosts = append(hosts, hostOf(u))
		}
	}
	z := nethtml.NewTokenizer(strings.NewReader(o.HTML))
	for {
		switch z.Next() {
		case nethtml.ErrorToken:
			return ""
		case nethtml.StartTagToken, nethtml.SelfClosingTagToken:
			t := z.Token()
			if t.Data != "iframe" {
				continue
			}
			if src, ok := frameSource(attribute(t, "src"), hosts, own); ok {
				return o.frame(t, src)
			}
		}
	}
}

// frameSource returns the address of a frame if it is allowed.
func frameSource(src string, hosts, own []string) (string, bool) {
	u, ok := absolute(nil, src)
	if !ok || u.Scheme != "https" {
		return "", false
	}
	host := hostOf(u)
	if strings.Contains(host, ":") { // IPv6
		return "", false
	}
	if slices.ContainsFunc(own, func(name string) bool { return hostOf(&url.URL{Host: name}) == host }) {
		return "", false
	}
	if !slices.ContainsFunc(hosts, func(provider string) bool { return related(host, provider) }) {
		return "", false
	}
	if port := u.Port(); port != "" {
		host += ":" + port
	}
	u.Host = host
	return u.String(), true
}

// frame generates the iframe. Its size is that of the original iframe, or else that of the
// response.
func (o OEmbed) frame(t nethtml.Token, src string) string {
	var b strings.Builder
	write := func(name, value string) {
		if value != "" {
			b.WriteString(" " + name + `="` + html.EscapeString(value) + `"`)
		}
	}
	b.WriteString("<iframe")
	write("src", src)
	write("sandbox", frameSandbox)
	write("allow", frameAllow)
	if width := strings.TrimSpace(attribute(t, "width")); percentWidth.MatchString(width) {
		write("width", width)
	} else {
		write("width", size(width, o.Width))
	}
	write("height", size(attribute(t, "height"), o.Height))
	write("title", firstLine(maxTitle, o.Title, attribute(t, "title"), o.ProviderName))
	write("loading", "lazy")
	write("referrerpolicy", "strict-origin-when-cross-origin")
	b.WriteString(` allowfullscreen=""></iframe>`)
	return b.String()
}

// size formats a width or height in pixels for an attribute, or returns "".
func size(written string, known int) string {
	if number := cmp.Or(pixels(written), known); number > 0 {
		return strconv.Itoa(number)
	}
	return ""
}

func attribute(t nethtml.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

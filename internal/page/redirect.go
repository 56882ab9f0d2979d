package page

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

const (
	maxRefreshDelay = 10        // seconds; slower pages are there to be read
	maxFullDelay    = 2         // seconds for a page that has other content
	maxBare         = 16 << 10  // bytes of a page that does nothing but redirect
	maxBareText     = 300       // characters that such a page may show: "Redirecting…", and a link
	maxScript       = 4 << 10   // bytes of a script that only redirects
	refreshHeader   = "Refresh" // not standardized for HTTP, but supported by browsers
)

// RedirectTarget returns the URL to which a page redirects browsers immediately, although the status of the
// response is not a redirect, or nil. contentType is its media type, as for Read, and beginning
// contains at least the head of the page. RedirectTarget recognizes these redirects:
//
//   - the header `Refresh` and `<meta http-equiv=refresh>` in the head, with a delay of at most two seconds,
//     or ten on a page that has practically no other content;
//   - a script that only assigns `location`, and `<meta http-equiv=refresh>` in the body, on a page like that.
func RedirectTarget(at *url.URL, contentType string, header http.Header, beginning []byte) *url.URL {
	if at == nil || !web(at) {
		return nil
	}
	s := redirectScanner{Tokenizer: html.NewTokenizer(bytes.NewReader(Decode(contentType, beginning))), head: true}
	s.scan()
	base := said{base: s.base}.resolveBase(at)
	bare := len(beginning) <= maxBare && s.bare()
	for _, value := range header.Values(refreshHeader) {
		if r, ok := parseRefresh(value); ok {
			return r.leadsTo(at, bare)
		}
	}
	if s.refresh != nil {
		return s.refresh.leadsTo(base, bare)
	}
	if bare && s.scriptRedirect != "" {
		return leadsTo(base, s.scriptRedirect)
	}
	return nil
}

// leadsTo resolves the reference of a redirect. It returns nil for an empty one, which reloads the
// page.
func leadsTo(base *url.URL, reference string) *url.URL {
	u, ok := absolute(base, reference)
	if !ok {
		return nil
	}
	return u
}

// refresh is the value of a Refresh header or of a refreshing <meta>.
type refresh struct {
	delay     int // whole seconds
	reference string
}

// leadsTo returns the URL to which a page redirects, or nil if it is there to be read.
func (r refresh) leadsTo(base *url.URL, bare bool) *url.URL {
	if r.delay > maxFullDelay && !bare {
		return nil
	}
	return leadsTo(base, r.reference)
}

// parseRefresh parses the value of a Refresh header or of a refreshing <meta>, as in the HTML standard
// ("shared declarative refresh steps"). It reports whether the value is valid; the reference is empty if
// the delay is too long.
func parseRefresh(value string) (r refresh, ok bool) {
	const space = " \t\n\f\r"
	value = strings.TrimLeft(value, space)
	digits := value[:len(value)-len(strings.TrimLeft(value, "0123456789"))]
	if digits == "" && !strings.HasPrefix(value, ".") {
		return r, false
	}
	value = strings.TrimLeft(value, "0123456789.")
	rest := strings.TrimLeft(value, space)
	if value != "" && rest == value && !strings.ContainsAny(value[:1], ";,") {
		return r, false
	}
	if rest != "" && strings.ContainsAny(rest[:1], ";,") {
		rest = strings.TrimLeft(rest[1:], space)
	}
	var err error
	if r.delay, err = strconv.Atoi("0" + digits); err != nil || r.delay > maxRefreshDelay {
		return r, true
	}
	if len(rest) >= 3 && strings.EqualFold(rest[:3], "url") {
		if after, found := strings.CutPrefix(strings.TrimLeft(rest[3:], space), "="); found {
			rest = strings.TrimLeft(after, space)
		} else {
			r.reference = rest // a page of that name
			return r, true
		}
	}
	if rest != "" && strings.ContainsAny(rest[:1], `"'`) {
		rest, _, _ = strings.Cut(rest[1:], rest[:1])
	}
	r.reference = rest
	return r, true
}

// redirectScanner finds redirects in the tags of a page.
type redirectScanner struct {
	*html.Tokenizer
	head           bool // the head has not ended
	base           string
	refresh        *refresh // the first valid <meta> in the head
	scriptRedirect string   // reference of the first redirect that counts only on a bare page
	texts          int      // characters that are shown
	images         int
	rich           bool // the page contains a frame, a form, or anything else beyond a redirect
}

// headTags are the elements that may occur in the head.
var headTags = []string{"html", "head", "base", "basefont", "bgsound", "link", "meta", "title", "noscript", "noframes", "style", "script", "template"}

// richTags are elements of pages that are more than a redirect.
var richTags = []string{"iframe", "frame", "frameset", "form", "input", "button", "video", "audio", "object", "embed", "canvas", "article", "table"}

// unseenTags are the elements whose contents browsers ignore if scripts are enabled.
var unseenTags = []string{"noscript", "noframes", "template", "style", "title", "script"}

func (s *redirectScanner) scan() {
	inside := "" // the open unseen element
	script := false
	for {
		kind := s.Next()
		switch kind {
		case html.ErrorToken:
			return
		case html.TextToken:
			if inside == "" {
				s.show(string(s.Text()))
			} else if script {
				s.run(string(s.Text()))
			}
		case html.EndTagToken:
			if name, _ := s.TagName(); string(name) == inside {
				inside, script = "", false
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := s.Token()
			if inside != "" {
				continue
			}
			s.start(t)
			if kind == html.StartTagToken && slices.Contains(unseenTags, t.Data) {
				inside = t.Data
				script = t.Data == "script" && isScript(attribute(t, "type"))
			}
		}
	}
}

// isScript reports whether browsers run a script of a type.
func isScript(kind string) bool {
	kind = mediaType(kind)
	return kind == "" || kind == "module" || strings.HasSuffix(kind, "javascript") || strings.HasSuffix(kind, "ecmascript")
}

func (s *redirectScanner) show(text string) {
	for _, r := range text {
		if !unicode.IsSpace(r) {
			s.head = false
			s.texts++
		}
	}
}

func (s *redirectScanner) start(t html.Token) {
	s.head = s.head && slices.Contains(headTags, t.Data)
	s.rich = s.rich || slices.Contains(richTags, t.Data)
	switch t.Data {
	case "base":
		if s.base == "" {
			s.base = attribute(t, "href")
		}
	case "img":
		s.images++
	case "body":
		s.run(attribute(t, "onload"))
	case "meta":
		if !strings.EqualFold(strings.TrimSpace(attribute(t, "http-equiv")), "refresh") {
			return
		}
		r, ok := parseRefresh(attribute(t, "content"))
		switch {
		case !ok:
		case s.head && s.refresh == nil:
			s.refresh = &r
		case s.scriptRedirect == "":
			s.scriptRedirect = r.reference
		}
	}
}

// run records the redirect of a script.
func (s *redirectScanner) run(script string) {
	if s.scriptRedirect == "" && len(script) <= maxScript {
		s.scriptRedirect = scriptRedirect(script)
	}
}

// bare reports whether the page has practically no content. It may contain one image for counting
// visits.
func (s *redirectScanner) bare() bool { return !s.rich && s.texts <= maxBareText && s.images <= 1 }

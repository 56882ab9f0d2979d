package fetch

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"

	"golang.org/x/net/publicsuffix"
)

// beginning is how many bytes of a body Request.Redirect gets. A page that only redirects is shorter,
// and a page with other content declares its redirect in its head. Files of other types are buffered
// too, because only Request.Redirect decides what a page is.
const beginning = 32 << 10

// contentRedirect returns the address to which a response redirects by its content, and closes the body. If
// there is no redirect, it returns nil, and the body is still complete.
func (f *fetch) contentRedirect(resp *Response, r Request) *url.URL {
	opened := resp.Body.(*body)
	buffered := bufio.NewReaderSize(opened, beginning)
	start, _ := buffered.Peek(beginning) // the error occurs again when the body is read
	resp.Body = rest{buffered, opened}
	to := r.Redirect(resp, start)
	if to == nil {
		return nil
	}
	if to.Fragment == "" {
		to.Fragment, to.RawFragment = resp.URL.Fragment, resp.URL.RawFragment
	}
	if sameDocument(to, resp.URL) && len(resp.Header["Set-Cookie"]) == 0 {
		return nil // a page that reloads itself periodically
	}
	if check(to) != nil {
		return nil // the page is better than nothing
	}
	opened.leave()
	return to
}

// sameDocument reports whether two URLs differ only in the fragment.
func sameDocument(a, b *url.URL) bool {
	x, y := *a, *b
	x.Fragment, x.RawFragment, y.Fragment, y.RawFragment = "", "", "", ""
	return x.String() == y.String()
}

// rest is a body whose beginning was already read.
type rest struct {
	io.Reader
	io.Closer
}

// leave closes the body without ending the fetch, which continues at another address.
func (b *body) leave() {
	if b.decoded != nil {
		_ = b.decoded.Close() // its errors were already returned by Read
	}
	_ = b.wire.src.Close() // the connection is not used again
	b.wire.timer.Stop()
}

// Limits for cookies. Browsers also accept 4 KiB for each. Sites that can be fetched without
// signing in need only a few.
const (
	maxCookies    = 50 // set in one fetch
	maxCookie     = 4 << 10
	maxCookieLine = 8 << 10 // bytes in one request
)

// cookies are set by sites during one fetch. Some sites redirect until a cookie is sent back. The
// jar sends a cookie only to the site that set it, and is discarded with the fetch.
type cookies struct {
	jar *cookiejar.Jar
	n   int
}

// keep stores the cookies of a response.
func (c *cookies) keep(from *url.URL, answer *http.Response) {
	if len(answer.Header["Set-Cookie"]) == 0 {
		return
	}
	if c.jar == nil {
		c.jar, _ = cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // never fails
	}
	for _, cookie := range answer.Cookies() {
		if c.n++; c.n > maxCookies {
			return
		}
		if len(cookie.Raw) <= maxCookie {
			c.jar.SetCookies(from, []*http.Cookie{cookie})
		}
	}
}

// send adds the cookies of a site to a request.
func (c *cookies) send(req *http.Request) {
	if c.jar == nil {
		return
	}
	left := maxCookieLine
	for _, cookie := range c.jar.Cookies(req.URL) {
		if left -= len(cookie.Name) + len(cookie.Value) + len("=; "); left >= 0 {
			req.AddCookie(cookie)
		}
	}
}

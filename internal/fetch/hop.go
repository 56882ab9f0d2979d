package fetch

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"vitrine/internal/weburl"
)

// fetch is a fetch in progress. ctx is caller with our own time limits.
type fetch struct {
	client      *Client
	caller, ctx context.Context
	end         func()          // releases ctx
	cut         func(why error) // ends ctx
	head        *time.Timer     // ends ctx if a response does not begin in time
	first       *url.URL        // URL of the first request
	cookies     cookies
	hops        int  // remaining redirects
	moved       bool // a redirect that was not permanent was followed
}

// get follows redirects of every kind until there is a page to return. Redirects by pages
// (Request.Redirect) count like 3xx responses. Beyond the limit, the last page is returned, because
// it is a page like any other.
func (f *fetch) get(r Request) (*Response, error) {
	target, err := parse(r.URL)
	if err != nil {
		return nil, err
	}
	for {
		resp, err := f.answer(target, r)
		if err != nil || r.Redirect == nil || f.hops == 0 {
			return resp, err
		}
		to := f.contentRedirect(resp, r)
		if to == nil {
			return resp, nil
		}
		f.hops--
		f.moved = true
		target = to
	}
}

// answer returns the 2xx response after following HTTP redirects.
func (f *fetch) answer(target *url.URL, r Request) (*Response, error) {
	f.head.Reset(f.client.head)
	target, answer, err := f.follow(target, r)
	f.head.Stop()
	if err != nil {
		return nil, err
	}
	resp := newResponse(target, answer)
	if resp.Body, err = f.open(answer, resp, r.MaxBytes); err != nil {
		_ = answer.Body.Close()
		return nil, err
	}
	resp.Moved = f.moved
	return resp, nil
}

// follow follows redirects until there is a 2xx response, or 304 to a conditional request. Each hop is a separate request without a
// referrer. Only cookies, for the sites that set them, and a token, for the same scheme, host and
// port, are sent again. For this reason, and for specific errors about bad redirects, it does not
// use http.Client.
func (f *fetch) follow(target *url.URL, r Request) (*url.URL, *http.Response, error) {
	for {
		if r.Permit != nil {
			if err := r.Permit(f.ctx, target); err != nil {
				return nil, nil, err
			}
		}
		bearer := ""
		if f.first == nil {
			f.first = target
		}
		if target.Scheme == f.first.Scheme && target.Host == f.first.Host {
			bearer = r.Bearer
		}
		answer, err := f.hop(target, r, bearer)
		if err != nil {
			return nil, nil, err
		}
		f.cookies.keep(target, answer)
		if answer.StatusCode/100 == 2 || r.unchanged(answer) {
			return target, answer, nil
		}
		_ = answer.Body.Close()
		location := answer.Header.Get("Location")
		if !redirects(answer.StatusCode) || location == "" {
			return nil, nil, refusal(answer, cmp.Or(r.MaxRetryAfter, maxRetryAfter))
		}
		if f.hops == 0 {
			return nil, nil, &Error{Reason: "The address redirects too often"}
		}
		f.hops--
		if answer.StatusCode != http.StatusMovedPermanently && answer.StatusCode != http.StatusPermanentRedirect {
			f.moved = true
		}
		if target, err = next(target, location); err != nil {
			return nil, nil, err
		}
	}
}

// unchanged reports whether the caller has the current version. Some servers send headers that describe the body that is
// missing from such a response.
func (r Request) unchanged(answer *http.Response) bool {
	if answer.StatusCode != http.StatusNotModified || r.ETag == "" && r.LastModified == "" {
		return false
	}
	answer.ContentLength = 0
	answer.Header.Del("Content-Encoding")
	return true
}

// redirects reports whether a status is a redirect (RFC 9110 section 15.4).
func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// next returns the target of a redirect. It keeps the fragment (RFC 9110 section 10.2.2).
func next(from *url.URL, location string) (*url.URL, error) {
	to, err := weburl.Resolve(from, location)
	if err != nil {
		return nil, refused(err, "The address redirects to one that is not valid")
	}
	if to.Fragment == "" {
		to.Fragment, to.RawFragment = from.Fragment, from.RawFragment
	}
	return to, check(to)
}

// hop sends one request. Closing the body releases its slot at the site.
func (f *fetch) hop(target *url.URL, r Request, bearer string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(f.ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, &Error{Reason: "The address is not valid", cause: err}
	}
	req.Header.Set("Accept", cmp.Or(r.Accept, "*/*"))
	if r.ETag != "" {
		req.Header.Set("If-None-Match", r.ETag)
	}
	if r.LastModified != "" {
		req.Header.Set("If-Modified-Since", r.LastModified)
	}
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	req.Header.Set("Accept-Encoding", acceptEncoding)
	req.Header.Set("User-Agent", f.client.agent)
	if f.client.languages != "" {
		req.Header.Set("Accept-Language", f.client.languages)
	}
	f.cookies.send(req)
	release, err := f.client.hosts.enter(f.ctx, target)
	if err != nil {
		return nil, err
	}
	answer, err := f.client.transport.RoundTrip(req)
	if err != nil {
		release()
		return nil, fmt.Errorf("fetch %s: %w", target.Redacted(), err)
	}
	answer.Body = &held{ReadCloser: answer.Body, release: sync.OnceFunc(release)}
	return answer, nil
}

// held releases a slot at the site when it is closed.
type held struct {
	io.ReadCloser
	release func()
}

func (h *held) Close() error {
	defer h.release()
	return h.ReadCloser.Close()
}

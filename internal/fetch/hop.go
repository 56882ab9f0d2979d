package fetch

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"

	"vitrine/internal/weburl"
)

// fetch is one fetch under way. ctx is caller with our own limits of time.
type fetch struct {
	client      *Client
	caller, ctx context.Context
	end         func()          // releases ctx
	cut         func(why error) // ends ctx
}

func (f *fetch) get(r Request) (*Response, error) {
	target, err := parse(r.URL)
	if err != nil {
		return nil, err
	}
	target, answer, err := f.follow(target, r)
	if err != nil {
		return nil, err
	}
	resp := newResponse(target, answer)
	if resp.Body, err = f.open(answer, resp, r.MaxBytes); err != nil {
		_ = answer.Body.Close()
		return nil, err
	}
	return resp, nil
}

// follow goes from redirect to redirect until there is an answer of 2xx. Each hop is a
// request of its own: no cookies, no referrer, nothing is carried from one to the
// next, but for a token to the same scheme, host and port. That, and a reason for each way in which a redirect can be bad, is why it
// does not use http.Client.
func (f *fetch) follow(target *url.URL, r Request) (*url.URL, *http.Response, error) {
	first := *target
	for range f.client.redirects + 1 {
		if r.Permit != nil {
			if err := r.Permit(f.ctx, target); err != nil {
				return nil, nil, err
			}
		}
		bearer := r.Bearer
		if target.Scheme != first.Scheme || target.Host != first.Host {
			bearer = ""
		}
		answer, err := f.hop(target, r.Accept, bearer)
		if err != nil {
			return nil, nil, err
		}
		if answer.StatusCode/100 == 2 {
			return target, answer, nil
		}
		_ = answer.Body.Close()
		location := answer.Header.Get("Location")
		if !redirects(answer.StatusCode) || location == "" {
			return nil, nil, refusal(answer)
		}
		if target, err = next(target, location); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, &Error{Reason: "The address redirects too often"}
}

// redirects reports whether a status leads elsewhere (RFC 9110 section 15.4).
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

// hop sends one request. Its place at the host is free again when the answer's body
// is closed.
func (f *fetch) hop(target *url.URL, accept, bearer string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(f.ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, &Error{Reason: "The address is not valid", cause: err}
	}
	if accept == "" {
		accept = "*/*"
	}
	req.Header.Set("Accept", accept)
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	req.Header.Set("Accept-Encoding", acceptEncoding)
	req.Header.Set("User-Agent", f.client.agent)
	if f.client.languages != "" {
		req.Header.Set("Accept-Language", f.client.languages)
	}
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

// held frees its place at the host when it is closed.
type held struct {
	io.ReadCloser
	release func()
}

func (h *held) Close() error {
	defer h.release()
	return h.ReadCloser.Close()
}

package browser

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"vitrine/internal/fetch"
	"vitrine/internal/weburl"
)

// Getter fetches an address. *fetch.Client implements it.
type Getter interface {
	Get(ctx context.Context, r fetch.Request) (*fetch.Response, error)
}

// busyTries is the number of attempts while other fetches use a site. The client waits before each gives up.
const busyTries = 10

var (
	errRequests = errors.New("browser: the page makes too many requests")
	errBytes    = errors.New("browser: the parts of the page are too large")
)

// parts fetches each file of a page once, and keeps it for the copy.
type parts struct {
	from   Getter
	limits Limits
	slots  chan struct{}

	mu       sync.Mutex
	files    map[string]*file // by address, including those that redirect
	requests int
	bytes    int64
}

// file is an answer to a request. The fields below done are set when done is closed.
type file struct {
	done chan struct{}

	url         *url.URL // after redirects
	contentType string
	charset     string
	body        []byte
	err         error
}

func newParts(from Getter, first Page, limits Limits) *parts {
	p := &parts{from: from, limits: limits, slots: make(chan struct{}, limits.Parallel), files: map[string]*file{}}
	p.files[key(first.URL)] = &file{done: closed, url: first.URL, contentType: first.ContentType, body: first.Body}
	return p
}

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// key returns an address without its fragment.
func key(address *url.URL) string {
	bare := *address
	bare.Fragment, bare.RawFragment = "", ""
	return bare.String()
}

// file returns the file at an address, which it fetches if it is new.
func (p *parts) file(ctx context.Context, address *url.URL, accept string) (*file, error) {
	p.mu.Lock()
	f := p.files[key(address)]
	if f == nil {
		if p.requests >= p.limits.Requests {
			p.mu.Unlock()
			return nil, errRequests
		}
		p.requests++
		f = &file{done: make(chan struct{})}
		p.files[key(address)] = f
		p.mu.Unlock()
		f.err = p.fetch(ctx, address, accept, f)
		p.mu.Lock()
		if f.err != nil && ctx.Err() != nil {
			delete(p.files, key(address))
		} else if f.err == nil && p.files[key(f.url)] == nil {
			p.files[key(f.url)] = f
		}
		close(f.done)
	}
	p.mu.Unlock()
	select {
	case <-f.done:
		return f, f.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fetch fetches a file within the limits.
func (p *parts) fetch(ctx context.Context, address *url.URL, accept string, f *file) error {
	ctx, cancel := context.WithTimeout(ctx, p.limits.PartTime)
	defer cancel()
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	p.mu.Lock()
	left := p.limits.Bytes - p.bytes
	p.mu.Unlock()
	if left <= 0 {
		return errBytes
	}
	var answer *fetch.Response
	err := error(fetch.ErrBusy)
	for try := 0; try < busyTries && errors.Is(err, fetch.ErrBusy); try++ {
		answer, err = p.from.Get(ctx, fetch.Request{URL: key(address), Accept: accept, MaxBytes: min(left, p.limits.PartBytes)})
	}
	if err != nil {
		return err
	}
	body, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes += int64(len(body)); p.bytes > p.limits.Bytes {
		return errBytes
	}
	f.url, f.contentType, f.charset, f.body = answer.URL, answer.ContentType, answer.Charset, body
	return nil
}

// Get returns a file that the browser received, and fetches others. Files that could not be fetched are not tried again.
func (p *parts) Get(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	address, err := weburl.Parse(r.URL)
	if err != nil {
		return p.from.Get(ctx, r)
	}
	p.mu.Lock()
	f := p.files[key(address)]
	p.mu.Unlock()
	if f == nil || int64(len(f.body)) > r.MaxBytes {
		return p.from.Get(ctx, r)
	}
	if f.err != nil {
		return nil, f.err
	}
	return &fetch.Response{URL: f.url, Status: http.StatusOK, Header: http.Header{}, ContentType: f.contentType, Charset: f.charset,
		Size: int64(len(f.body)), Body: io.NopCloser(bytes.NewReader(f.body))}, nil
}

// mediaType returns the Content-Type header for a file.
func (f *file) mediaType() string {
	if f.charset == "" || strings.Contains(f.contentType, ";") {
		return f.contentType
	}
	return f.contentType + "; charset=" + f.charset
}

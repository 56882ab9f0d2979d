// Package fetch is the only HTTP client for URLs from users. It connects to public addresses only,
// and limits the time and the bytes of every response.
package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// maxHeader limits the headers of a response, in bytes.
const maxHeader = 128 << 10

// Options configure a Client. Comments note the default for zero values.
type Options struct {
	// Allow permits addresses that are not public, on any port: those of an intranet.
	Allow        []netip.Prefix
	AllowHosts   []string      // hosts whose addresses may be private, on any port
	UserAgent    string        // "Vitrine"
	Languages    string        // preferred languages of pages: tags separated by commas, best first; any
	Timeout      time.Duration // for the whole fetch, including the body: a minute
	Idle         time.Duration // how long a server may send nothing: 15 seconds
	Head         time.Duration // for everything before the body: DNS, connections, redirects, headers: 20 seconds
	MinRate      int64         // of a body, in compressed bytes per second: 2 KiB
	Slack        time.Duration // how far a body may fall below that rate: 15 seconds
	MaxRedirects int           // 10
	PerHost      int           // concurrent fetches per site: 4
	Wait         time.Duration // for one of these to finish: a second

	Resolver *net.Resolver  // net.DefaultResolver
	RootCAs  *x509.CertPool // the system's

	// Observe, if not nil, is called with the outcome of each fetch up to the body: the status class
	// of the response, busy, stopped or failed. The URL is the requested one.
	Observe func(ctx context.Context, url, outcome string, took time.Duration)

	// Instead, if not nil, answers all requests instead of the network, for example from a file with pages.
	Instead http.RoundTripper

	// Route, for tests, replaces the target of a connection to "host:port". The new target must be
	// public or allowed as well.
	Route func(address string) string
}

// Client fetches URLs. It is safe for concurrent use.
type Client struct {
	transport http.RoundTripper
	guard     *guard
	hosts     *hosts
	agent     string
	languages string // the Accept-Language header
	timeout   time.Duration
	idle      time.Duration
	head      time.Duration
	perByte   time.Duration // maximum time per byte
	slack     time.Duration
	redirects int
	resolver  *net.Resolver
	route     func(address string) string
	observe   func(ctx context.Context, url, outcome string, took time.Duration)
}

// New creates a client.
func New(o Options) *Client {
	idle := cmp.Or(o.Idle, 15*time.Second)
	guard := newGuard(o.Allow)
	guard.hosts = o.AllowHosts
	transport := o.Instead
	if transport == nil {
		transport = newTransport(o, guard, idle)
	}
	return &Client{
		transport: transport,
		guard:     guard,
		hosts:     newHosts(cmp.Or(o.PerHost, 4), cmp.Or(o.Wait, time.Second)),
		agent:     cmp.Or(o.UserAgent, "Vitrine"),
		languages: acceptLanguage(o.Languages),
		timeout:   cmp.Or(o.Timeout, time.Minute),
		idle:      idle,
		head:      cmp.Or(o.Head, 20*time.Second),
		perByte:   time.Second / time.Duration(cmp.Or(o.MinRate, 2<<10)),
		slack:     cmp.Or(o.Slack, 15*time.Second),
		redirects: cmp.Or(o.MaxRedirects, 10),
		resolver:  cmp.Or(o.Resolver, net.DefaultResolver),
		route:     o.Route,
		observe:   o.Observe,
	}
}

// acceptLanguage returns the header for language tags in order of preference. A tag with a region also adds its
// language, and the header always accepts any other language last.
func acceptLanguage(tags string) string {
	if tags == "" {
		return ""
	}
	var wanted []string
	for tag := range strings.SplitSeq(tags, ",") {
		base, _, _ := strings.Cut(tag, "-")
		for _, t := range []string{tag, base} {
			if !slices.Contains(wanted, t) {
				wanted = append(wanted, t)
			}
		}
	}
	header := wanted[0]
	for i, tag := range wanted[1:] {
		header += fmt.Sprintf(",%s;q=0.%d", tag, max(9-i, 2))
	}
	return header + ",*;q=0.1"
}

// newTransport sets no Proxy, since the guard cannot check the connections of a proxy.
func newTransport(o Options, guard *guard, idle time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: idle, Resolver: o.Resolver, Control: guard.control}
	unguarded := &net.Dialer{Timeout: idle, Resolver: o.Resolver}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		use := dialer
		if guard.allowsHost(address) {
			use = unguarded
		}
		if o.Route != nil {
			address = o.Route(address)
		}
		return use.DialContext(ctx, network, address)
	}
	return &http.Transport{
		DialContext:            dial,
		TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    idle,
		ResponseHeaderTimeout:  idle,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true, // decoderOf handles compression with limits
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: idle, PingTimeout: idle},
		MaxIdleConns:           32,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        30 * time.Second,
	}
}

// Close closes idle connections.
func (c *Client) Close() {
	if t, ok := c.transport.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
}

// Request is a URL to fetch with its options.
type Request struct {
	URL      string // absolute, http or https
	Accept   string // the header; "" means "*/*"
	MaxBytes int64  // of the body, decompressed
	Bearer   string // a token for the URL's host, never sent to another one; "": none

	// ETag and LastModified, if not empty, are the headers of the version that the caller has. If it is current,
	// Response.Status is 304 and Body is empty.
	ETag, LastModified string

	// MaxRetryAfter limits the wait that a server may request; 0 means an hour.
	MaxRetryAfter time.Duration

	// Redirect, if not nil, returns the address to which a 2xx response redirects by its header or by
	// the beginning of its body, or nil. It is called for all media types and must check whether the
	// response is a page. The fetch then continues there, as after any other redirect.
	Redirect func(r *Response, beginning []byte) *url.URL

	// Permit, if not nil, is called before each request, including redirects. Its error ends the
	// fetch. Errors other than *Error become temporary.
	Permit func(ctx context.Context, to *url.URL) error
}

// Response is a response with a 2xx status, or 304 to a conditional request. The caller must close Body: until then the fetch counts
// towards the limit of its site. Errors of Body are of type *Error, except io.EOF.
type Response struct {
	URL         *url.URL // after redirects
	Moved       bool     // at least one redirect was not permanent (301 or 308)
	Status      int
	Header      http.Header
	ContentType string // media type in lower case; "" if missing
	Charset     string // in lower case; "" if missing
	Size        int64  // bytes of Body; -1 if unknown
	Body        io.ReadCloser
}

// Get fetches a URL. Its errors are of type *Error. When ctx ends, so does the fetch, including its
// body.
func (c *Client) Get(ctx context.Context, r Request) (*Response, error) {
	start := time.Now()
	resp, err := c.get(ctx, r)
	if c.observe != nil {
		c.observe(ctx, r.URL, outcome(ctx, resp, err), time.Since(start))
	}
	if err != nil {
		return nil, err
	}
	return resp, nil
}

// outcome returns the outcome for Observe.
func outcome(ctx context.Context, resp *Response, err *Error) string {
	switch {
	case err == nil && resp.Status == http.StatusNotModified:
		return "3xx"
	case err == nil:
		return "2xx"
	case err.Status >= 400:
		return string('0'+rune(err.Status/100)) + "xx"
	case errors.Is(err, ErrBusy):
		return "busy"
	case ctx.Err() != nil:
		return "stopped"
	}
	return "failed"
}

func (c *Client) get(ctx context.Context, r Request) (*Response, *Error) {
	running, stop := context.WithTimeoutCause(ctx, c.timeout, errSlow)
	running, cancel := context.WithCancelCause(running)
	f := &fetch{client: c, caller: ctx, ctx: running, end: func() { stop(); cancel(nil) }, cut: cancel, hops: c.redirects}
	f.head = time.AfterFunc(c.head, func() { cancel(errSlow) })
	resp, err := f.get(r)
	if err != nil {
		f.head.Stop()
		f.end()
		return nil, f.explain(err)
	}
	return resp, nil
}

// newResponse describes a response without its body.
func newResponse(target *url.URL, answer *http.Response) *Response {
	media, charset := mediaType(answer.Header.Values("Content-Type"))
	return &Response{
		URL: target, Status: answer.StatusCode, Header: answer.Header,
		ContentType: media, Charset: charset, Size: answer.ContentLength,
	}
}

// MediaType returns the content type of the response in its standard form, with the character set if there is
// one.
func (r *Response) MediaType() string {
	if r.ContentType == "" || r.Charset == "" {
		return r.ContentType
	}
	return mime.FormatMediaType(r.ContentType, map[string]string{"charset": r.Charset})
}

var (
	essence = regexp.MustCompile(`^[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+`)
	charset = regexp.MustCompile(`[;\s]charset\s*=\s*["']?\s*([^\s"';,]+)`)
)

// mediaType parses Content-Type like browsers: if there are several types, the last one is used, as
// in "text/html, text/html". It keeps the character set of an equal one before it, and tolerates
// malformed parameters.
func mediaType(values []string) (media, set string) {
	for value := range strings.SplitSeq(strings.ToLower(strings.Join(values, ",")), ",") {
		value = strings.TrimSpace(value)
		found := essence.FindString(value)
		if found == "" || found == "*/*" {
			continue
		}
		if found != media {
			media, set = found, ""
		}
		if match := charset.FindStringSubmatch(value); match != nil {
			set = match[1]
		}
	}
	return media, set
}

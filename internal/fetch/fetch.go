// Package fetch is the one HTTP client for URLs that people supply. It connects to
// public addresses alone, and limits the time and the bytes of every response.
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

// maxHeader limits the head of an answer, in bytes.
const maxHeader = 128 << 10

// Options say how to fetch. Zero values stand for what is noted.
type Options struct {
	// Allow opens addresses that are not public, on any port: those of an intranet.
	Allow        []netip.Prefix
	UserAgent    string        // "Vitrine"
	Languages    string        // that pages should be in: tags separated by commas, the best one first; any
	Timeout      time.Duration // for a whole fetch, from Get to the end of the body: a minute
	Idle         time.Duration // how long a server may stay silent: 15 seconds
	Head         time.Duration // for all before the body: names, connections, redirects, headers: 20 seconds
	MinRate      int64         // of a body, in bytes of the wire per second: 2 KiB
	Slack        time.Duration // how far a body may fall behind that rate: 15 seconds
	MaxRedirects int           // 10
	PerHost      int           // fetches at once from one site: 4
	Wait         time.Duration // for one of these to end: a second

	Resolver *net.Resolver  // net.DefaultResolver
	RootCAs  *x509.CertPool // the system's

	// Observe, if not nil, is told what came of each fetch up to the body: an answer by the
	// class of its status, busy, stopped or failed. The URL is the one that was asked for.
	Observe func(ctx context.Context, url, outcome string, took time.Duration)

	// Route, for tests, says where a connection to "host:port" goes instead. Where
	// it goes must be public or allowed all the same.
	Route func(address string) string
}

// Client fetches. It is safe for concurrent use.
type Client struct {
	transport *http.Transport
	guard     *guard
	hosts     *hosts
	agent     string
	languages string // the header
	timeout   time.Duration
	idle      time.Duration
	head      time.Duration
	perByte   time.Duration // that a byte may take
	slack     time.Duration
	redirects int
	observe   func(ctx context.Context, url, outcome string, took time.Duration)
}

// New makes a client.
func New(o Options) *Client {
	idle := cmp.Or(o.Idle, 15*time.Second)
	guard := newGuard(o.Allow)
	return &Client{
		transport: newTransport(o, guard, idle),
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

// newTransport has no Proxy: a proxy would connect where the guard does not look.
func newTransport(o Options, guard *guard, idle time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: idle, Resolver: o.Resolver, Control: guard.control}
	dial := dialer.DialContext
	if o.Route != nil {
		dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, o.Route(address))
		}
	}
	return &http.Transport{
		DialContext:            dial,
		TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    idle,
		ResponseHeaderTimeout:  idle,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true, // decode does that, and counts
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: idle, PingTimeout: idle},
		MaxIdleConns:           32,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        30 * time.Second,
	}
}

// Close drops the connections that are kept for later fetches.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Request is what to get.
type Request struct {
	URL      string // absolute, http or https
	Accept   string // the header; "" means "*/*"
	MaxBytes int64  // of the body, decompressed
	Bearer   string // a token for the host of the URL, which no other is sent; "": none

	// Permit, if not nil, is asked before each request, those that redirects lead to included. Its
	// error ends the fetch: an *Error as it is, any other as one that may pass.
	Permit func(ctx context.Context, to *url.URL) error
}

// Response is an answer with a status of 2xx. Body must be closed, by whoever reads
// it: until then the fetch counts against its site. Errors of Body are of type
// *Error, apart from io.EOF.
type Response struct {
	URL         *url.URL // after redirects
	Status      int
	Header      http.Header
	ContentType string // media type, lower case, as the server says; "" if it does not
	Charset     string // as the server says, lower case; "" if it does not
	Size        int64  // bytes of Body; -1 when they are not known beforehand
	Body        io.ReadCloser
}

// Get fetches. Its errors are of type *Error. When ctx ends, so does the fetch, its
// body included.
func (c *Client) Get(ctx context.Context, r Request) (*Response, error) {
	start := time.Now()
	resp, err := c.get(ctx, r)
	if c.observe != nil {
		c.observe(ctx, r.URL, outcome(ctx, err), time.Since(start))
	}
	if err != nil {
		return nil, err
	}
	return resp, nil
}

// outcome is what an observer is told.
func outcome(ctx context.Context, err *Error) string {
	switch {
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
	f := &fetch{client: c, caller: ctx, ctx: running, end: func() { stop(); cancel(nil) }, cut: cancel}
	head := time.AfterFunc(c.head, func() { cancel(errSlow) })
	resp, err := f.get(r)
	head.Stop()
	if err != nil {
		f.end()
		return nil, f.explain(err)
	}
	return resp, nil
}

// newResponse describes an answer, without its body.
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

// mediaType reads Content-Type the way browsers do: of several types the last one counts, as in
// "text/html, text/html", and it keeps the character set of an equal one before it. Parameters may be
// written badly.
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

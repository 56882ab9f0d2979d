// Package client is a typed client of the public v3 API, for Vitrine and every other server that implements it.
//
// It has no dependencies. Methods have the names of the operations in the API's description, take a context, repeat
// requests that may be repeated, and wait as long as the server wants. Lists have iterators:
//
//	c, err := client.New("https://vitrine.example", client.WithToken(token))
//	for item, err := range c.AllChannelContents(ctx, "field-notes", nil) {
//		...
//	}
package client

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"vitrine/client/internal/rest"
)

// Limits of a client.
const (
	maxResponse = 64 << 20 // bytes of one response
	maxError    = 1 << 20  // bytes of a response with an error
)

// Ref is the id or slug of a user, group or channel.
type Ref string

// ID returns a reference by id.
func ID(id int64) Ref { return Ref(strconv.FormatInt(id, 10)) }

// MarshalJSON encodes an id as a number, and a slug as a string.
func (r Ref) MarshalJSON() ([]byte, error) {
	if id, err := strconv.ParseInt(string(r), 10, 64); err == nil {
		return strconv.AppendInt(nil, id, 10), nil
	}
	return json.Marshal(string(r))
}

// UnmarshalJSON decodes a number or a string.
func (r *Ref) UnmarshalJSON(data []byte) error {
	var slug string
	if json.Unmarshal(data, &slug) == nil {
		*r = Ref(slug)
		return nil
	}
	var id int64
	err := json.Unmarshal(data, &id)
	*r = ID(id)
	return err
}

// Client calls the API of one server. It is safe for concurrent use.
type Client struct {
	base    string
	tokens  *tokens
	agent   string
	http    *http.Client
	retries int
	longest time.Duration
	wait    func(ctx context.Context, d time.Duration) error
}

// Option changes a Client.
type Option func(*Client)

// WithToken sends a personal access token, or one from OAuth, with each request.
func WithToken(token string) Option {
	return func(c *Client) { c.tokens = &tokens{now: Tokens{Access: token}} }
}

// WithHTTP uses another HTTP client, for example one with a proxy or a shorter timeout.
func WithHTTP(h *http.Client) Option { return func(c *Client) { c.http = h } }

// WithRetries repeats a request at most n times, 4 by default, and gives up if the server asks for a longer wait than
// longest, a minute by default.
func WithRetries(n int, longest time.Duration) Option {
	return func(c *Client) { c.retries, c.longest = n, longest }
}

// WithUserAgent names the program that uses the client.
func WithUserAgent(name string) Option { return func(c *Client) { c.agent = name } }

// New returns a client of the server at a base address, such as https://vitrine.example.
func New(base string, options ...Option) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("client: %q is no base address such as https://vitrine.example", base)
	}
	c := &Client{base: strings.TrimSuffix(base, "/"), tokens: &tokens{}, agent: "vitrine-client-go", http: &http.Client{Timeout: 2 * time.Minute},
		retries: 4, longest: time.Minute, wait: rest.Sleep}
	for _, o := range options {
		o(c)
	}
	return c, nil
}

// Error is a response with an error.
type Error struct {
	Status     int
	Message    string
	Fields     []string      // what is wrong, with the names of fields
	RetryAfter time.Duration // how long to wait; 0 if the server does not say
	RequestID  string        // for the operator of the server
}

// Error implements error.
func (e *Error) Error() string {
	text := fmt.Sprintf("%d %s", e.Status, cmp.Or(e.Message, http.StatusText(e.Status)))
	if len(e.Fields) > 1 || len(e.Fields) == 1 && e.Fields[0] != e.Message {
		text += ": " + strings.Join(e.Fields, "; ")
	}
	return text
}

// IsNotFound reports whether an error means that something does not exist, or may not be seen.
func IsNotFound(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusNotFound
}

// Optional is a field of a request that can be left out, null, or have a value. The zero value is left out.
type Optional[T any] struct {
	set   bool
	value *T
}

// Value returns a field with a value.
func Value[T any](v T) Optional[T] { return Optional[T]{true, &v} }

// Null returns a field that is null, which removes the value.
func Null[T any]() Optional[T] { return Optional[T]{set: true} }

// IsZero reports whether the field is left out.
func (o Optional[T]) IsZero() bool { return !o.set }

// MarshalJSON encodes the value or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.value) }

// UnmarshalJSON decodes a value or null.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	o.set = true
	return json.Unmarshal(data, &o.value)
}

const formType = "application/x-www-form-urlencoded"

// form is a body that is sent as a form.
type form struct{ body any }

// call sends a request, repeats it if it may be repeated, and decodes the response into out, unless that is nil.
func (c *Client) call(ctx context.Context, method, path string, values []any, query, body, out any) error {
	path, err := rest.Path(path, values, query)
	if err != nil {
		return err
	}
	return c.Do(ctx, Request{Method: method, Path: path, Body: body, Out: out})
}

// Request is a request that has no method of its own, such as one to an extension of a server.
type Request struct {
	Method string
	Path   string // with its query, escaped, from the base address
	Key    string // the Idempotency-Key of a POST, for programs that repeat it later; empty: a new one
	Body   any    // is sent as JSON, unless it is nil or Encoded
	Out    any    // the response is decoded into it, unless it is nil; *io.ReadCloser for the response as it arrives

	Header  http.Header // more fields of the header
	IfMatch string      // an ETag that the thing must still have, or the answer is 412; empty: that of IfMatch
	ETag    *string     // gets the ETag of the response, unless it is nil
}

// Encoded is a body that is sent as it is.
type Encoded struct {
	Type string // media type
	Data []byte
}

type ifMatch struct{}

// IfMatch returns a context whose calls only change a thing that still has an ETag. If it has another one, the answer is 412.
func IfMatch(ctx context.Context, etag string) context.Context {
	return context.WithValue(ctx, ifMatch{}, etag)
}

// Do sends a request, and repeats it like those of other methods.
func (c *Client) Do(ctx context.Context, r Request) error {
	encoded, kind, err := encodeBody(r.Body)
	if err != nil {
		return err
	}
	header := http.Header{"Accept": {"application/json"}, "User-Agent": {c.agent}}
	maps.Copy(header, r.Header)
	if kind != "" {
		header.Set("Content-Type", kind)
	}
	if r.Method == http.MethodPost && kind != formType {
		header.Set("Idempotency-Key", cmp.Or(r.Key, rand.Text())) // the same for each repetition, so that it takes effect once
	}
	if tag, _ := ctx.Value(ifMatch{}).(string); r.IfMatch != "" || tag != "" {
		header.Set("If-Match", cmp.Or(r.IfMatch, tag))
	}
	return c.repeat(ctx, r, header, encoded)
}

// repeat sends a request until it is answered or may not be repeated. After 401 it renews the token once, if it can.
func (c *Client) repeat(ctx context.Context, r Request, header http.Header, encoded []byte) error {
	renewed := false
	for attempt := 0; ; attempt++ {
		token, err := c.tokens.current(ctx, c)
		if err != nil {
			return err
		}
		if token != "" {
			header.Set("Authorization", "Bearer "+token)
		}
		err = c.send(ctx, r, header, encoded)
		var refused *Error
		if errors.As(err, &refused) && refused.Status == http.StatusUnauthorized && c.tokens.renewable() && !renewed {
			renewed = true
			if err := c.tokens.renew(ctx, c, token); err != nil {
				return err
			}
			continue
		}
		pause, again := c.pause(err, r.Method, header, attempt)
		if !again || ctx.Err() != nil {
			return err
		}
		if waiting := c.wait(ctx, pause); waiting != nil {
			return err
		}
	}
}

// send sends a request once.
func (c *Client) send(ctx context.Context, r Request, header http.Header, body []byte) error {
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, c.base+r.Path, reader)
	if err != nil {
		return err
	}
	req.Header = header.Clone()
	stream, streaming := r.Out.(*io.ReadCloser)
	h := c.http
	if streaming { // only the context limits how long it takes to read it
		open := *h
		open.Timeout = 0
		h = &open
	}
	res, err := h.Do(req)
	if err != nil {
		return err
	}
	if streaming && res.StatusCode < 300 {
		*stream = res.Body
		return nil
	}
	defer res.Body.Close()
	return decode(res, r)
}

// decode decodes a response.
func decode(res *http.Response, r Request) error {
	if res.StatusCode >= 300 {
		return failure(res)
	}
	if r.ETag != nil {
		*r.ETag = res.Header.Get("ETag")
	}
	if r.Out == nil || res.StatusCode == http.StatusNoContent {
		_, err := io.Copy(io.Discard, io.LimitReader(res.Body, maxError)) // so that the connection can be used again
		return err
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, maxResponse+1))
	if err != nil {
		return err
	}
	if len(data) > maxResponse {
		return fmt.Errorf("client: a response has more than %d bytes", maxResponse)
	}
	return json.Unmarshal(data, r.Out)
}

// failure converts a response to an Error.
func failure(res *http.Response) error {
	e := &Error{Status: res.StatusCode, RequestID: res.Header.Get("X-Request-Id")}
	if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && seconds >= 0 {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, maxError))
	if err != nil {
		return e
	}
	var body struct {
		Error   json.RawMessage
		Details struct {
			Message string
			Errors  []string
		}
		Description string `json:"error_description"` // of OAuth (RFC 6749 section 5.2)
	}
	if json.Unmarshal(data, &body) != nil {
		return e
	}
	e.Message, e.Fields = cmp.Or(body.Details.Message, body.Description), body.Details.Errors
	var limit struct{ Message string } // the shape of 429
	if e.Message == "" && json.Unmarshal(body.Error, &limit) == nil {
		e.Message = limit.Message
	}
	return e
}

// pause returns how long to wait before a request is repeated, and whether it may be.
func (c *Client) pause(err error, method string, header http.Header, attempt int) (time.Duration, bool) {
	if err == nil || attempt >= c.retries || errors.Is(err, context.Canceled) {
		return 0, false
	}
	var e *Error
	refused := errors.As(err, &e)
	switch {
	case !refused: // the request or the response was lost, so the request may have taken effect
		if _, broken := errors.AsType[*url.Error](err); !broken || method == http.MethodPost && header.Get("Idempotency-Key") == "" {
			return 0, false
		}
	case e.Status == http.StatusTooManyRequests, e.Status == http.StatusServiceUnavailable, e.Status == http.StatusBadGateway, e.Status == http.StatusGatewayTimeout:
	default:
		return 0, false
	}
	pause := time.Duration(1<<min(attempt, 6)) * 250 * time.Millisecond
	pause = pause/2 + mathrand.N(pause/2+1)
	if refused && e.RetryAfter > 0 {
		pause = e.RetryAfter
	}
	return pause, pause <= c.longest
}

// encodeBody encodes a body as JSON or a form, and returns its media type.
func encodeBody(body any) (encoded []byte, kind string, err error) {
	switch b := body.(type) {
	case nil:
		return nil, "", nil
	case Encoded:
		return b.Data, b.Type, nil
	case form:
		var fields map[string]string
		if encoded, err = json.Marshal(b.body); err == nil {
			err = json.Unmarshal(encoded, &fields)
		}
		values := url.Values{}
		for name, value := range fields {
			values.Set(name, value)
		}
		return []byte(values.Encode()), formType, err
	}
	if v := reflect.ValueOf(body); v.Kind() == reflect.Pointer && v.IsNil() {
		return []byte("{}"), "application/json", nil
	}
	encoded, err = json.Marshal(body)
	return encoded, "application/json", err
}

// Upload sends a file, and returns the value to create a block with. It reads the file once.
func (c *Client) Upload(ctx context.Context, name, contentType string, size int64, file io.Reader) (value string, err error) {
	made, err := c.PresignUpload(ctx, &PresignUploadRequest{Files: []PresignUploadRequestFile{{Filename: name, ContentType: contentType}}})
	if err != nil {
		return "", err
	}
	if len(made.Files) != 1 {
		return "", errors.New("client: the server returned no address for the file")
	}
	to := made.Files[0]
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, to.UploadURL, file)
	if err != nil {
		return "", err
	}
	req.ContentLength = size
	req.Header.Set("Content-Type", to.ContentType)
	res, err := c.http.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 {
		return "", failure(res)
	}
	return strings.Split(to.UploadURL, "?")[0], nil
}

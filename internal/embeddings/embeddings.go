// Package embeddings computes vectors of texts at an endpoint with the API of OpenAI's /v1/embeddings, such as Ollama or
// llama.cpp.
package embeddings

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Options describe an endpoint.
type Options struct {
	URL   string // absolute, of the endpoint itself
	Model string
	Key   string // sent as a bearer token; empty for none

	// Watch wraps the transport, for metrics; it may be nil.
	Watch func(http.RoundTripper) http.RoundTripper
}

// Limits of an answer.
const (
	maxAnswer = 32 << 20 // bytes
	MinValues = 2        // of a vector
	MaxValues = 4096
)

// atOnce is the maximum number of concurrent connections.
const atOnce = 4

// Client sends requests to one endpoint.
type Client struct {
	options Options
	http    *http.Client
}

// New returns a client. It connects to private addresses too, because the operator chooses the endpoint, and follows no
// redirects.
func New(o Options) *Client {
	var transport http.RoundTripper = &http.Transport{
		Proxy:       http.ProxyFromEnvironment,
		DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext, TLSHandshakeTimeout: 5 * time.Second,
		MaxConnsPerHost: atOnce, MaxIdleConnsPerHost: atOnce, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10,
		ForceAttemptHTTP2: true,
	}
	if o.Watch != nil {
		transport = o.Watch(transport)
	}
	return &Client{o, &http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Model returns the name of the model.
func (c *Client) Model() string { return c.options.Model }

// Host returns the host of the endpoint, and its port if it has one.
func (c *Client) Host() string {
	u, err := url.Parse(c.options.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// Code is the reason why a request failed.
type Code string

// The codes of failures.
const (
	Unreachable  Code = "unreachable"
	Slow         Code = "slow"
	Unauthorized Code = "unauthorized" // the key is missing or wrong
	Refused      Code = "refused"      // another status from 400 to 499
	Busy         Code = "busy"         // 429
	Redirected   Code = "redirected"
	Failing      Code = "failing"   // any other status
	Malformed    Code = "malformed" // not JSON of the right form
	TooLarge     Code = "too-large" // the answer
	Count        Code = "count"     // not one vector for each text
	Values       Code = "values"    // a vector has no direction, or another dimension than the others
	Dimension    Code = "dimension" // the vectors have another dimension than those before; never returned by Embed
)

// Codes lists all codes.
var Codes = []Code{Unreachable, Slow, Unauthorized, Refused, Busy, Redirected, Failing, Malformed, TooLarge, Count, Values, Dimension}

// Error is a failed request.
type Error struct {
	Code  Code
	cause error
}

func (e *Error) Error() string {
	if e.cause == nil {
		return "embeddings: " + string(e.Code)
	}
	return fmt.Sprintf("embeddings: %s: %v", e.Code, e.cause)
}

func (e *Error) Unwrap() error { return e.cause }

// CodeOf returns the code of an error, or Unreachable for others.
func CodeOf(err error) Code {
	if known, ok := errors.AsType[*Error](err); ok {
		return known.Code
	}
	return Unreachable
}

type request struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
}

type answer struct {
	Data []struct {
		Index     *int      `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
}

// Embed returns a vector for each text, in their order and all of the same dimension. Its errors contain neither texts nor
// the key.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := json.Marshal(request{c.options.Model, texts})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.options.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	if c.options.Key != "" {
		r.Header.Set("Authorization", "Bearer "+c.options.Key)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return nil, failure(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	if code := codeOf(response.StatusCode); code != "" {
		return nil, &Error{code, errors.New(http.StatusText(response.StatusCode))}
	}
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, failure(ctx, err)
	case len(raw) > maxAnswer:
		return nil, &Error{Code: TooLarge}
	}
	var a answer
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, &Error{Code: Malformed} // the cause may quote the answer
	}
	return a.vectors(len(texts))
}

// failure returns the error of a request without an answer. It leaves out the URL, which an operator may consider secret.
func failure(ctx context.Context, err error) error {
	var timeout net.Error
	code := Unreachable
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		code = Slow
	}
	if of, ok := errors.AsType[*url.Error](err); ok {
		err = of.Err
	}
	return &Error{code, err}
}

// codeOf returns why a status is a failure, or "" for 200.
func codeOf(status int) Code {
	switch {
	case status == http.StatusOK:
		return ""
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return Unauthorized
	case status == http.StatusTooManyRequests:
		return Busy
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status == http.StatusRequestTimeout:
		return Failing // a wrong address or model, which is not the fault of a text
	case status >= 300 && status < 400:
		return Redirected
	case status >= 400 && status < 500:
		return Refused
	}
	return Failing
}

// vectors checks the answer for n texts.
func (a answer) vectors(n int) ([][]float32, error) {
	if len(a.Data) != n {
		return nil, &Error{Code: Count}
	}
	all := make([][]float32, n)
	for i, d := range a.Data {
		if d.Index != nil {
			i = *d.Index
		}
		if i < 0 || i >= n || all[i] != nil {
			return nil, &Error{Code: Count}
		}
		if all[i] = d.Embedding; !valid(d.Embedding) || len(d.Embedding) != len(a.Data[0].Embedding) {
			return nil, &Error{Code: Values}
		}
	}
	return all, nil
}

// valid reports whether a vector has a direction.
func valid(v []float32) bool {
	if len(v) < MinValues || len(v) > MaxValues {
		return false
	}
	var any bool
	for _, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return false
		}
		any = any || x != 0
	}
	return any
}

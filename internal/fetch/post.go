package fetch

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"
)

// excerptTime is how long Post reads the body of a response.
const excerptTime = time.Second

// Message is a body to send to a URL.
type Message struct {
	URL      string // absolute, http or https
	Header   http.Header
	Body     []byte
	MaxBytes int64 // of the response that are read
}

// Answer is a response to a message. Excerpt is the beginning of its body.
type Answer struct {
	Status     int
	RetryAfter time.Duration // minimum wait; 0 if unknown
	Excerpt    []byte
}

// Post sends a message. It follows no redirects, and returns responses of any status. It reads only the beginning of the
// response, for a second at most, so that a receiver that never ends its response costs no more time. Its errors are of type *Error.
func (c *Client) Post(ctx context.Context, m Message) (Answer, error) {
	running, stop := context.WithTimeoutCause(ctx, c.timeout, errSlow)
	defer stop()
	answer, err := c.post(running, m)
	if err != nil {
		return answer, (&fetch{caller: ctx, ctx: running}).explain(err)
	}
	return answer, nil
}

func (c *Client) post(ctx context.Context, m Message) (a Answer, err error) {
	target, err := parse(m.URL)
	if err != nil {
		return a, err
	}
	if err := c.Check(m.URL); err != nil {
		return a, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), bytes.NewReader(m.Body))
	if err != nil {
		return a, &Error{Reason: "The address is not valid", cause: err}
	}
	req.Header = m.Header.Clone()
	req.Header.Set("User-Agent", c.agent)
	req.Header.Set("Accept-Encoding", "identity")
	release, err := c.hosts.enter(ctx, target)
	if err != nil {
		return a, err
	}
	defer release()
	response, err := c.transport.RoundTrip(req)
	if err != nil {
		return a, err
	}
	a.Status = response.StatusCode
	if a.Status == http.StatusTooManyRequests || a.Status == http.StatusServiceUnavailable {
		a.RetryAfter = min(retryAfter(response.Header.Get("Retry-After"), time.Now()), maxRetryAfter)
	}
	enough := time.AfterFunc(excerptTime, cancel)
	defer enough.Stop()
	a.Excerpt, _ = io.ReadAll(io.LimitReader(response.Body, m.MaxBytes)) // the status counts, even if the body breaks off
	_ = response.Body.Close()
	return a, nil
}

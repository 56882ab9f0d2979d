package blob

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
)

const (
	// defaultTimeout is the timeout for connecting to S3 and for its response headers.
	defaultTimeout = 5 * time.Second
	// silence is the maximum pause in a response body.
	silence = 30 * time.Second
	// tripAfter is the number of consecutive requests without a response that open the breaker.
	tripAfter = 3
	// tripFor is how long the breaker stays open before one request may try again.
	tripFor = 5 * time.Second
)

var (
	errSilent  = errors.New("S3 does not respond in time")
	errTripped = errors.New("S3 has not responded recently, so no request was sent")
)

// transport returns minio's transport with shorter timeouts.
func (o *S3Options) transport(secure bool) (http.RoundTripper, error) {
	t, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, err
	}
	t.DialContext = (&net.Dialer{Timeout: o.Timeout, KeepAlive: 30 * time.Second}).DialContext
	t.TLSHandshakeTimeout, t.ResponseHeaderTimeout = o.Timeout, o.Timeout
	if o.Watch != nil {
		return o.Watch(t), nil
	}
	return t, nil
}

// breaker is a circuit breaker: it rejects requests while S3 does not respond, so that callers do not wait
// in vain.
type breaker struct {
	mu     sync.Mutex
	failed int       // consecutive requests without a response
	until  time.Time // when one request may try again
}

// allow returns nil if a request may be sent. The caller must pass its result to note.
func (b *breaker) allow() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed < tripAfter {
		return nil
	}
	now := time.Now()
	if now.Before(b.until) {
		return temporary(errTripped)
	}
	b.until = now.Add(tripFor) // other requests stay blocked until this one ends
	return nil
}

// note records the result of a request, unless the caller's context ended it.
func (b *breaker) note(ctx context.Context, err error) {
	var answer minio.ErrorResponse
	answered := err == nil || errors.As(err, &answer) || errors.Is(err, ErrSource) || errors.Is(err, ErrSize)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case answered:
		b.failed = 0
	case ctx.Err() == nil:
		b.failed++
		b.until = time.Now().Add(tripFor)
	}
}

// ask sends a request that ends with a response, with the timeout for S3 if brief is set.
func (s *S3) ask(ctx context.Context, brief bool, request func(ctx context.Context) error) error {
	if err := s.breaker.allow(); err != nil {
		return err
	}
	within := ctx
	if brief {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeoutCause(ctx, s.timeout, errSilent)
		defer cancel()
	}
	err := request(within)
	s.breaker.note(ctx, err)
	return s3Error(err)
}

// download starts a download. Its headers must arrive within the timeout, and its bytes without long
// pauses.
func (s *S3) download(ctx context.Context, key string, o minio.GetObjectOptions) (io.ReadCloser, http.Header, error) {
	if err := s.breaker.allow(); err != nil {
		return nil, nil, err
	}
	within, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(s.timeout, func() { cancel(errSilent) })
	body, _, header, err := s.core.GetObject(within, s.bucket, key, o)
	timer.Stop()
	if err != nil && errors.Is(context.Cause(within), errSilent) {
		err = errSilent // not a cancellation by the caller
	}
	s.breaker.note(ctx, err)
	if err != nil {
		cancel(nil)
		return nil, nil, s3Error(err)
	}
	return &watchedBody{body, timer, within, cancel}, header, nil
}

// watchedBody aborts a download that pauses for too long.
type watchedBody struct {
	io.ReadCloser
	timer  *time.Timer
	ctx    context.Context
	cancel context.CancelCauseFunc
}

func (b *watchedBody) Read(p []byte) (int, error) {
	b.timer.Reset(silence)
	n, err := b.ReadCloser.Read(p)
	b.timer.Stop()
	if err != nil && errors.Is(context.Cause(b.ctx), errSilent) {
		err = errSilent
	}
	return n, err
}

func (b *watchedBody) Close() error {
	b.timer.Stop()
	b.cancel(nil)
	return b.ReadCloser.Close()
}

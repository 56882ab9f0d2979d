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
	// defaultPatience is how long S3 has to answer: to connect, and to send its headers.
	defaultPatience = 5 * time.Second
	// silence is how long the body of an answer may pause.
	silence = 30 * time.Second
	// tripAfter is after how many requests in a row without an answer S3 is left alone.
	tripAfter = 3
	// tripFor is how long, before one request tries again.
	tripFor = 5 * time.Second
)

var (
	errSilent  = errors.New("S3 does not answer in time")
	errTripped = errors.New("S3 has not answered for a while and is left alone")
)

// transport is minio's own, less patient.
func (o *S3Options) transport(secure bool) (http.RoundTripper, error) {
	t, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, err
	}
	t.DialContext = (&net.Dialer{Timeout: o.Patience, KeepAlive: 30 * time.Second}).DialContext
	t.TLSHandshakeTimeout, t.ResponseHeaderTimeout = o.Patience, o.Patience
	if o.Watch != nil {
		return o.Watch(t), nil
	}
	return t, nil
}

// breaker refuses requests while S3 does not answer, so that nobody waits for it in vain.
type breaker struct {
	mu     sync.Mutex
	failed int       // requests in a row
	until  time.Time // when one may try again
}

// allow is nil for a request that may be sent; its outcome must be noted.
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
	b.until = now.Add(tripFor) // the others go on waiting for this one
	return nil
}

// note counts an outcome, unless the caller's context has ended it.
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

// ask sends a request that ends with S3's answer, within S3's patience if brief.
func (s *S3) ask(ctx context.Context, brief bool, request func(ctx context.Context) error) error {
	if err := s.breaker.allow(); err != nil {
		return err
	}
	within := ctx
	if brief {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeoutCause(ctx, s.patience, errSilent)
		defer cancel()
	}
	err := request(within)
	s.breaker.note(ctx, err)
	return s3Error(err)
}

// download begins one: its headers must come within S3's patience, and its bytes without
// long pauses.
func (s *S3) download(ctx context.Context, key string, o minio.GetObjectOptions) (io.ReadCloser, http.Header, error) {
	if err := s.breaker.allow(); err != nil {
		return nil, nil, err
	}
	within, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(s.patience, func() { cancel(errSilent) })
	body, _, header, err := s.core.GetObject(within, s.bucket, key, o)
	timer.Stop()
	if err != nil && errors.Is(context.Cause(within), errSilent) {
		err = errSilent // which is no cancellation by the caller
	}
	s.breaker.note(ctx, err)
	if err != nil {
		cancel(nil)
		return nil, nil, s3Error(err)
	}
	return &watchedBody{body, timer, within, cancel}, header, nil
}

// watchedBody ends a download that pauses for too long.
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

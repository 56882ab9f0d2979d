package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/minio/minio-go/v7"
)

// Open sends a HEAD request. The content is requested when it is read. See Store.
func (s *S3) Open(ctx context.Context, name string) (*File, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	info, err := s.stat(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("blob: open %s: %w", name, err)
	}
	get := func(first, last int64) (io.ReadCloser, error) {
		var o minio.GetObjectOptions
		if err := errors.Join(o.SetMatchETag(info.ETag), o.SetRange(first, last)); err != nil {
			return nil, fmt.Errorf("blob: read %s: %w", name, err)
		}
		body, header, err := s.download(ctx, s.key(name), o)
		if err != nil {
			return nil, fmt.Errorf("blob: read %s: %w", name, err)
		}
		// On some servers ETags are independent of the content, so a match proves little.
		want := fmt.Sprintf("bytes %d-%d/%d", first, last, info.Size)
		if got := header.Get("Content-Range"); got != want {
			return nil, errors.Join(fmt.Errorf("blob: read %s: S3 sends %q instead of %q", name, got, want), body.Close())
		}
		return body, nil
	}
	return &File{
		Info:    Info{Size: info.Size, ModTime: info.LastModified, ContentType: info.ContentType},
		Content: &object{get: get, size: info.Size},
	}, nil
}

// object reads an object. Sequential reads share one request, and each ReadAt sends its own. After an
// error, the next call sends a new request, so an interrupted download can be resumed. minio's Object
// treats a ReadAt up to the end as the end of Read, and cannot seek beyond the end.
type object struct {
	get    func(first, last int64) (io.ReadCloser, error) // bytes first to last, inclusive
	size   int64
	offset int64         // of the next Read
	body   io.ReadCloser // from offset to the end, or nil
	closed bool
}

func (o *object) Read(p []byte) (int, error) {
	switch {
	case o.closed:
		return 0, os.ErrClosed
	case len(p) == 0:
		return 0, nil
	case o.offset >= o.size:
		return 0, io.EOF
	}
	if o.body == nil {
		body, err := o.get(o.offset, o.size-1)
		if err != nil {
			return 0, err
		}
		o.body = body
	}
	n, err := o.body.Read(p)
	o.offset += int64(n)
	if err == nil {
		return n, nil
	}
	err = errors.Join(bodyError(err, o.size-o.offset), o.drop())
	if o.offset == o.size {
		return n, io.EOF
	}
	return n, err
}

// ReadAt can be called concurrently.
func (o *object) ReadAt(p []byte, offset int64) (int, error) {
	switch {
	case offset < 0:
		return 0, errors.New("blob: read before the beginning")
	case len(p) == 0:
		return 0, nil
	case offset >= o.size:
		return 0, io.EOF
	}
	part := p[:min(int64(len(p)), o.size-offset)]
	body, err := o.get(offset, offset+int64(len(part))-1)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	n, err := io.ReadFull(body, part)
	if err != nil {
		return n, bodyError(err, int64(len(part)-n))
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// bodyError returns the error for a response that ends too early.
func bodyError(err error, missing int64) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("blob: read, %d bytes before the end: %w", missing, s3Error(err))
}

func (o *object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += o.offset
	case io.SeekEnd:
		offset += o.size
	default:
		return 0, fmt.Errorf("blob: seek: invalid whence %d", whence)
	}
	switch {
	case o.closed:
		return 0, os.ErrClosed
	case offset < 0:
		return 0, errors.New("blob: seek before the beginning")
	}
	if offset != o.offset {
		o.offset = offset
		return offset, o.drop()
	}
	return offset, nil
}

// Close ends a running download.
func (o *object) Close() error {
	o.closed = true
	return o.drop()
}

func (o *object) drop() error {
	if o.body == nil {
		return nil
	}
	body := o.body
	o.body = nil
	return body.Close()
}

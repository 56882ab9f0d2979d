package blob

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// attempts is how often a request is sent before it fails, with pauses of up to a second. Short outages
// are hidden, and long ones are reported within seconds.
const attempts = 5

// S3 stores files in a bucket, with keys that consist of the prefix and the name. The credentials must
// allow getting, putting, deleting and listing objects. Without the list permission, S3 returns
// "forbidden" for missing objects.
type S3 struct {
	core   minio.Core
	public *minio.Client // creates URLs for clients
	bucket string
	prefix string

	timeout time.Duration
	breaker breaker
}

var _ Store = (*S3)(nil)

// OpenS3 checks the options. It does not connect.
func OpenS3(o S3Options) (*S3, error) {
	if o.AccessKey == "" || o.SecretKey == "" {
		return nil, errors.New("blob: an access key and a secret key are needed for S3")
	}
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	private, err := o.client(o.Endpoint)
	if err != nil {
		return nil, err
	}
	public := private
	if o.PublicEndpoint != "" {
		if public, err = o.client(o.PublicEndpoint); err != nil {
			return nil, err
		}
	}
	return &S3{core: minio.Core{Client: private}, public: public, bucket: o.Bucket, prefix: o.Prefix, timeout: o.Timeout}, nil
}

func (o *S3Options) client(endpoint string) (*minio.Client, error) {
	u, err := parseEndpoint(endpoint)
	if err != nil {
		return nil, fmt.Errorf("blob: S3 endpoint: %w", err)
	}
	lookup := minio.BucketLookupAuto
	if o.PathStyle != nil && *o.PathStyle {
		lookup = minio.BucketLookupPath
	} else if o.PathStyle != nil {
		lookup = minio.BucketLookupDNS
	}
	transport, err := o.transport(u.Scheme == "https")
	if err != nil {
		return nil, fmt.Errorf("blob: S3: %w", err)
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds:        credentials.NewStaticV4(o.AccessKey, o.SecretKey, ""),
		Secure:       u.Scheme == "https",
		Region:       o.Region,
		BucketLookup: lookup,
		Transport:    transport,
		MaxRetries:   attempts,
	})
	if err != nil {
		return nil, fmt.Errorf("blob: S3: %w", err)
	}
	return client, nil
}

// key returns the object key for a name.
func (s *S3) key(name string) string { return path.Join(s.prefix, name) }

// Put uploads r. Readers that are seekable and implement io.ReaderAt are not buffered, and are sent again
// if a request fails. For other readers, up to 16 MiB are held in memory. See Store.
func (s *S3) Put(ctx context.Context, name string, r io.Reader, size int64, contentType string) error {
	if err := checkName(name); err != nil {
		return err
	}
	return s.put(ctx, name, r, size, contentType)
}

func (s *S3) put(ctx context.Context, name string, r io.Reader, size int64, contentType string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // stops the uploads of other parts after a failure
	body, err := sized(ctx, r, size)
	if err == nil {
		err = s.ask(ctx, false, func(ctx context.Context) error {
			_, err := s.core.Client.PutObject(ctx, s.bucket, s.key(name), body, size, minio.PutObjectOptions{ContentType: contentType})
			// minio replaces errors that mention an EOF.
			if exact, ok := body.(*exact); ok && err != nil {
				if read := exact.failure(); read != nil && read != io.EOF {
					return read
				}
			}
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("blob: put %s: %w", name, err)
	}
	return nil
}

// sized returns a reader of exactly size bytes, which is seekable if r is.
func sized(ctx context.Context, r io.Reader, size int64) (io.Reader, error) {
	if file, ok := r.(interface {
		io.Seeker
		io.ReaderAt
	}); ok {
		start, err := file.Seek(0, io.SeekCurrent)
		if err == nil { // false for a pipe, which is an *os.File, too
			return section(file, start, size)
		}
	}
	body := newExact(ctx, r, size)
	if size == 0 { // minio would not read it
		if _, err := body.Read(make([]byte, 1)); err != io.EOF {
			return body, err
		}
	}
	return body, nil
}

func section(file interface {
	io.Seeker
	io.ReaderAt
}, start, size int64) (io.Reader, error) {
	end, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = file.Seek(start, io.SeekStart)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSource, err)
	}
	if end-start != size {
		return nil, fmt.Errorf("%w: there are %d bytes instead of %d", ErrSize, end-start, size)
	}
	return io.NewSectionReader(file, start, size), nil
}

// PutStaged uploads a received file. See Store.
func (s *S3) PutStaged(ctx context.Context, name string, staged *Staged, contentType string) error {
	f, err := staged.Open()
	if err != nil {
		return fmt.Errorf("blob: put %s: %w", name, err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	return s.Put(ctx, name, f, staged.Size, contentType)
}

// Stat sends a HEAD request. See Store.
func (s *S3) Stat(ctx context.Context, name string) (Info, error) {
	if err := checkName(name); err != nil {
		return Info{}, err
	}
	info, err := s.stat(ctx, name)
	if err != nil {
		return Info{}, fmt.Errorf("blob: stat %s: %w", name, err)
	}
	return Info{Size: info.Size, ModTime: info.LastModified, ContentType: info.ContentType}, nil
}

// List lists up to a thousand names per request. See Store.
func (s *S3) List(ctx context.Context, folder string, visit func(name string, size int64) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // stops the listing if visit fails
	below := s.prefix
	if below != "" {
		below += "/"
	}
	for object := range s.core.Client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: below + folder, Recursive: true}) {
		if object.Err != nil {
			return fmt.Errorf("blob: list: %w", s3Error(object.Err))
		}
		name := strings.TrimPrefix(object.Key, below)
		if strings.HasPrefix(name, temporaryFolder+"/") {
			continue
		}
		if err := visit(name, object.Size); err != nil {
			return err
		}
	}
	return nil
}

func (s *S3) stat(ctx context.Context, name string) (info minio.ObjectInfo, err error) {
	err = s.ask(ctx, true, func(ctx context.Context) error {
		info, err = s.core.StatObject(ctx, s.bucket, s.key(name), minio.StatObjectOptions{})
		return err
	})
	return info, err
}

func (s *S3) remove(ctx context.Context, name string) error {
	return s.ask(ctx, true, func(ctx context.Context) error {
		return s.core.RemoveObject(ctx, s.bucket, s.key(name), minio.RemoveObjectOptions{})
	})
}

// Delete removes an object. See Store.
func (s *S3) Delete(ctx context.Context, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	err := s.remove(ctx, name)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("blob: delete %s: %w", name, err)
	}
	return nil
}

// PresignPut signs a PUT request to the public endpoint, locally. S3 rejects another content type with 403.
// See Store.
func (s *S3) PresignPut(ctx context.Context, name, contentType string, d time.Duration) (string, bool, error) {
	if err := checkName(name); err != nil {
		return "", false, err
	}
	if contentType == "" || strings.TrimSpace(contentType) != contentType {
		return "", false, fmt.Errorf("blob: presign %s: %q is not a valid content type", name, contentType)
	}
	header := http.Header{"Content-Type": {contentType}}
	u, err := s.public.PresignHeader(ctx, http.MethodPut, s.bucket, s.key(name), d, nil, header)
	if err != nil {
		return "", false, fmt.Errorf("blob: presign %s: %w", name, err)
	}
	return u.String(), true, nil
}

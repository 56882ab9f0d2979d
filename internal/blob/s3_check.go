package blob

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// Check looks for the bucket and writes and removes an object. See Store.
func (s *S3) Check(ctx context.Context) error {
	if err := s.check(ctx); err != nil {
		return fmt.Errorf("blob: the bucket %s at %s cannot be used: %w", s.bucket, s.core.EndpointURL(), s3Error(err))
	}
	return nil
}

func (s *S3) check(ctx context.Context) error {
	exists, err := s.core.BucketExists(ctx, s.bucket)
	if err != nil {
		return err
	}
	if !exists {
		return errors.New("it does not exist")
	}
	if err := s.put(ctx, probe, strings.NewReader("ok"), 2, "text/plain"); err != nil {
		return err
	}
	return s.core.Client.RemoveObject(ctx, s.bucket, s.key(probe), minio.RemoveObjectOptions{})
}

// Sweep ends uploads in parts that a crash has cut off; S3 keeps, and bills, their
// parts otherwise. See Store.
func (s *S3) Sweep(ctx context.Context, olderThan time.Duration) error {
	prefix := s.prefix
	if prefix != "" {
		prefix += "/"
	}
	var uploads []minio.ObjectMultipartInfo
	for upload := range s.core.ListIncompleteUploads(ctx, s.bucket, prefix, true) {
		if upload.Err != nil {
			return fmt.Errorf("blob: sweep: %w", s3Error(upload.Err))
		}
		uploads = append(uploads, upload)
	}
	before := time.Now().Add(-olderThan)
	for _, upload := range uploads {
		if upload.Initiated.After(before) {
			continue
		}
		err := s.core.AbortMultipartUpload(ctx, s.bucket, upload.Key, upload.UploadID)
		if err != nil && minio.ToErrorResponse(err).Code != minio.NoSuchUpload { // finished in the meantime
			return fmt.Errorf("blob: sweep: %w", s3Error(err))
		}
	}
	return nil
}

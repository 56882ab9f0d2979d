package blob

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// Check writes and removes an object, and requests a missing one, for which S3 returns the right error
// only with the list permission. See Store.
func (s *S3) Check(ctx context.Context) error {
	err := s.put(ctx, probe, strings.NewReader("ok"), 2, "text/plain")
	if err == nil {
		err = s.remove(ctx, probe)
	}
	if err == nil {
		err = s.Ready(ctx)
	}
	if err != nil {
		return fmt.Errorf("blob: the bucket %s at %s cannot be used: %w", s.bucket, s.core.EndpointURL(), err)
	}
	return nil
}

// Ready requests a missing object. See Store.
func (s *S3) Ready(ctx context.Context) error {
	if _, err := s.stat(ctx, probe+"-missing"); !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}

// Sweep aborts multipart uploads that a crash interrupted. Otherwise S3 keeps their parts, and charges for
// them. See Store.
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
		if err != nil && minio.ToErrorResponse(err).Code != minio.NoSuchUpload { // not completed in the meantime
			return fmt.Errorf("blob: sweep: %w", s3Error(err))
		}
	}
	return nil
}

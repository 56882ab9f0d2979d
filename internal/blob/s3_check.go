package blob

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// Check writes and removes an object, and looks for one that is missing, which S3 does
// not tell without the right to list. See Store.
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

// Ready looks for an object that is missing. See Store.
func (s *S3) Ready(ctx context.Context) error {
	if _, err := s.stat(ctx, probe+"-missing"); !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
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

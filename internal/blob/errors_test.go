package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
	"testing"

	"github.com/minio/minio-go/v7"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	full := &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	answer := func(status int, code string) error {
		return fmt.Errorf("put: %w", s3Error(minio.ErrorResponse{StatusCode: status, Code: code}))
	}
	for name, c := range map[string]struct {
		err       error
		temporary bool
		missing   bool
	}{
		"none":            {nil, false, false},
		"disk is full":    {fmt.Errorf("put: %w", diskError(full)), true, false},
		"reader's disk":   {diskError(fmt.Errorf("%w: %w", ErrSource, full)), false, false},
		"disk is broken":  {diskError(syscall.EIO), false, false},
		"no file":         {absence(fs.ErrNotExist), false, true},
		"no folder":       {absence(&fs.PathError{Err: syscall.ENOTDIR}), false, true},
		"no object":       {answer(404, "NoSuchKey"), false, true},
		"no bucket":       {answer(404, "NoSuchBucket"), false, false},
		"denied":          {answer(403, "AccessDenied"), false, false},
		"replaced":        {answer(412, "PreconditionFailed"), false, false},
		"busy":            {answer(503, "SlowDown"), true, false},
		"gateway":         {answer(502, "502 Bad Gateway"), true, false},
		"too many":        {answer(429, "TooMany"), true, false},
		"slow":            {answer(400, "RequestTimeout"), true, false},
		"not implemented": {answer(501, "NotImplemented"), false, false},
		"no answer":       {s3Error(errors.New("connection closed")), true, false},
		"cut off":         {s3Error(io.ErrUnexpectedEOF), true, false},
		"no time":         {s3Error(context.DeadlineExceeded), true, false},
		"not wanted":      {s3Error(context.Canceled), false, false},
		"reader's fault":  {s3Error(fmt.Errorf("%w: %w", ErrSource, io.ErrUnexpectedEOF)), false, false},
		"wrong size":      {s3Error(ErrSize), false, false},
	} {
		if Temporary(c.err) != c.temporary || errors.Is(c.err, ErrNotFound) != c.missing {
			t.Errorf("%s: %v: temporary %t, missing %t", name, c.err, Temporary(c.err), errors.Is(c.err, ErrNotFound))
		}
	}
}

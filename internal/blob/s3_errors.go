package blob

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/minio/minio-go/v7"

	"vitrine/internal/domain"
)

// passing are codes of errors after which S3 wants to be asked again, and which may
// come with a status that does not say so.
var passing = []string{
	"RequestTimeout", "Throttling", "ThrottlingException", "RequestLimitExceeded", "RequestThrottled",
	"InternalError", "SlowDown", "ServiceUnavailable", "OperationAborted",
}

// s3Error adds to an error of minio what callers ask for.
func s3Error(err error) error {
	var response minio.ErrorResponse
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, ErrSource), errors.Is(err, ErrSize):
		return err
	case !errors.As(err, &response): // no answer, or not all of it
		return temporary(err)
	case response.Code == minio.NoSuchKey:
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	case response.StatusCode >= http.StatusInternalServerError && response.StatusCode != http.StatusNotImplemented,
		response.StatusCode == http.StatusTooManyRequests, response.StatusCode == http.StatusRequestTimeout,
		slices.Contains(passing, response.Code):
		return temporary(err)
	}
	return domain.NewUnavailable(err) // nothing that our client could fix
}

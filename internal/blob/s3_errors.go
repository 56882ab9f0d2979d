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

// passing are error codes after which a request should be retried, even if the status code does not
// suggest it.
var passing = []string{
	"RequestTimeout", "Throttling", "ThrottlingException", "RequestLimitExceeded", "RequestThrottled",
	"InternalError", "SlowDown", "ServiceUnavailable", "OperationAborted",
}

// s3Error adds this package's error values to an error of minio.
func s3Error(err error) error {
	var response minio.ErrorResponse
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, ErrSource), errors.Is(err, ErrSize):
		return err
	case !errors.As(err, &response): // no response or an incomplete one
		return temporary(err)
	case response.Code == minio.NoSuchKey:
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	case response.StatusCode >= http.StatusInternalServerError && response.StatusCode != http.StatusNotImplemented,
		response.StatusCode == http.StatusTooManyRequests, response.StatusCode == http.StatusRequestTimeout,
		slices.Contains(passing, response.Code):
		return temporary(err)
	}
	return domain.NewUnavailable(err) // not the client's fault
}

package httpedge

import (
	"context"
	"errors"

	"vitrine/internal/middleware"
)

// errNotModified makes Errors.Fail respond 304.
var errNotModified = errors.New("not modified")

// Fresh records the ETag of the response. If the client already has that version, it returns an
// error that makes Errors.Fail respond 304.
func Fresh(ctx context.Context, etag string) error {
	if middleware.From(ctx).NotModified(etag) {
		return errNotModified
	}
	return nil
}

// SetLocation sets the Location header, at which the client can follow what the request started.
func SetLocation(ctx context.Context, address string) { middleware.From(ctx).Location = address }

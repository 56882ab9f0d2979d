package httpedge

import (
	"context"
	"errors"

	"vitrine/internal/middleware"
)

// errNotModified makes the renderer answer 304.
var errNotModified = errors.New("not modified")

// Fresh records the ETag of what is about to be shown. It is an error, which makes the
// renderer answer 304, when the client has it already.
func Fresh(ctx context.Context, etag string) error {
	if middleware.From(ctx).NotModified(etag) {
		return errNotModified
	}
	return nil
}

// Begun says where to learn what has become of what the request has begun.
func Begun(ctx context.Context, address string) { middleware.From(ctx).Location = address }

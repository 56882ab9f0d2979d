package ext

import (
	"context"

	"vitrine/internal/oas/wire"
)

// GetExtOpenapiSpecJson serves the description of the extensions.
func (h *handler) GetExtOpenapiSpecJson(context.Context) (wire.JSON, error) {
	return h.doc.JSON(), nil
}

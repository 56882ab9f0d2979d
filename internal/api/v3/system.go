package v3

import (
	"bytes"
	"context"

	"vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
)

// GetPing implements getPing.
func (h *handler) GetPing(context.Context) (*v3.PingResponse, error) {
	return &v3.PingResponse{Status: v3.PingResponseStatusOk}, nil
}

// GetOpenapiSpec serves the description as YAML.
func (h *handler) GetOpenapiSpec(context.Context) (v3.GetOpenapiSpecOK, error) {
	return v3.GetOpenapiSpecOK{Data: bytes.NewReader(h.doc.YAML())}, nil
}

// GetOpenapiSpecJson serves the description as JSON.
func (h *handler) GetOpenapiSpecJson(context.Context) (wire.JSON, error) {
	return h.doc.JSON(), nil
}

package api

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/oas/v3"
)

func (h *handler) BatchCreateBlocks(ctx context.Context, r *v3.BatchCreateBlocksReq) (*v3.BatchResponse, error) {
	return nil, domain.NewNotFound()
}

func (h *handler) GetBatchStatus(ctx context.Context, p v3.GetBatchStatusParams) (*v3.BatchStatus, error) {
	return nil, domain.NewNotFound()
}

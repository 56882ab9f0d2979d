package v3

import (
	"context"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	v3 "vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
)

// BatchCreateBlocks implements batchCreateBlocks.
func (h *handler) BatchCreateBlocks(ctx context.Context, r *v3.BatchCreateBlocksReq) (*v3.BatchResponse, error) {
	blocks := make([]collections.BlockInput, len(r.Blocks))
	for i, b := range r.Blocks {
		blocks[i] = collections.BlockInput{Value: b.Value, Title: httpedge.Given(b.Title), Description: httpedge.Given(b.Description),
			OriginalSourceURL: httpedge.Given(b.OriginalSourceURL), OriginalSourceTitle: httpedge.Given(b.OriginalSourceTitle),
			AltText: httpedge.Given(b.AltText), Metadata: rawMetadata(b.Metadata)}
	}
	b, err := h.app.Collections.CreateBatch(ctx, httpedge.Actor(ctx), collections.CreateBatchInput{Blocks: blocks,
		Plain: targets(r.ChannelIds, v3.OptInt64{}, nil), Placed: targets(nil, v3.OptInt64{}, r.Channels)})
	if err != nil {
		return nil, err
	}
	return &v3.BatchResponse{BatchID: b.ID, Status: v3.BatchResponseStatus(b.State()), Total: b.Total}, nil
}

// GetBatchStatus implements getBatchStatus. An id that is not a UUID is unknown; UUIDs may be in upper case (RFC 9562
// section 4).
func (h *handler) GetBatchStatus(ctx context.Context, p v3.GetBatchStatusParams) (*v3.BatchStatus, error) {
	b, err := h.app.Collections.Batch(ctx, httpedge.Actor(ctx), strings.ToLower(p.BatchID))
	if err != nil {
		return nil, err
	}
	return batchStatus(b), nil
}

func batchStatus(b domain.Batch) *v3.BatchStatus {
	w := &v3.BatchStatus{BatchID: b.ID, Status: v3.BatchStatusStatus(b.State()), Total: b.Total,
		Successful: []v3.BatchStatusSuccessfulItem{}, Failed: []v3.BatchStatusFailedItem{},
		CreatedAt: v3.NewOptTime(wire.Time{Time: b.CreatedAt})}
	for _, i := range b.Items {
		if i.Error != nil {
			w.Failed = append(w.Failed, v3.BatchStatusFailedItem{Index: i.N, Error: *i.Error})
		} else {
			w.Successful = append(w.Successful, v3.BatchStatusSuccessfulItem{Index: i.N, BlockID: int64(i.BlockID)})
		}
	}
	w.SuccessfulCount, w.FailedCount = int64(len(w.Successful)), int64(len(w.Failed))
	if b.EndedAt != nil {
		w.CompletedAt = v3.NewOptTime(wire.Time{Time: *b.EndedAt})
	}
	if b.Error != nil {
		w.Error = v3.NewOptString(*b.Error)
	}
	return w
}

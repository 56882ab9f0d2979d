package v3

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/v3"
)

// GetBlockComments implements getBlockComments. The default order is oldest first.
func (h *handler) GetBlockComments(ctx context.Context, p v3.GetBlockCommentsParams) (*v3.CommentListResponse, error) {
	at := httpedge.Page(p.Page, p.Per)
	desc := p.Sort.Or(v3.ConnectionSortCreatedAtAsc) == v3.ConnectionSortCreatedAtDesc
	l, err := h.app.Collections.Comments(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID), desc, at)
	if err != nil {
		return nil, err
	}
	w := &v3.CommentListResponse{Data: make([]v3.Comment, len(l.Items)), Meta: meta(at, l.Total)}
	for i := range l.Items {
		w.Data[i] = *h.comment(h.at.Comment(&l.Items[i]))
	}
	return w, nil
}

// CreateBlockComment implements createBlockComment.
func (h *handler) CreateBlockComment(ctx context.Context, r *v3.CreateBlockCommentReq, p v3.CreateBlockCommentParams) (*v3.Comment, error) {
	c, err := h.app.Collections.CreateComment(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID), r.Body)
	if err != nil {
		return nil, err
	}
	return h.comment(h.at.Comment(&c)), nil
}

// DeleteComment implements deleteComment.
func (h *handler) DeleteComment(ctx context.Context, p v3.DeleteCommentParams) error {
	return h.app.Collections.DeleteComment(ctx, httpedge.Actor(ctx), domain.CommentID(p.ID))
}

package api

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/v3"
)

// GetBlockComments implements getBlockComments; oldest first by default.
func (h *handler) GetBlockComments(ctx context.Context, p v3.GetBlockCommentsParams) (*v3.CommentListResponse, error) {
	at := page(p.Page, p.Per)
	desc := p.Sort.Or(v3.ConnectionSortCreatedAtAsc) == v3.ConnectionSortCreatedAtDesc
	l, err := h.app.Comments(ctx, actor(ctx), domain.BlockID(p.ID), desc, at)
	if err != nil {
		return nil, err
	}
	w := &v3.CommentListResponse{Data: make([]v3.Comment, len(l.Items)), Meta: meta(at, l.Total)}
	for i, c := range l.Items {
		w.Data[i] = *h.comment(c)
	}
	return w, nil
}

// CreateBlockComment implements createBlockComment.
func (h *handler) CreateBlockComment(ctx context.Context, r *v3.CreateBlockCommentReq, p v3.CreateBlockCommentParams) (*v3.Comment, error) {
	c, err := h.app.CreateComment(ctx, actor(ctx), domain.BlockID(p.ID), r.Body)
	if err != nil {
		return nil, err
	}
	return h.comment(c), nil
}

// DeleteComment implements deleteComment.
func (h *handler) DeleteComment(ctx context.Context, p v3.DeleteCommentParams) error {
	return h.app.DeleteComment(ctx, actor(ctx), domain.CommentID(p.ID))
}

// UpdateComment implements updateComment.
func (h *handler) UpdateComment(ctx context.Context, r *ext.UpdateCommentReq, p ext.UpdateCommentParams) (*ext.Comment, error) {
	c, err := h.app.UpdateComment(ctx, actor(ctx), domain.CommentID(p.ID), r.Body)
	if err != nil {
		return nil, err
	}
	w := h.comment(c)
	return &ext.Comment{ID: w.ID, Type: ext.CommentTypeComment, Body: ext.Markdown(w.Body.Value), CreatedAt: w.CreatedAt,
		UpdatedAt: w.UpdatedAt, User: extUser(w.User), Links: w.Links}, nil
}

func extUser(u v3.EmbeddedUser) ext.EmbeddedUser {
	return ext.EmbeddedUser{ID: u.ID, Type: ext.EmbeddedUserType(u.Type), Name: u.Name, Slug: u.Slug,
		Avatar: ext.NilString(u.Avatar), Initials: u.Initials}
}

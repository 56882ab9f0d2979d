package v2

import "vitrine/internal/domain"

// getComments lists the comments on a block, oldest first.
func (h *handler) getComments(c call) (answer, error) {
	at := c.page()
	l, err := h.app.Collections.Comments(c.ctx, c.who, domain.BlockID(c.id(0)), false, at)
	if err != nil {
		return nil, err
	}
	mentions, err := h.app.Collections.Mentioned(c.ctx, l.Items)
	if err != nil {
		return nil, err
	}
	cast := h.newRelated(c.who)
	for _, comment := range l.Items {
		cast.principal(comment.Author)
	}
	if err := cast.load(c.ctx); err != nil {
		return nil, err
	}
	return func(p jsonWriter) {
		p.object(func() {
			envelope(p, at, l.Total)
			p.null("channel_title")
			p.list("comments", len(l.Items), func(i int) { cast.comment(p, l.Items[i], mentions[l.Items[i].ID]) })
		})
	}, nil
}

// said returns the text of a request to comment.
func (c call) said() (string, error) {
	var in struct {
		Body string `json:"body"`
	}
	err := c.input(&in)
	return in.Body, err
}

func (h *handler) createComment(c call) (answer, error) {
	body, err := c.said()
	if err != nil {
		return nil, err
	}
	made, err := h.app.Collections.CreateComment(c.ctx, c.who, domain.BlockID(c.id(0)), body)
	if err != nil {
		return nil, err
	}
	mentions, err := h.app.Collections.Mentioned(c.ctx, []domain.Comment{made})
	if err != nil {
		return nil, err
	}
	cast := h.newRelated(c.who)
	cast.principal(made.Author)
	if err := cast.load(c.ctx); err != nil {
		return nil, err
	}
	return func(p jsonWriter) { cast.comment(p, made, mentions[made.ID]) }, nil
}

// commentAt returns the comment of a path, which must be on the path's block.
func (h *handler) commentAt(c call) (domain.CommentID, error) {
	found, err := h.app.Collections.Comment(c.ctx, c.who, domain.CommentID(c.id(1)))
	if err == nil && found.BlockID != domain.BlockID(c.id(0)) {
		err = domain.NewNotFound()
	}
	return found.ID, err
}

func (h *handler) updateComment(c call) (answer, error) {
	id, err := h.commentAt(c)
	if err != nil {
		return nil, err
	}
	body, err := c.said()
	if err != nil {
		return nil, err
	}
	_, err = h.app.Collections.UpdateComment(c.ctx, c.who, id, body)
	return nil, err
}

func (h *handler) deleteComment(c call) (answer, error) {
	id, err := h.commentAt(c)
	if err != nil {
		return nil, err
	}
	return nil, h.app.Collections.DeleteComment(c.ctx, c.who, id)
}

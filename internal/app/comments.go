package app

import (
	"context"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/markup"
	"vitrine/internal/store"
)

// Comments lists the comments on a block that the actor sees.
func (a *App) Comments(ctx context.Context, actor domain.Actor, id domain.BlockID, desc bool, page domain.Page) (l domain.List[domain.Comment], err error) {
	err = a.store.InSnapshot(ctx, func(v *store.Snapshot) error {
		b, err := v.Block(ctx, actor.UserID, id)
		if err != nil {
			return err
		}
		l, err = v.Comments(ctx, b, desc, page)
		return err
	})
	return l, err
}

// CreateComment comments on a block that the actor sees (behaviour.md section 3).
func (a *App) CreateComment(ctx context.Context, actor domain.Actor, id domain.BlockID, body string) (c domain.Comment, err error) {
	text, mentioned, err := a.commentBody(ctx, body)
	if err != nil {
		return c, err
	}
	now := a.now()
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		b, err := lockedBlock(ctx, tx, actor, id)
		if err != nil {
			return err
		}
		made, err := tx.CreateComment(ctx, id, actor.UserID, text, now)
		if err != nil {
			return err
		}
		news, err := newsOfComment(ctx, tx, actor, b, made, mentioned, now)
		if err != nil {
			return err
		}
		if _, err := tx.RecordAll(ctx, news...); err != nil {
			return err
		}
		c, err = tx.Comment(ctx, made)
		return err
	})
	return c, err
}

// commentBody renders a comment and finds who is mentioned in it.
func (a *App) commentBody(ctx context.Context, body string) (domain.Text, []domain.UserID, error) {
	if strings.TrimSpace(body) == "" {
		return domain.Text{}, nil, domain.NewInvalid("body: must not be blank")
	}
	slugs := markup.Mentions(body)
	users, err := a.store.UsersBySlug(ctx, slugs[:min(len(slugs), domain.MaxMentions)])
	if err != nil {
		return domain.Text{}, nil, err
	}
	var mentioned []domain.UserID
	links := make(map[string]string, len(users))
	for _, slug := range slugs {
		if id, ok := users[slug]; ok {
			mentioned = append(mentioned, id)
			links[slug] = a.siteURL + "/" + slug
		}
	}
	t := markup.RenderMentions(body, links)
	return domain.Text{Markdown: t.Markdown, HTML: t.HTML, Plain: t.Plain}, mentioned, nil
}

// UpdateComment changes the body of a comment. Its author may. Nobody is told.
func (a *App) UpdateComment(ctx context.Context, actor domain.Actor, id domain.CommentID, body string) (c domain.Comment, err error) {
	text, _, err := a.commentBody(ctx, body)
	if err != nil {
		return c, err
	}
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		if _, err := ownComment(ctx, tx, actor, id, "change"); err != nil {
			return err
		}
		if err := tx.UpdateComment(ctx, id, text, a.now()); err != nil {
			return err
		}
		c, err = tx.Comment(ctx, id)
		return err
	})
	return c, err
}

// DeleteComment deletes a comment. Its author may.
func (a *App) DeleteComment(ctx context.Context, actor domain.Actor, id domain.CommentID) error {
	return a.store.InTx(ctx, func(tx *store.Tx) error {
		c, err := ownComment(ctx, tx, actor, id, "delete")
		if err != nil {
			return err
		}
		return tx.DeleteComment(ctx, c)
	})
}

// ownComment locks the block of a comment that the actor sees, and refuses others
// than its author.
func ownComment(ctx context.Context, tx *store.Tx, actor domain.Actor, id domain.CommentID, what string) (domain.Comment, error) {
	c, err := tx.Comment(ctx, id)
	if err != nil {
		return c, err
	}
	if _, err := lockedBlock(ctx, tx, actor, c.BlockID); err != nil {
		return c, err
	}
	if c, err = tx.Comment(ctx, id); err != nil {
		return c, err
	}
	if !domain.CanEditComment(actor, c) {
		return c, forbidden(what + " this comment")
	}
	return c, nil
}

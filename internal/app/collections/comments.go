package collections

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/markup"
	"vitrine/internal/store"
)

// Comments lists the comments on a block that the actor sees.
func (a *Collections) Comments(ctx context.Context, actor domain.Actor, id domain.BlockID, desc bool, page domain.Page) (l domain.List[domain.Comment], err error) {
	if err := page.Validate(); err != nil {
		return l, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		b, err := v.Blocks().Block(ctx, actor.UserID, id)
		if err != nil {
			return err
		}
		l, err = v.Comments().Comments(ctx, b, desc, page)
		return err
	})
	return l, err
}

// Comment reads a comment on a block that the actor sees.
func (a *Collections) Comment(ctx context.Context, actor domain.Actor, id domain.CommentID) (c domain.Comment, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if c, err = v.Comments().Comment(ctx, id); err != nil {
			return err
		}
		_, err := v.Blocks().Block(ctx, actor.UserID, c.BlockID)
		return err
	})
	if err != nil {
		return domain.Comment{}, err
	}
	return c, nil
}

// CommentsUpTo returns the number of comments on the same block up to and including c, by time. It determines the page
// of a comment that the actor sees.
func (a *Collections) CommentsUpTo(ctx context.Context, c domain.Comment) (int64, error) {
	return a.Store.Comments().CommentsUpTo(ctx, c)
}

// CreateComment comments on a block that the actor sees (behaviour.md section 3).
func (a *Collections) CreateComment(ctx context.Context, actor domain.Actor, id domain.BlockID, body string) (c domain.Comment, err error) {
	return a.CommentOnce(ctx, actor, id, body, "")
}

// CommentOnce is CreateComment with a key. A repetition with the same key returns the existing comment.
func (a *Collections) CommentOnce(ctx context.Context, actor domain.Actor, id domain.BlockID, body string, key core.OnceKey) (c domain.Comment, err error) {
	var f domain.Faults
	key.Check(&f)
	text, mentioned, err := a.commentBody(ctx, body)
	if err := domain.JoinFaults(f.Err(), err); err != nil {
		return c, err
	}
	now := a.Now()
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		made, _, err := core.Once(ctx, tx, actor.UserID, key, string(domain.SubjectComment), now, func() (int64, error) {
			b, err := tx.Blocks().LockedBlock(ctx, actor.UserID, id)
			if err != nil {
				return 0, err
			}
			made, err := tx.Comments().CreateComment(ctx, id, actor.UserID, text, now)
			if err != nil {
				return 0, err
			}
			return int64(made), core.Publish(ctx, tx, actor.UserID, now, domain.CommentCreated{Block: b, Comment: made, Mentioned: mentioned})
		})
		if err != nil {
			return err
		}
		c, err = tx.Comments().Comment(ctx, domain.CommentID(made))
		return err
	})
	return c, err
}

// commentBody renders a comment and returns the users that it mentions.
func (a *Collections) commentBody(ctx context.Context, body string) (domain.Text, []domain.UserID, error) {
	var f domain.Faults
	if f.RequiredText("body", body, domain.MaxComment); f != nil {
		return domain.Text{}, nil, f.Err()
	}
	slugs := markup.Mentions(body)
	users, err := a.Store.Users().UsersBySlug(ctx, slugs[:min(len(slugs), domain.MaxMentions)])
	if err != nil {
		return domain.Text{}, nil, err
	}
	var mentioned []domain.UserID
	links := make(map[string]string, len(users))
	for _, slug := range slugs {
		if id, ok := users[slug]; ok {
			mentioned = append(mentioned, id)
			links[slug] = a.SiteURL + "/" + slug
		}
	}
	t := markup.RenderMentions(body, links)
	return domain.Text{Markdown: t.Markdown, HTML: t.HTML, Plain: t.Plain}, mentioned, nil
}

// Mention is the position, in characters from the @ on, of a mention of a user in the Markdown of a comment.
type Mention struct {
	User       domain.User
	Start, End int
}

// Mentioned returns the users that comments mention, with two statements for all of them.
func (a *Collections) Mentioned(ctx context.Context, comments []domain.Comment) (map[domain.CommentID][]Mention, error) {
	at := map[domain.CommentID][]markup.Mention{}
	var slugs []string
	for _, c := range comments {
		for _, m := range markup.MentionsAt(c.Body.Markdown) {
			at[c.ID] = append(at[c.ID], m)
			slugs = append(slugs, m.Slug)
		}
	}
	ids, err := a.Store.Users().UsersBySlug(ctx, slugs)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	users, err := a.Store.Users().UsersByID(ctx, slices.Collect(maps.Values(ids)))
	if err != nil {
		return nil, err
	}
	found := map[domain.CommentID][]Mention{}
	for comment, all := range at {
		for _, m := range all {
			if u, ok := users[ids[m.Slug]]; ok {
				found[comment] = append(found[comment], Mention{u, m.Start, m.Stop})
			}
		}
	}
	return found, nil
}

// UpdateComment changes the body of the actor's comment. It notifies nobody.
func (a *Collections) UpdateComment(ctx context.Context, actor domain.Actor, id domain.CommentID, body string) (c domain.Comment, err error) {
	text, _, err := a.commentBody(ctx, body)
	if err != nil {
		return c, err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		was, err := ownComment(ctx, tx, actor, id, "change")
		if err != nil {
			return err
		}
		now := a.Now()
		if err := tx.Comments().UpdateComment(ctx, was, text, now); err != nil {
			return err
		}
		if c, err = tx.Comments().Comment(ctx, id); err != nil {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, now, domain.CommentChanged{Was: was, Is: c})
	})
	return c, err
}

// DeleteComment moves the actor's comment to Trash.
func (a *Collections) DeleteComment(ctx context.Context, actor domain.Actor, id domain.CommentID) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		c, err := ownComment(ctx, tx, actor, id, "delete")
		if err != nil {
			return err
		}
		if err := a.keepComment(ctx, tx, actor, c); err != nil {
			return err
		}
		if err := tx.Comments().DeleteComment(ctx, c); err != nil {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, a.Now(), domain.CommentDeleted{Comment: c})
	})
}

// ownComment locks the block of a comment that the actor sees, and refuses actors other than its author.
func ownComment(ctx context.Context, tx *store.Tx, actor domain.Actor, id domain.CommentID, what string) (domain.Comment, error) {
	c, err := tx.Comments().Comment(ctx, id)
	if err != nil {
		return c, err
	}
	if _, err := tx.Blocks().LockedBlock(ctx, actor.UserID, c.BlockID); err != nil {
		return c, err
	}
	if c, err = tx.Comments().Comment(ctx, id); err != nil {
		return c, err
	}
	if !domain.CanEditComment(actor, c) {
		return c, core.Forbidden(what + " this comment")
	}
	return c, nil
}

package transfer

import (
	"context"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/transfer"
)

// ImportCommentInput is a comment of the source on an imported block.
type ImportCommentInput struct {
	ID        string // in the source
	Block     string // in the source
	Body      string
	CreatedAt time.Time // zero means now
}

// Validate checks the comment.
func (in ImportCommentInput) Validate() error {
	var f domain.Faults
	f.RequiredText("id", in.ID, domain.MaxURL)
	f.RequiredText("block", in.Block, domain.MaxURL)
	f.RequiredText("body", in.Body, domain.MaxComment)
	return f.Err()
}

// ImportComment imports a comment, or applies the source's change of it if it was not changed here. Its mentions are of
// users of the source, so they are neither linked nor notified. A comment that was deleted here stays deleted. It
// returns NotFound if the block does not exist here.
func (a *Transfer) ImportComment(ctx context.Context, actor domain.Actor, origin string, in ImportCommentInput) (became Brought, err error) {
	if err := mayImport(actor); err != nil {
		return Unchanged, err
	}
	if err := in.Validate(); err != nil {
		return Unchanged, err
	}
	body, comes := core.Rendered(&in.Body), digestOf(in.Body)
	place := from(actor, origin)
	known, err := a.Store.Origins().Origins(ctx, place, transfer.OriginComment, in.ID)
	if err != nil || known[in.ID].Digest == comes {
		return Unchanged, err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		became = Unchanged
		blocks, err := tx.Origins().Origins(ctx, place, transfer.OriginBlock, in.Block)
		if err != nil {
			return err
		}
		b, err := tx.Blocks().LockedBlock(ctx, actor.UserID, domain.BlockID(blocks[in.Block].Local))
		if err != nil {
			return err
		}
		rows, err := tx.Origins().ClaimOrigins(ctx, place, transfer.OriginComment, in.ID)
		if err != nil {
			return err
		}
		row, now := rows[in.ID], a.Now()
		if row.Local == 0 {
			made, err := tx.Comments().CreateComment(ctx, b.ID, actor.UserID, *body, plausible(in.CreatedAt, now, now))
			if err != nil {
				return err
			}
			became = Made
			if err := tx.Origins().KeepOrigins(ctx, place, transfer.OriginComment, transfer.Origin{Foreign: in.ID, Local: int64(made), Digest: comes}); err != nil {
				return err
			}
			return core.Publish(ctx, tx, actor.UserID, now, domain.CommentCreated{Block: b, Comment: made, Brought: true})
		}
		c, err := tx.Comments().Comment(ctx, domain.CommentID(row.Local))
		if domain.KindOf(err) == domain.NotFound {
			became = Removed
			return nil
		}
		if err != nil {
			return err
		}
		came := row.Digest
		row.Digest = comes
		if err := tx.Origins().KeepOrigins(ctx, place, transfer.OriginComment, row); err != nil || !take(came, comes, digestOf(c.Body.Markdown), commentBody) {
			return err
		}
		became = Changed
		if err := tx.Comments().UpdateComment(ctx, c, *body, now); err != nil {
			return err
		}
		is := c
		is.Body = *body
		return core.Publish(ctx, tx, actor.UserID, now, domain.CommentChanged{Was: c, Is: is})
	})
	return became, err
}

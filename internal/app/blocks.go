package app

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"unicode"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Block reads a block.
func (a *App) Block(ctx context.Context, actor domain.Actor, id domain.BlockID) (domain.Block, error) {
	return a.store.Block(ctx, actor.UserID, id)
}

// lockedBlock locks a block that the actor sees, and reads it as it then is.
func lockedBlock(ctx context.Context, tx *store.Tx, actor domain.Actor, id domain.BlockID) (domain.Block, error) {
	b, err := tx.Block(ctx, actor.UserID, id)
	if err != nil || !tx.Locks() {
		return b, err
	}
	if err := tx.LockBlock(ctx, id); err != nil {
		return domain.Block{}, err
	}
	return tx.Block(ctx, actor.UserID, id)
}

// BlockInput is a block to make. Batches keep it as JSON, so that its tags must not
// change while any wait.
type BlockInput struct {
	Value               string          `json:"value"`
	Title               *string         `json:"title,omitempty"`
	Description         *string         `json:"description,omitempty"`
	OriginalSourceURL   *string         `json:"original_source_url,omitempty"`
	OriginalSourceTitle *string         `json:"original_source_title,omitempty"`
	AltText             *string         `json:"alt_text,omitempty"`
	Metadata            json.RawMessage `json:"metadata,omitempty"` // object, or nil
}

// CreateBlockInput is a block to make and where to connect it.
type CreateBlockInput struct {
	BlockInput
	Targets []Target
}

// CreateBlock makes a block and connects it (behaviour.md section 3). One of an address or
// an upload is pending until a job has got its content.
func (a *App) CreateBlock(ctx context.Context, actor domain.Actor, in CreateBlockInput) (b domain.Block, err error) {
	made, err := a.newBlock(ctx, actor, in.BlockInput)
	if err != nil {
		return b, err
	}
	targets, err := checked(in.Targets)
	if err != nil {
		return b, err
	}
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		places, err := openTargets(ctx, tx, actor, targets, 0)
		if err != nil {
			return err
		}
		id, err := a.createBlock(ctx, tx, actor, made, places)
		if err != nil {
			return err
		}
		b, err = tx.Block(ctx, actor.UserID, id)
		return err
	})
	return b, err
}

// createBlock stores a block, connects it and enqueues the job that fetches its content.
func (a *App) createBlock(ctx context.Context, tx *store.Tx, actor domain.Actor, made newBlock, places []place) (domain.BlockID, error) {
	now := a.now()
	id, err := tx.CreateBlock(ctx, made.Block, now)
	if err != nil {
		return 0, err
	}
	if made.State == domain.Processing {
		if err := process(ctx, tx, actor.UserID, id, made.upload, now); err != nil {
			return 0, err
		}
	}
	item := opened{ref: domain.BlockRef(id), owner: made.Author.PrincipalRef}
	news := make([]domain.News, len(places))
	for i, p := range places {
		if _, err := tx.Connect(ctx, p.connect(item.ref, actor, now)); err != nil {
			return 0, err
		}
		if news[i], err = newsOfConnection(ctx, tx, actor, p.channel, item, now); err != nil {
			return 0, err
		}
	}
	_, err = tx.RecordAll(ctx, news...)
	return id, err
}

// newBlock is a block to store, and the upload that it is made of, if any.
type newBlock struct {
	domain.Block
	upload domain.UploadID
}

// newBlock makes the block that an input describes, without storing it. An Invalid
// error names all that is wrong with the input.
func (a *App) newBlock(ctx context.Context, actor domain.Actor, in BlockInput) (b newBlock, err error) {
	b.Block = domain.Block{
		Author: domain.Principal{PrincipalRef: domain.UserRef(actor.UserID)},
		Type:   domain.PendingBlock, State: domain.Processing,
		Title: nonEmpty(in.Title), Description: rendered(in.Description),
		SourceURL: nonEmpty(in.OriginalSourceURL), SourceTitle: nonEmpty(in.OriginalSourceTitle),
		AltText: nonEmpty(in.AltText),
	}
	b.Metadata, err = newMetadata("metadata", in.Metadata)
	err = together(err, notBlank("title", in.Title), noCredentials("original_source_url", b.SourceURL), a.setValue(ctx, actor, &b, in.Value))
	return b, err
}

// setValue makes it a block of what the value is.
func (a *App) setValue(ctx context.Context, actor domain.Actor, b *newBlock, value string) error {
	if strings.TrimSpace(value) == "" {
		return domain.NewInvalid("value: must not be blank")
	}
	link, isURL := absoluteURL(value)
	if !isURL {
		b.Type, b.State, b.Content = domain.TextBlock, domain.Available, rendered(&value)
		return nil
	}
	upload, named, err := a.uploadNamed(ctx, actor, "value", link)
	if named || err != nil {
		b.upload = upload.ID
		return err
	}
	return b.madeOf(link)
}

// madeOf makes it a block of what is at an address.
func (b *newBlock) madeOf(link string) error {
	if len(link) > domain.MaxURL {
		return domain.NewInvalid("value: a URL must be at most 4,096 bytes long")
	}
	if err := noCredentials("value", &link); err != nil {
		return err
	}
	b.ValueURL = &link
	if b.SourceURL == nil {
		b.SourceURL = &link
	}
	return nil
}

// noCredentials refuses an address, where one is given, with a user name or a password in
// it: whoever sees the address would see them.
func noCredentials(field string, address *string) error {
	if address == nil {
		return nil
	}
	if u, err := url.Parse(strings.TrimSpace(*address)); err == nil && u.User != nil {
		return domain.NewInvalid(field + ": a URL must not hold a user name or password")
	}
	return nil
}

// absoluteURL reports whether a value is one absolute http(s) URL, and gives it trimmed.
func absoluteURL(value string) (string, bool) {
	value = strings.TrimSpace(value)
	if strings.ContainsFunc(value, unicode.IsSpace) {
		return "", false
	}
	u, err := url.Parse(value)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", false
	}
	return value, true
}

// UpdateBlockInput is a change of the fields that are given.
type UpdateBlockInput struct {
	Title       *string
	Description *string
	Content     *string
	AltText     *string
	Metadata    []byte // JSON object to merge, or nil
}

// UpdateBlock changes a block (behaviour.md section 3): its author may; `content` is for
// Text blocks, `alt_text` for blocks with an image.
func (a *App) UpdateBlock(ctx context.Context, actor domain.Actor, id domain.BlockID, in UpdateBlockInput) (b domain.Block, err error) {
	description, content := rendered(in.Description), rendered(in.Content)
	err = a.store.InTx(ctx, func(tx *store.Tx) error {
		if b, err = lockedBlock(ctx, tx, actor, id); err != nil {
			return err
		}
		if !domain.CanManage(actor, b) {
			return forbidden("change this block")
		}
		if err := fits(b, in); err != nil {
			return err
		}
		was := b
		if b.Metadata, err = mergedMetadata(b.Metadata, in.Metadata); err != nil {
			return err
		}
		if in.Title != nil {
			replace(&b.Title, nonEmpty(in.Title))
		}
		if in.Description != nil {
			replace(&b.Description, description)
		}
		if in.Content != nil {
			replace(&b.Content, content)
		}
		if in.AltText != nil {
			replace(&b.AltText, nonEmpty(in.AltText))
		}
		if b == was { // no change, and so none of updated_at
			return nil
		}
		if err := tx.UpdateBlock(ctx, b, a.now()); err != nil {
			return err
		}
		b, err = tx.Block(ctx, actor.UserID, id)
		return err
	})
	return b, err
}

// fits refuses fields that a block of this kind does not have.
func fits(b domain.Block, in UpdateBlockInput) error {
	if in.Content != nil && b.Type != domain.TextBlock {
		return domain.NewUnprocessable("content: only Text blocks have content that can be changed")
	}
	if err := together(filled("content", in.Content), notBlank("title", in.Title)); err != nil {
		return err
	}
	if in.AltText != nil && !b.HasImage() {
		return domain.NewUnprocessable("alt_text: only blocks with an image have an alternative text")
	}
	return nil
}

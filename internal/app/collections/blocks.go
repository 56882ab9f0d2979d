package collections

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Block reads a block.
func (a *Collections) Block(ctx context.Context, actor domain.Actor, id domain.BlockID) (domain.Block, error) {
	return a.Store.Block(ctx, actor.UserID, id)
}

// VisibleBlocks reads those of the blocks that the actor may see, without the parts that lists omit.
func (a *Collections) VisibleBlocks(ctx context.Context, actor domain.Actor, ids []domain.BlockID) (map[domain.BlockID]*domain.Block, error) {
	return a.Store.Blocks().VisibleBlocksByID(ctx, actor.UserID, ids)
}

// BlockRevision returns the state of a block without reading it.
func (a *Collections) BlockRevision(ctx context.Context, actor domain.Actor, id domain.BlockID) (domain.BlockRevision, error) {
	return a.Store.Blocks().BlockRevision(ctx, actor.UserID, id)
}

// BlockInput is a block to create. Batches store it as JSON, so its tags are permanent while any batch waits.
type BlockInput struct {
	Value               string          `json:"value"`
	Title               *string         `json:"title,omitempty"`
	Description         *string         `json:"description,omitempty"`
	OriginalSourceURL   *string         `json:"original_source_url,omitempty"`
	OriginalSourceTitle *string         `json:"original_source_title,omitempty"`
	AltText             *string         `json:"alt_text,omitempty"`
	Metadata            json.RawMessage `json:"metadata,omitempty"` // object, or nil
}

// CreateBlockInput is a block to create and where to connect it.
type CreateBlockInput struct {
	BlockInput
	Poster  string // upload of an image to show until an uploaded video plays, "" for none
	Targets []Target
	Once    core.OnceKey
}

// CreateBlock creates a block and connects it (behaviour.md section 3). A block of a URL or an
// upload stays pending until a job has fetched its content.
func (a *Collections) CreateBlock(ctx context.Context, actor domain.Actor, in CreateBlockInput) (b domain.Block, err error) {
	return a.createBlockAnd(ctx, actor, in, func(*store.Tx, domain.Block) error { return nil })
}

// createBlockAnd is CreateBlock with a callback in the same transaction.
func (a *Collections) createBlockAnd(ctx context.Context, actor domain.Actor, in CreateBlockInput,
	then func(tx *store.Tx, b domain.Block) error) (b domain.Block, err error) {
	made, err := a.newBlock(ctx, actor, in.BlockInput)
	if err := domain.JoinFaults(err, a.setPoster(ctx, actor, &made, in.Poster)); err != nil {
		return b, err
	}
	targets, err := checked(in.Targets)
	var f domain.Faults
	in.Once.Check(&f)
	if err := domain.JoinFaults(err, f.Err()); err != nil {
		return b, err
	}
	err = a.inTxOf(ctx, targets, func(tx *store.Tx) error {
		id, again, err := core.Once(ctx, tx, actor.UserID, in.Once, string(domain.ItemBlock), a.Now(), func() (int64, error) {
			places, err := openTargets(ctx, tx, actor, targets, 0)
			if err != nil {
				return 0, err
			}
			b, err = a.createBlock(ctx, tx, actor, made, places)
			return int64(b.ID), err
		})
		if again && err == nil {
			b, err = tx.Blocks().Block(ctx, actor.UserID, domain.BlockID(id))
		}
		if err != nil {
			return err
		}
		return then(tx, b)
	})
	return b, err
}

// createBlock stores a block, connects it and enqueues the job that fetches its content.
func (a *Collections) createBlock(ctx context.Context, tx *store.Tx, actor domain.Actor, made newBlock, places []place) (domain.Block, error) {
	now := a.Now()
	made.Author = places[0].by
	connections := make([]store.NewConnection, len(places))
	for i, p := range places {
		connections[i] = p.connect(domain.ItemRef{}, now) // the item is the block, once it has an id
		if at, err := p.nextTo(ctx, tx); err != nil {
			return domain.Block{}, err
		} else if at > 0 {
			connections[i].Position = at
		}
	}
	// Activities in channels of groups need the group's source too, and sources are locked in order.
	if !slices.ContainsFunc(places, func(p place) bool { return p.channel.Owner.Type != domain.TypeUser }) {
		if err := tx.Activity().LockSource(ctx, core.SourceOf(domain.UserRef(actor.UserID))); err != nil {
			return domain.Block{}, err
		}
	}
	b, err := tx.Blocks().CreateBlockIn(ctx, made.Block, now, connections...)
	if err != nil {
		return b, err
	}
	if b.State == domain.Processing {
		if err := content.Process(ctx, tx, actor.UserID, b.ID, made.uploads, now); err != nil {
			return b, err
		}
	}
	events := []domain.Event{domain.BlockCreated{Block: b}}
	for _, p := range places {
		events = append(events, domain.Connected{Channel: p.channel, Item: domain.BlockRef(b.ID), Owner: b.Author.PrincipalRef, Quiet: made.quiet})
	}
	return b, core.Publish(ctx, tx, actor.UserID, now, events...)
}

// newBlock is a block to store, and the uploads of its content, if any.
type newBlock struct {
	domain.Block
	uploads domain.BlockUploads
	quiet   bool // nobody is notified
}

// newBlock returns the block that an input describes, without storing it. An Invalid error lists all faults of the
// input.
func (a *Collections) newBlock(ctx context.Context, actor domain.Actor, in BlockInput) (b newBlock, err error) {
	b.Block = domain.Block{
		Author: domain.Principal{PrincipalRef: domain.UserRef(actor.UserID)},
		Type:   domain.PendingBlock, State: domain.Processing,
		Title: core.NonEmpty(in.Title), Description: core.Rendered(in.Description),
		SourceURL:  core.OptionalURL(in.OriginalSourceURL),
		BlockTexts: domain.BlockTexts{SourceTitle: in.OriginalSourceTitle, AltText: in.AltText}.NonEmptyTexts(),
	}
	b.Metadata, err = newMetadata("metadata", in.Metadata)
	err = domain.JoinFaults(err, in.Validate(), a.setValue(ctx, actor, &b, in.Value))
	if err != nil {
		return b, err
	}
	var links []core.Link
	if b.ValueURL != nil {
		links = append(links, core.Link{Field: "value", Address: *b.ValueURL})
	}
	if b.SourceURL != nil && b.SourceURL != b.ValueURL {
		links = append(links, core.Link{Field: "original_source_url", Address: *b.SourceURL})
	}
	return b, a.CheckSites(ctx, links...)
}

// Validate checks everything except the metadata, which is checked when it is parsed, and the upload that a value may
// name.
func (in BlockInput) Validate() error {
	var f domain.Faults
	f.OptionalText("title", in.Title, domain.MaxTitle)
	f.AnyText("description", in.Description, domain.MaxDescription)
	if source := in.OriginalSourceURL; source != nil && *source != "" {
		core.CheckURL(&f, "original_source_url", *source, domain.MaxSourceURL)
	}
	f.AnyText("original_source_title", in.OriginalSourceTitle, domain.MaxTitle)
	f.AnyText("alt_text", in.AltText, domain.MaxAltText)
	if link, ok := core.AbsoluteURL(in.Value); f.RequiredText("value", in.Value, domain.MaxMarkdown) && ok {
		if len(link) > domain.MaxURL {
			f.Add("value", domain.FieldTooLong, "a URL must be at most 4,096 bytes long")
		}
		core.CheckCredentials(&f, "value", link)
	}
	return f.Err()
}

// setValue sets the type and content of the block by its value.
func (a *Collections) setValue(ctx context.Context, actor domain.Actor, b *newBlock, value string) error {
	link, isURL := core.AbsoluteURL(value)
	if !isURL {
		b.Type, b.State, b.Content = domain.TextBlock, domain.Available, core.Rendered(&value)
		return nil
	}
	upload, named, err := a.content.UploadNamed(ctx, actor, "value", link)
	if named || err != nil {
		b.uploads.UploadID = upload.ID
		return err
	}
	b.ValueURL = &link
	if b.SourceURL == nil {
		b.SourceURL = &link
	}
	return nil
}

// setPoster sets the image to show until an uploaded video plays.
func (a *Collections) setPoster(ctx context.Context, actor domain.Actor, b *newBlock, poster string) error {
	if poster == "" {
		return nil
	}
	u, named, err := a.content.UploadNamed(ctx, actor, "poster", poster)
	if err == nil && (!named || b.uploads.UploadID == 0) {
		err = domain.InvalidField("poster", domain.FieldUnknown, "must be an upload, for the upload of a video")
	}
	if err == nil && u.Size > content.MaxPoster {
		err = domain.InvalidField("poster", domain.FieldTooLong, "must be an image of at most 2 MB")
	}
	b.uploads.PosterID = u.ID
	return err
}

// UpdateBlockInput changes the given fields.
type UpdateBlockInput struct {
	Title       *string
	Description *string
	Content     *string
	AltText     *string
	Metadata    []byte // JSON object to merge, or nil

	KeepFileMetadata *bool // whether other people get the metadata of its files

	Seen      Seen   // the texts before the change, for title, description, content and alt_text
	restoring string // digest of the texts that an earlier version replaces; "" for other changes
}

// Validate checks everything except the metadata, which is checked when it is merged.
func (in UpdateBlockInput) Validate() error {
	var f domain.Faults
	if in.Content != nil {
		f.RequiredText("content", *in.Content, domain.MaxMarkdown)
	}
	f.OptionalText("title", in.Title, domain.MaxTitle)
	f.AnyText("description", in.Description, domain.MaxDescription)
	f.AnyText("alt_text", in.AltText, domain.MaxAltText)
	return f.Err()
}

// UpdateBlock changes a block of the actor (behaviour.md section 3). `content` is only for Text blocks, `alt_text` for
// blocks with an image.
func (a *Collections) UpdateBlock(ctx context.Context, actor domain.Actor, id domain.BlockID, in UpdateBlockInput) (b domain.Block, err error) {
	invalid := in.Validate() // reported after checking that the block exists and may be changed
	var description, content *domain.Text
	if invalid == nil {
		description, content = core.Rendered(in.Description), core.Rendered(in.Content)
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if b, err = tx.Blocks().LockedBlock(ctx, actor.UserID, id); err != nil {
			return err
		}
		if !domain.CanManage(actor, b) {
			return core.Forbidden("change this block")
		}
		if err := fits(b, in, invalid); err != nil {
			return err
		}
		if err := in.unseen(b); err != nil {
			return err
		}
		was := b
		if b.Metadata, err = mergedMetadata(b.Metadata, in.Metadata); err != nil {
			return err
		}
		if in.Title != nil {
			core.Replace(&b.Title, core.NonEmpty(in.Title))
		}
		if in.Description != nil {
			core.Replace(&b.Description, description)
		}
		if in.Content != nil {
			core.Replace(&b.Content, content)
		}
		if in.AltText != nil {
			core.Replace(&b.AltText, core.NonEmpty(in.AltText))
		}
		if in.KeepFileMetadata != nil && *in.KeepFileMetadata != b.KeepsMetadata() {
			b.KeepMetadata(*in.KeepFileMetadata)
			if err := tx.Blobs().KeepMetadata(ctx, *in.KeepFileMetadata, b.FileIDs()...); err != nil {
				return err
			}
		}
		if b == was { // nothing changed, so updated_at stays
			return nil
		}
		now := a.Now()
		err := core.KeepVersion(ctx, tx, actor, domain.BlockRef(b.ID).Subject(), domain.TextsOfBlock(was), domain.TextsOfBlock(b), in.restoring, now)
		if err != nil {
			return err
		}
		if err := tx.Blocks().UpdateBlock(ctx, was, &b, now); err != nil {
			return err
		}
		return core.Publish(ctx, tx, actor.UserID, now, domain.BlockChanged{Block: b.ID, Was: was, Is: b})
	})
	return b, err
}

// unseen returns a Conflict error if texts of a locked block were changed after the user saw them.
func (in UpdateBlockInput) unseen(b domain.Block) error {
	var f domain.Faults
	in.Seen.compare(&f, "title", b.Title, in.Title)
	in.Seen.compare(&f, "description", markdown(b.Description), in.Description)
	in.Seen.compare(&f, "content", markdown(b.Content), in.Content)
	in.Seen.compare(&f, "alt_text", b.AltText, in.AltText)
	if f == nil {
		return core.CheckReplaced(in.restoring, domain.TextsOfBlock(b))
	}
	return domain.NewConflict(f...)
}

// fits refuses fields that blocks of this type lack, or else returns invalid.
func fits(b domain.Block, in UpdateBlockInput, invalid error) error {
	if in.Content != nil && b.Type != domain.TextBlock {
		return domain.NewUnprocessable("content: only Text blocks have content that can be changed")
	}
	if invalid != nil {
		return invalid
	}
	if in.AltText != nil && !b.HasImage() {
		return domain.NewUnprocessable("alt_text: only blocks with an image have an alternative text")
	}
	if in.KeepFileMetadata != nil && len(b.FileIDs()) == 0 {
		return domain.NewUnprocessable("keep: this block has no file")
	}
	return nil
}

// Target is a channel to connect to. Position 0 means the top.
type Target struct {
	Channel  domain.Ref
	Position int64
	Metadata []byte // JSON object of the connection, or nil
	NextTo   NextTo // replaces Position if its connection is in the channel; not used by Connect
}

// NextTo places a block directly above or below another item. Uploads use it to keep the order of the selected files, no
// matter which one finishes first.
type NextTo struct {
	Connection domain.ConnectionID // 0 for none
	Above      bool                // otherwise below
}

// target is a Target with checked metadata.
type target struct {
	Target
	metadata domain.Metadata
}

// place is a locked channel that the actor may add to, with the actor's public profile.
type place struct {
	channel domain.Channel
	target  target
	by      domain.Principal
}

// checked checks everything that does not need the database.
func checked(in []Target) ([]target, error) {
	var f domain.Faults
	if !f.Count("channels", len(in), domain.MaxTargets) {
		return nil, f.Err()
	}
	out := make([]target, len(in))
	for i, t := range in {
		m, err := newMetadata("metadata", t.Metadata)
		if err = f.IncludeItem("channels", i, domain.JoinFaults(err, t.Validate())); err != nil {
			return nil, err
		}
		out[i] = target{t, m}
	}
	return out, f.Err()
}

// Validate checks everything except the metadata, which is checked when it is parsed.
func (t Target) Validate() error {
	if t.Position < 0 {
		return domain.InvalidField("position", domain.FieldOutOfRange, "must be at least 1")
	}
	return nil
}

// inTxOf runs fn in a transaction that adds to the channels of targets.
func (a *Collections) inTxOf(ctx context.Context, targets []target, fn func(tx *store.Tx) error) error {
	if len(targets) == 1 {
		return a.Store.InTxNear(ctx, targets[0].Channel, fn)
	}
	return a.Store.InTx(ctx, fn)
}

// openTargets locks the channels, and item if it is not 0, and returns those that the actor may add to, each once. It
// returns NotFound if one is missing or hidden, or else Forbidden if the actor may not add to one, without taking or
// waiting for a lock.
func openTargets(ctx context.Context, tx *store.Tx, actor domain.Actor, targets []target, item domain.ChannelID) ([]place, error) {
	if len(targets) == 1 && item == 0 && actor.MayWrite() {
		p, err := openTarget(ctx, tx, actor, targets[0])
		if domain.KindOf(err) != domain.NotFound {
			return []place{p}, err
		}
	}
	places, err := findPlaces(ctx, tx, actor, targets)
	if err != nil {
		return nil, err
	}
	lock := make([]domain.ChannelID, len(places), len(places)+1)
	for i, p := range places {
		lock[i] = p.channel.ID
	}
	if item != 0 && !slices.Contains(lock, item) {
		if _, err := tx.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: int64(item)}); err != nil {
			return nil, err
		}
		lock = append(lock, item)
	}
	if err := tx.Channels().LockChannels(ctx, lock...); err != nil {
		return nil, err
	}
	by, err := tx.Principals().Principal(ctx, domain.UserRef(actor.UserID))
	if err != nil {
		return nil, err
	}
	for i := range places {
		places[i].by = by
		if !tx.Channels().Locks() {
			continue
		}
		// The channels may have changed before they were locked.
		if places[i].channel, err = tx.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: int64(places[i].channel.ID)}); err != nil {
			return nil, err
		}
	}
	return places, mayAddTo(actor, places)
}

// openTarget locks the channel of a target. It returns NotFound unless the actor may add to it.
func openTarget(ctx context.Context, tx *store.Tx, actor domain.Actor, t target) (p place, err error) {
	p.target = t
	p.channel, p.by, err = tx.Channels().LockToAdd(ctx, actor.UserID, t.Channel)
	if err != nil {
		return p, err
	}
	return p, mayAddTo(actor, []place{p})
}

// findPlaces returns the unlocked places of the targets, each channel once.
func findPlaces(ctx context.Context, tx *store.Tx, actor domain.Actor, targets []target) (places []place, err error) {
	seen := map[domain.ChannelID]bool{}
	for _, t := range targets {
		if t.Channel.Slug == "" && seen[domain.ChannelID(t.Channel.ID)] {
			continue
		}
		c, err := tx.Channels().Channel(ctx, actor.UserID, t.Channel)
		if err != nil {
			return nil, err
		}
		if !seen[c.ID] {
			seen[c.ID] = true
			places = append(places, place{channel: c, target: t})
		}
	}
	return places, mayAddTo(actor, places)
}

// mayAddTo refuses the first place that the actor may not add to.
func mayAddTo(actor domain.Actor, places []place) error {
	for _, p := range places {
		if !domain.CanAddTo(actor, p.channel) {
			return core.Forbidden("add to channel " + p.channel.Slug)
		}
	}
	return nil
}

// connect returns the connection of an item at the place.
func (p place) connect(item domain.ItemRef, now time.Time) store.NewConnection {
	return store.NewConnection{Channel: p.channel, Item: item, UserID: domain.UserID(p.by.ID),
		Position: p.target.Position, Metadata: p.target.metadata, Now: now}
}

// nextTo returns the position for Target.NextTo, or 0 if its connection is not in the channel.
func (p place) nextTo(ctx context.Context, tx *store.Tx) (int64, error) {
	next := p.target.NextTo
	if next.Connection == 0 {
		return 0, nil
	}
	held, err := tx.Contents().HeldByID(ctx, p.channel.ID, []domain.ConnectionID{next.Connection})
	if err != nil || len(held) == 0 {
		return 0, err
	}
	at, err := tx.Contents().Positions(ctx, next.Connection)
	if err != nil {
		return 0, err
	}
	if next.Above {
		return at[next.Connection] + 1, nil
	}
	return at[next.Connection], nil
}

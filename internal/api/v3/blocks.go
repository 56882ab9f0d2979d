package v3

import (
	"context"
	"fmt"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	v3 "vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
	"vitrine/internal/present"
	"vitrine/internal/scope"
)

// GetBlock implements getBlock.
func (h *handler) GetBlock(ctx context.Context, p v3.GetBlockParams) (wire.Item, error) {
	who, id := httpedge.Actor(ctx), domain.BlockID(p.ID)
	if k, _ := blockKey(domain.BlockRevision{ID: id}); !h.fragments.Holds(k) {
		return h.readBlock(ctx, who, id)
	}
	s, err := h.app.Collections.BlockRevision(ctx, who, id)
	if err != nil {
		return wire.Item{}, err
	}
	if err := httpedge.Fresh(ctx, h.tags.BlockRevision(who, s)); err != nil {
		return wire.Item{}, err
	}
	if fragment, ok := h.fragments.Get(blockKey(s)); ok {
		return blockItem(who, s, fragment), scope.Charge(ctx, int64(len(fragment)))
	}
	return h.readBlock(ctx, who, id)
}

// readBlock reads a block and caches its encoding.
func (h *handler) readBlock(ctx context.Context, who domain.Actor, id domain.BlockID) (wire.Item, error) {
	b, err := h.app.Collections.Block(ctx, who, id)
	if err != nil {
		return wire.Item{}, err
	}
	if err := httpedge.Fresh(ctx, h.tags.Block(who, b)); err != nil {
		return wire.Item{}, err
	}
	if h.fragments != nil {
		if fragment := h.blockFragment(&b); fragment != nil {
			return blockItem(who, b.Revision(), fragment), nil
		}
	}
	return h.fullBlock(who, b), nil
}

// CreateBlock implements createBlock.
func (h *handler) CreateBlock(ctx context.Context, r *v3.CreateBlockReq) (wire.Item, error) {
	who := httpedge.Actor(ctx)
	b, err := h.app.Collections.CreateBlock(ctx, who, collections.CreateBlockInput{
		BlockInput: collections.BlockInput{Value: r.Value, Title: httpedge.Given(r.Title), Description: httpedge.Given(r.Description),
			OriginalSourceURL: httpedge.Given(r.OriginalSourceURL), OriginalSourceTitle: httpedge.Given(r.OriginalSourceTitle),
			AltText: httpedge.Given(r.AltText), Metadata: rawMetadata(r.Metadata)},
		Targets: targets(r.ChannelIds, r.InsertAt, r.Channels)})
	if err != nil {
		return wire.Item{}, err
	}
	return h.fullBlock(who, b), nil
}

// UpdateBlock implements updateBlock.
func (h *handler) UpdateBlock(ctx context.Context, r *v3.UpdateBlockReq, p v3.UpdateBlockParams) (wire.Item, error) {
	who := httpedge.Actor(ctx)
	b, err := h.app.Collections.UpdateBlock(ctx, who, domain.BlockID(p.ID), collections.UpdateBlockInput{
		Title: httpedge.Given(r.Title), Description: httpedge.Given(r.Description), Content: httpedge.Given(r.Content),
		AltText: httpedge.Given(r.AltText), Metadata: rawMetadata(r.Metadata)})
	if err != nil {
		return wire.Item{}, err
	}
	return h.fullBlock(who, b), nil
}

// GetBlockConnections implements getBlockConnections.
func (h *handler) GetBlockConnections(ctx context.Context, p v3.GetBlockConnectionsParams) (*v3.ChannelListResponse, error) {
	at := httpedge.Page(p.Page, p.Per)
	l, err := h.app.Collections.BlockConnections(ctx, httpedge.Actor(ctx), domain.BlockID(p.ID), collections.ItemChannelsInput{
		Ownership: domain.Ownership(p.Filter.Or(v3.ConnectionFilterALL)), Desc: newestFirst(p.Sort), Page: at})
	if err != nil {
		return nil, err
	}
	return h.channelList(l, at), nil
}

// targets returns the channels of a request: ids with one position for all, or each with its own. Request validation
// permits only one of the two.
func targets(ids v3.ChannelIds, at v3.OptInt64, channels []v3.ConnectTo) []collections.Target {
	all := make([]collections.Target, 0, len(ids)+len(channels))
	for _, id := range ids {
		ref := domain.Ref{ID: id.Int64}
		if id.IsString() {
			ref = domain.ParseRef(id.String)
		}
		all = append(all, collections.Target{Channel: ref, Position: at.Or(0)})
	}
	for _, c := range channels {
		ref := domain.Ref{ID: c.ID.Int64}
		if c.ID.IsString() {
			ref = domain.ParseRef(c.ID.String)
		}
		all = append(all, collections.Target{Channel: ref, Position: c.Position.Or(0), Metadata: rawMetadata(c.Metadata)})
	}
	return all
}

// blockSetter contains the common methods of the generated types of blocks.
type blockSetter interface {
	wire.Encoder
	SetID(int64)
	SetTitle(v3.OptNilString)
	SetDescription(v3.OptNilMarkdownContent)
	SetState(v3.BlockState)
	SetVisibility(v3.BlockVisibility)
	SetCommentCount(int64)
	SetCreatedAt(wire.Time)
	SetUpdatedAt(wire.Time)
	SetUser(v3.EmbeddedUser)
	SetMetadata(v3.OptJSON)
	SetSource(v3.OptNilBlockSource)
	SetLinks(wire.Links)
	SetConnection(v3.OptItem)
	SetCan(v3.OptItem)
}

// block converts a block to its type; more sets fields of specific places.
func (h *handler) block(b present.Block, more func(blockSetter)) wire.Item {
	w := variant(b)
	w.SetID(int64(b.ID))
	w.SetTitle(optNilString(b.Title))
	w.SetDescription(markdown(b.Description))
	w.SetState(v3.BlockState(b.State))
	w.SetVisibility(v3.BlockVisibility(b.Visibility()))
	w.SetCommentCount(b.Comments)
	w.SetCreatedAt(wire.Time{Time: b.CreatedAt})
	w.SetUpdatedAt(wire.Time{Time: b.UpdatedAt})
	w.SetUser(embeddedUser(b.Author()))
	w.SetMetadata(metadata(b.Metadata))
	w.SetSource(source(b.Source()))
	w.SetLinks(h.links(b.Links()))
	more(w)
	return wire.Item{Value: w}
}

// fullBlock converts a block to its form as a resource.
func (h *handler) fullBlock(who domain.Actor, b domain.Block) wire.Item {
	shown := h.at.Block(&b)
	can := blockAbilities(shown.Can(who))
	return h.block(shown, func(w blockSetter) { w.SetCan(v3.NewOptItem(wire.Item{Value: &can})) })
}

func blockAbilities(can domain.BlockAbilities) v3.BlockAbilities {
	return v3.BlockAbilities{Manage: can.Manage, Comment: can.Comment, Connect: can.Connect}
}

// variant returns the generated type for a block, with the fields specific to its type.
func variant(b present.Block) blockSetter {
	switch b.Type {
	case domain.TextBlock:
		return &v3.TextBlock{Type: v3.TextBlockTypeText, BaseType: v3.TextBlockBaseTypeBlock,
			Content: markdown(b.Content).Value}
	case domain.ImageBlock:
		return &v3.ImageBlock{Type: v3.ImageBlockTypeImage, BaseType: v3.ImageBlockBaseTypeBlock, Image: image(b.Image())}
	case domain.LinkBlock:
		return &v3.LinkBlock{Type: v3.LinkBlockTypeLink, BaseType: v3.LinkBlockBaseTypeBlock,
			Image: preview(b), Content: markdown(b.Content)}
	case domain.AttachmentBlock:
		return &v3.AttachmentBlock{Type: v3.AttachmentBlockTypeAttachment, BaseType: v3.AttachmentBlockBaseTypeBlock,
			Attachment: attachment(b.Attachment()), Image: preview(b)}
	case domain.EmbedBlock:
		return &v3.EmbedBlock{Type: v3.EmbedBlockTypeEmbed, BaseType: v3.EmbedBlockBaseTypeBlock,
			Embed: embed(*b.Embed), Image: preview(b)}
	case domain.PendingBlock:
		return &v3.PendingBlock{Type: v3.PendingBlockTypePendingBlock, BaseType: v3.PendingBlockBaseTypeBlock}
	}
	panic(fmt.Sprintf("v3: block %d is of the unknown kind %q", b.ID, b.Type))
}

func source(s present.Source) v3.OptNilBlockSource {
	if s.URL == "" {
		return v3.OptNilBlockSource{Set: true, Null: true}
	}
	w := v3.BlockSource{URL: s.URL, Title: optNilString(s.Title), Provider: v3.OptNilBlockProvider{Set: true, Null: true}}
	if s.Provider.URL != "" {
		w.Provider = v3.NewOptNilBlockProvider(v3.BlockProvider{Name: s.Provider.Name, URL: s.Provider.URL})
	}
	return v3.NewOptNilBlockSource(w)
}

// preview converts the optional image of a block.
func preview(b present.Block) v3.OptNilBlockImage {
	if !b.HasImage() {
		return v3.OptNilBlockImage{Set: true, Null: true}
	}
	return v3.NewOptNilBlockImage(image(b.Image()))
}

// image converts an image and its resized versions.
func image(i present.Image) v3.BlockImage {
	w := v3.BlockImage{
		AltText: optNilString(i.AltText), Blurhash: optNilString(i.Blurhash),
		Width: nonZero(i.Width), Height: nonZero(i.Height), AspectRatio: v3.OptNilFloat32{Set: true, Null: true},
		Src:         v3.NewOptString(i.Src()),
		ContentType: v3.NewOptString(i.ContentType), Filename: v3.NewOptString(i.Name),
		FileSize: v3.NewOptNilInt64(i.ServedSize()), UpdatedAt: v3.NewOptTime(wire.Time{Time: i.CreatedAt}),
		Small: version(i.Small()), Medium: version(i.Medium()), Large: version(i.Large()), Square: version(i.Square()),
	}
	if ratio := i.AspectRatio(); ratio != 0 {
		w.AspectRatio = v3.NewOptNilFloat32(float32(ratio))
	}
	return w
}

func version(v present.Version) v3.ImageVersion {
	return v3.ImageVersion{Src: v.Src, Src2x: v.Src2x, Width: nonZero(v.Width), Height: nonZero(v.Height)}
}

func attachment(f present.Attachment) v3.BlockAttachment {
	return v3.BlockAttachment{
		Filename: v3.NewOptNilString(f.Name), ContentType: v3.NewOptNilString(f.ContentType),
		FileSize: v3.NewOptNilInt64(f.ServedSize()), FileExtension: optNonEmpty(f.Extension),
		UpdatedAt: v3.NewOptTime(wire.Time{Time: f.CreatedAt}), URL: f.URL(),
	}
}

func embed(e domain.Embed) v3.BlockEmbed {
	return v3.BlockEmbed{
		URL: optNonEmpty(e.URL), Type: optNonEmpty(e.Type), Title: optNonEmpty(e.Title), AuthorName: optNonEmpty(e.AuthorName),
		AuthorURL: optNonEmpty(e.AuthorURL), SourceURL: optNonEmpty(e.SourceURL), Width: nonZero(e.Width), Height: nonZero(e.Height),
		HTML: optNonEmpty(e.HTML), ThumbnailURL: optNonEmpty(e.ThumbnailURL),
	}
}

package v3

import (
	"fmt"

	"vitrine/internal/domain"
	"vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
	"vitrine/internal/present"
)

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

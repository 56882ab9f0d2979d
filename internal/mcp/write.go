package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
)

// writeTools lists the tools that write.
func writeTools() []tool {
	return []tool{
		writes("save", "Save a text or link", "Creates a block from a Markdown text or the address of a web page or file, and connects it "+
			"to channels, on top. Use find_saved first for an address, and find_channels for where. The content of an address is "+
			"fetched afterwards: until then the type is PendingBlock.", effect{openWorld: true}, save),
		writes("connect", "Connect to channels", "Puts a block or channel that exists into channels, on top. Where it already is, it stays.",
			effect{idempotent: true}, connect),
		writes("disconnect", "Remove from a channel", "Removes an item from a channel. The block itself and its other places stay.",
			effect{destructive: true}, disconnect),
		writes("move", "Move in a channel", "Moves an item within its channel, to the top, the bottom, up, down, or to a position.",
			effect{}, move),
		writes("comment", "Comment on a block", "Publishes a comment of the user on a block. Mentions such as @ada notify people.",
			effect{}, comment),
		writes("create_channel", "Create a channel", "Creates a channel of the user.", effect{}, createChannel),
		writes("update_block", "Change a block", "Changes texts of a block of the user. Fields that are not given stay. Earlier versions are kept.",
			effect{destructive: true, idempotent: true}, updateBlock),
		writes("update_channel", "Change a channel", "Changes title, description or visibility of a channel. Fields that are not given stay.",
			effect{destructive: true, idempotent: true}, updateChannel),
	}
}

// retry is the part of the input of a tool that creates something.
type retry struct {
	Key string `json:"key,omitempty" jsonschema:"any text that you choose: a repeated call with the same key and the same other arguments creates nothing new"`
}

// once returns the idempotency key of a call, or "" if it has none. It covers the arguments, so a key that is used for
// something else creates it.
func (r retry) once(tool string, in any) (core.OnceKey, error) {
	if r.Key == "" {
		return "", nil
	}
	if len(r.Key) > domain.MaxOnceKey {
		return "", domain.InvalidField("key", domain.FieldTooLong, fmt.Sprintf("must have at most %d bytes", domain.MaxOnceKey))
	}
	text, err := json.Marshal(in)
	sum := sha256.Sum256(append([]byte("mcp "+tool+" "), text...))
	return core.OnceKey(hex.EncodeToString(sum[:])), err
}

// targets returns channels to connect to.
func targets(channels []string) (all []collections.Target) {
	for _, c := range channels {
		all = append(all, collections.Target{Channel: domain.ParseRef(c)})
	}
	return all
}

type saveInput struct {
	Value       string   `json:"value" jsonschema:"a Markdown text, or one absolute http or https address"`
	Channels    []string `json:"channels" jsonschema:"slugs or ids, from 1 to 20"`
	Title       *string  `json:"title,omitempty"`
	Description *string  `json:"description,omitempty" jsonschema:"Markdown"`
	SourceURL   *string  `json:"original_source_url,omitempty" jsonschema:"address of the page that a text comes from"`
	AltText     *string  `json:"alt_text,omitempty" jsonschema:"description of an image"`
	retry
}

type itemResult struct {
	Item item `json:"item"`
}

func save(s *Server, ctx context.Context, who domain.Actor, in saveInput) (out itemResult, said string, err error) {
	key, err := in.once("save", in)
	if err != nil {
		return out, "", err
	}
	b, err := s.o.App.Collections.CreateBlock(ctx, who, collections.CreateBlockInput{BlockInput: collections.BlockInput{Value: in.Value,
		Title: in.Title, Description: in.Description, OriginalSourceURL: in.SourceURL, AltText: in.AltText},
		Targets: targets(in.Channels), Once: key})
	if err != nil {
		return out, "", err
	}
	out.Item = s.block(&b, listedText)
	return out, fmt.Sprintf("Saved as block %d.", b.ID), nil
}

// ref names a block or a channel.
type ref struct {
	Block   int64  `json:"block_id,omitempty" jsonschema:"the block; give either this or channel"`
	Channel string `json:"channel,omitempty" jsonschema:"slug or id of a channel as an item"`
}

// item returns the reference.
func (r ref) item(s *Server, ctx context.Context, who domain.Actor) (domain.ItemRef, error) {
	if (r.Block != 0) == (r.Channel != "") {
		return domain.ItemRef{}, domain.InvalidField("block_id, channel", domain.FieldExclusive, "give one of them")
	}
	if r.Block != 0 {
		return domain.BlockRef(domain.BlockID(r.Block)), nil
	}
	c, err := s.o.App.Collections.Channel(ctx, who, domain.ParseRef(r.Channel))
	return domain.ChannelRef(c.ID), err
}

type connectInput struct {
	ref
	Channels []string `json:"channels" jsonschema:"slugs or ids of the channels to put it into, from 1 to 20"`
}

type placeResult struct {
	Connection int64  `json:"connection_id"`
	Channel    string `json:"channel" jsonschema:"slug"`
	There      bool   `json:"was_there,omitempty" jsonschema:"it was in the channel before"`
}

type connectResult struct {
	Places []placeResult `json:"places"`
}

func connect(s *Server, ctx context.Context, who domain.Actor, in connectInput) (out connectResult, said string, err error) {
	of, err := in.item(s, ctx, who)
	if err != nil {
		return out, "", err
	}
	made, err := s.o.App.Collections.Connect(ctx, who, of, targets(in.Channels))
	if err != nil {
		return out, "", err
	}
	out.Places = []placeResult{}
	for _, p := range made {
		out.Places = append(out.Places, placeResult{int64(p.Connection.ID), p.Channel.Slug, p.There})
	}
	return out, fmt.Sprintf("It is in %d of the channels.", len(made)), nil
}

type disconnectInput struct {
	Connection int64 `json:"connection_id" jsonschema:"from list_contents"`
}

type done struct {
	Done bool `json:"done"`
}

func disconnect(s *Server, ctx context.Context, who domain.Actor, in disconnectInput) (out done, said string, err error) {
	if err := s.o.App.Collections.DeleteConnection(ctx, who, domain.ConnectionID(in.Connection)); err != nil {
		return out, "", err
	}
	return done{true}, "Removed from the channel.", nil
}

type moveInput struct {
	Connection int64  `json:"connection_id" jsonschema:"from list_contents"`
	To         string `json:"to" jsonschema:"top, bottom, up, down or position"`
	Position   *int64 `json:"position,omitempty" jsonschema:"only with to=position; 1 is at the bottom"`
}

var movements = map[string]domain.Movement{"top": domain.MoveToTop, "bottom": domain.MoveToBottom, "up": domain.MoveUp,
	"down": domain.MoveDown, "position": domain.InsertAt}

func move(s *Server, ctx context.Context, who domain.Actor, in moveInput) (out placeResult, said string, err error) {
	how, ok := movements[in.To]
	switch {
	case !ok:
		return out, "", domain.InvalidField("to", domain.FieldUnknown, "must be top, bottom, up, down or position")
	case (how == domain.InsertAt) != (in.Position != nil):
		return out, "", domain.InvalidField("position", domain.FieldExclusive, "must be given with to=position, and only then")
	}
	p, err := s.o.App.Collections.MoveConnection(ctx, who, domain.ConnectionID(in.Connection), how, in.Position)
	if err != nil {
		return out, "", err
	}
	return placeResult{Connection: in.Connection, Channel: p.Channel.Slug}, "Moved.", nil
}

type commentInput struct {
	Block int64  `json:"block_id"`
	Body  string `json:"body" jsonschema:"Markdown"`
	retry
}

func comment(s *Server, ctx context.Context, who domain.Actor, in commentInput) (out itemResult, said string, err error) {
	key, err := in.once("comment", in)
	if err != nil {
		return out, "", err
	}
	c, err := s.o.App.Collections.CommentOnce(ctx, who, domain.BlockID(in.Block), in.Body, key)
	if err != nil {
		return out, "", err
	}
	out.Item = s.comment(&c, listedText)
	return out, fmt.Sprintf("Comment %d.", c.ID), nil
}

type createChannelInput struct {
	Title       string  `json:"title"`
	Description *string `json:"description,omitempty" jsonschema:"Markdown"`
	Visibility  string  `json:"visibility,omitempty" jsonschema:"public (anyone may add), closed (default; anyone may see it), or private"`
	retry
}

func createChannel(s *Server, ctx context.Context, who domain.Actor, in createChannelInput) (out channelResult, said string, err error) {
	key, err := in.once("create_channel", in)
	if err != nil {
		return out, "", err
	}
	c, err := s.o.App.Collections.CreateChannel(ctx, who, collections.CreateChannelInput{Title: in.Title, Description: in.Description,
		Visibility: domain.Visibility(in.Visibility), Once: key})
	if err != nil {
		return out, "", err
	}
	return s.fullChannel(who, c), fmt.Sprintf("Channel %d, with the slug %s.", c.ID, c.Slug), nil
}

type updateBlockInput struct {
	ID          int64             `json:"id"`
	Title       *string           `json:"title,omitempty"`
	Description *string           `json:"description,omitempty" jsonschema:"Markdown"`
	Content     *string           `json:"content,omitempty" jsonschema:"Markdown, only of a Text block"`
	AltText     *string           `json:"alt_text,omitempty" jsonschema:"only of a block with an image"`
	Seen        map[string]string `json:"seen,omitempty" jsonschema:"whole texts as you read them, by the name of the field: the call fails if somebody has changed them since"`
}

func updateBlock(s *Server, ctx context.Context, who domain.Actor, in updateBlockInput) (out itemResult, said string, err error) {
	b, err := s.o.App.Collections.UpdateBlock(ctx, who, domain.BlockID(in.ID), collections.UpdateBlockInput{Title: in.Title,
		Description: in.Description, Content: in.Content, AltText: in.AltText, Seen: in.Seen})
	if err != nil {
		return out, "", err
	}
	out.Item = s.block(&b, listedText)
	return out, "Changed.", nil
}

type updateChannelInput struct {
	channelInput
	Title       *string           `json:"title,omitempty"`
	Description *string           `json:"description,omitempty" jsonschema:"Markdown; an empty text removes it"`
	Visibility  *string           `json:"visibility,omitempty" jsonschema:"public, closed or private; only the owner may change it"`
	Seen        map[string]string `json:"seen,omitempty" jsonschema:"whole texts as you read them, by the name of the field: the call fails if somebody has changed them since"`
}

func updateChannel(s *Server, ctx context.Context, who domain.Actor, in updateChannelInput) (out channelResult, said string, err error) {
	change := collections.UpdateChannelInput{Title: in.Title, Seen: in.Seen}
	if in.Description != nil {
		change.Description = core.Patch{Set: true}
		if strings.TrimSpace(*in.Description) != "" {
			change.Description.Value = in.Description
		}
	}
	if in.Visibility != nil {
		v := domain.Visibility(*in.Visibility)
		change.Visibility = &v
	}
	c, err := s.o.App.Collections.UpdateChannel(ctx, who, domain.ParseRef(in.Channel), change)
	if err != nil {
		return out, "", err
	}
	return s.fullChannel(who, c), "Changed.", nil
}

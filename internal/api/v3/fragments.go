package v3

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"sync"

	"github.com/go-faster/jx"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/fragments"
	v3 "vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
	"vitrine/internal/scope"
)

// Blocks and connections are encoded once for each state, and the fragments are cached (package fragments). Values that
// depend on the viewer or the position are left open in a fragment: `can` and `connection` of a block, `position` of a
// connection.
const (
	blockFragments      = 'b'
	connectionFragments = 'c'
)

// maxText is the maximum number of bytes of text in a cached block. A larger block is encoded while it is sent
// (wire.WriteJSON).
const maxText = 32 << 10

func blockKey(s domain.BlockRevision) (fragments.Key, fragments.State) {
	seen := int64(0)
	switch s.Visibility {
	case domain.BlockPublic:
		seen = 1
	case domain.BlockPrivate:
		seen = 2
	case domain.BlockOrphan:
	}
	return fragments.Key{Kind: blockFragments, ID: int64(s.ID)},
		fragments.State{s.Version, s.Face, int64(s.Author), s.UpdatedAt.UnixMicro(), seen}
}

func connectionKey(s domain.ConnectionRevision) (fragments.Key, fragments.State) {
	return fragments.Key{Kind: connectionFragments, ID: int64(s.ID)}, fragments.State{s.Version, s.Face, s.CreatedAt.UnixMicro()}
}

// blockFragment encodes and caches a block. It returns nil for a block that is too large.
func (h *handler) blockFragment(b *domain.Block) []byte {
	if textSize(b) > maxText {
		return nil
	}
	text := wire.Bytes(h.block(h.at.Block(b), func(w blockSetter) {
		w.SetCan(v3.OptNilBlockAbilities{Set: true, Null: true})
		w.SetConnection(v3.OptNilEmbeddedConnection{Set: true, Null: true})
	}))
	// Fields are sorted by name, so no user text precedes these.
	head, rest, foundCan := bytes.Cut(text, []byte(openCan+"null"))
	middle, tail, foundConnection := bytes.Cut(rest, []byte(openConnection+"null"))
	if !foundCan || !foundConnection {
		panic(fmt.Sprintf("v3: a block is encoded without a place for what is open in it: %s", text))
	}
	fragment := make([]byte, 0, cutsSize+len(head)+len(middle)+len(tail))
	fragment = binary.LittleEndian.AppendUint32(fragment, uint32(len(head)))
	fragment = binary.LittleEndian.AppendUint32(fragment, uint32(len(middle)))
	fragment = append(append(append(fragment, head...), middle...), tail...)
	k, s := blockKey(b.Revision())
	h.fragments.Put(k, s, fragment)
	return fragment
}

const (
	openCan        = `,"can":`
	openConnection = `,"connection":`
	cutsSize       = 8 // two lengths: those of the text before each open field
)

// textSize returns the approximate size of a block's texts that are shown, the only part that can be large.
func textSize(b *domain.Block) (n int) {
	for _, t := range []*domain.Text{b.Description, b.Content} {
		if t.Shown() {
			n += len(t.Markdown) + len(t.HTML) + len(t.Plain)
		}
	}
	if b.Embed != nil {
		n += len(b.Embed.HTML)
	}
	return n + len(b.Metadata)
}

// appendBlock appends a fragment of a block to dst, with the values of its open fields, if given.
func appendBlock(dst, fragment, can, connection []byte) []byte {
	cuts, text := fragment[:cutsSize], fragment[cutsSize:]
	head := int(binary.LittleEndian.Uint32(cuts))
	middle := head + int(binary.LittleEndian.Uint32(cuts[4:]))
	dst = append(dst, text[:head]...)
	if can != nil {
		dst = append(append(dst, openCan...), can...)
	}
	dst = append(dst, text[head:middle]...)
	if connection != nil {
		dst = append(append(dst, openConnection...), connection...)
	}
	return append(dst, text[middle:]...)
}

// blockItem returns a block as a resource, made from its fragment.
func blockItem(who domain.Actor, s domain.BlockRevision, fragment []byte) wire.Item {
	can := s.Abilities(who)
	return wire.Item{Value: &assembledBlock{fragment, v3.BlockAbilities{Manage: can.Manage, Comment: can.Comment, Connect: can.Connect}}}
}

// assembledBlock is a block that is assembled from its fragment while it is written.
type assembledBlock struct {
	block []byte
	can   v3.BlockAbilities
}

// Encode implements wire.Encoder.
func (b *assembledBlock) Encode(e *jx.Encoder) {
	line := lines.Get().(*[]byte)
	*line = appendBlock((*line)[:0], b.block, wire.Bytes(&b.can), nil)
	e.Raw(*line)
	lines.Put(line)
}

// lines are buffers for assembling blocks. Encoders copy their input.
var lines = sync.Pool{New: func() any { return new([]byte) }}

// connectionFragment encodes and caches a connection within its item, without its position.
func (h *handler) connectionFragment(c *domain.Connection) []byte {
	placed := *c
	placed.Position = 0
	embedded := embeddedConnection(h.at.Connection(&placed))
	fragment, found := bytes.CutSuffix(wire.Bytes(&embedded), []byte("0}"))
	if !found {
		panic("v3: the position of a connection is not its last field")
	}
	k, s := connectionKey(c.Revision())
	h.fragments.Put(k, s, fragment)
	return fragment
}

// appendConnection appends a connection with its position to dst.
func appendConnection(dst, fragment []byte, position int64) []byte {
	return append(strconv.AppendInt(append(dst, fragment...), position, 10), '}')
}

// known provides the cached fragments.
type known struct{ fragments *fragments.Cache }

var _ collections.Known = known{}

// Block implements collections.Known.
func (k known) Block(s domain.BlockRevision) []byte {
	fragment, _ := k.fragments.Get(blockKey(s))
	return fragment
}

// Connection implements collections.Known.
func (k known) Connection(s domain.ConnectionRevision) []byte {
	fragment, _ := k.fragments.Get(connectionKey(s))
	return fragment
}

// run contains the items of a page: blocks as fragments, which are assembled while they are written, and other items. It is
// written as a single element of an array, because the generated code allocates memory for each element.
type run struct {
	items  []collections.KnownContent
	others map[int]wire.Encoder // by index
}

// Encode implements wire.Encoder.
func (r *run) Encode(e *jx.Encoder) {
	line := lines.Get().(*[]byte)
	for i := range r.items {
		if other := r.others[i]; other != nil {
			other.Encode(e)
			continue
		}
		k := &r.items[i]
		*line = appendConnection((*line)[:0], k.Connection, k.Position)
		n := len(*line)
		*line = appendBlock(*line, k.Block, nil, (*line)[:n])
		e.Raw((*line)[n:])
	}
	lines.Put(line)
}

// complete encodes the missing fragments of an item. For an item other than a block with a fragment, it returns an encoder
// instead.
func (h *handler) complete(k *collections.KnownContent) (other wire.Encoder, err error) {
	if k.Connection == nil {
		k.Connection = h.connectionFragment(&k.Content.Connection)
	}
	if k.Block == nil && k.Content.Block != nil {
		k.Block = h.blockFragment(k.Content.Block)
	}
	if k.Block != nil {
		return nil, nil
	}
	var embedded v3.EmbeddedConnection
	if err := embedded.Decode(jx.DecodeBytes(appendConnection(nil, k.Connection, k.Position))); err != nil {
		return nil, err
	}
	return h.placed(k.Content.Entity, v3.NewOptNilEmbeddedConnection(embedded)).Value, nil
}

// knownList returns a page of contents and charges its size to the response.
func (h *handler) knownList(ctx context.Context, l domain.List[collections.KnownContent], at domain.Page) (*v3.ConnectableListResponse, error) {
	w := &v3.ConnectableListResponse{Meta: meta(at, l.Total)}
	all, size := &run{items: l.Items}, 0
	for i := range l.Items {
		k := &l.Items[i]
		other, err := h.complete(k)
		if err != nil {
			return nil, err
		}
		if other != nil {
			if all.others == nil {
				all.others = map[int]wire.Encoder{}
			}
			all.others[i] = other
		}
		size += len(k.Connection) + len(k.Block)
	}
	if len(l.Items) > 0 {
		w.Data = []wire.Item{{Value: all}}
	}
	return w, scope.Charge(ctx, int64(size))
}

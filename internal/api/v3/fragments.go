package v3

import (
	"context"
	"encoding/binary"
	"strconv"
	"sync"

	"github.com/go-faster/jx"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/fragments"
	"vitrine/internal/httpedge"
	v3 "vitrine/internal/oas/v3"
	"vitrine/internal/oas/wire"
	"vitrine/internal/scope"
)

// Blocks and connections are encoded once for each state, and the fragments are cached (package fragments).
const (
	blockFragments      = 'b'
	connectionFragments = 'c'
)

// The open fields of fragments: the values depend on the viewer or on the place of a block, or on the other items of a
// channel.
const (
	canField        = "can"
	connectionField = "connection"
	positionField   = "position"
)

// maxText is the maximum number of bytes of text in a cached block. A larger block is encoded while it is sent
// (wire.WriteJSON).
const maxText = 32 << 10

func blockKey(s domain.BlockRevision) (fragments.Key, fragments.State) {
	return fragments.Key{Kind: blockFragments, ID: int64(s.ID)}, s.State()
}

func connectionKey(s domain.ConnectionRevision) (fragments.Key, fragments.State) {
	return fragments.Key{Kind: connectionFragments, ID: int64(s.ID)}, fragments.State{s.Version, s.Face, s.CreatedAt.UnixMicro()}
}

// blockFragment encodes and caches a block. It returns nil for a block that is too large.
func (h *handler) blockFragment(b *domain.Block) wire.Fragment {
	if textSize(b) > maxText {
		return nil
	}
	fragment := wire.EncodeFragment(func(open wire.Item) wire.Encoder {
		return h.block(h.at.Block(b), func(w blockSetter) {
			w.SetCan(v3.NewOptItem(open))
			w.SetConnection(v3.NewOptItem(open))
		})
	})
	k, s := blockKey(b.Revision())
	h.fragments.Put(k, s, fragment)
	return fragment
}

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

// blockItem returns a block as a resource, made from its fragment.
func blockItem(who domain.Actor, s domain.BlockRevision, fragment wire.Fragment) wire.Item {
	return wire.Item{Value: &assembledBlock{fragment, blockAbilities(s.Abilities(who))}}
}

// assembledBlock is a block that is assembled from its fragment while it is written.
type assembledBlock struct {
	block wire.Fragment
	can   v3.BlockAbilities
}

// Encode implements wire.Encoder.
func (b *assembledBlock) Encode(e *jx.Encoder) {
	line := lines.Get().(*[]byte)
	*line = b.block.Append((*line)[:0], wire.Field{Name: canField, Value: wire.Bytes(&b.can)})
	e.Raw(*line)
	lines.Put(line)
}

// lines are buffers for assembling blocks. Encoders copy their input.
var lines = sync.Pool{New: func() any { return new([]byte) }}

// connectionFragment encodes and caches a connection within its item.
func (h *handler) connectionFragment(c *domain.Connection) wire.Fragment {
	fragment := wire.EncodeFragment(func(open wire.Item) wire.Encoder {
		w := embeddedConnection(h.at.Connection(c))
		w.Position = open
		return w
	})
	k, s := connectionKey(c.Revision())
	h.fragments.Put(k, s, fragment)
	return fragment
}

// appendConnection appends a connection with its position to dst.
func appendConnection(dst []byte, fragment wire.Fragment, position int64) []byte {
	var number [20]byte
	return fragment.Append(dst, wire.Field{Name: positionField, Value: strconv.AppendInt(number[:0], position, 10)})
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
		connection := wire.Field{Name: connectionField, Value: (*line)[:n]}
		if buf := e.Bytes(); cap(buf)-len(buf) > n+len(k.Block)+len(",,") { // save copying the block
			e.RawStr("") // writes a comma if necessary
			e.SetBytes(wire.Fragment(k.Block).Append(e.Bytes(), connection))
			continue
		}
		*line = wire.Fragment(k.Block).Append(*line, connection)
		e.Raw((*line)[n:])
	}
	lines.Put(line)
}

// complete encodes the missing fragments of an item. For an item other than a block with a fragment, it returns an encoder
// instead.
func (h *handler) complete(k *collections.KnownContent) (other wire.Encoder) {
	if k.Connection == nil {
		k.Connection = h.connectionFragment(&k.Content.Connection)
	}
	if k.Block == nil && k.Content.Block != nil {
		k.Block = h.blockFragment(k.Content.Block)
	}
	if k.Block != nil {
		return nil
	}
	return h.placed(k.Content.Entity, wire.JSON(appendConnection(nil, k.Connection, k.Position))).Value
}

// knownList returns a page of contents and charges its size to the response.
func (h *handler) knownList(ctx context.Context, l domain.List[collections.KnownContent], at domain.Page) (*v3.ConnectableListResponse, error) {
	w := &v3.ConnectableListResponse{Meta: meta(at, l.Total)}
	all, size := &run{items: l.Items}, 0
	for i := range l.Items {
		k := &l.Items[i]
		if other := h.complete(k); other != nil {
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
	if all.others == nil {
		if err := httpedge.Fresh(ctx, h.listTag(l, at)); err != nil {
			return nil, err
		}
	}
	return w, scope.Charge(ctx, int64(size))
}

// listTag returns the tag of a page of fragments. Hashing their hashes is cheaper than hashing the
// body.
func (h *handler) listTag(l domain.List[collections.KnownContent], at domain.Page) string {
	line := lines.Get().(*[]byte)
	defer lines.Put(line)
	state := (*line)[:0]
	for _, n := range []int64{at.Number, at.Per, l.Total} {
		state = binary.LittleEndian.AppendUint64(state, uint64(n))
	}
	for i := range l.Items {
		k := &l.Items[i]
		for _, n := range []uint64{wire.Fragment(k.Connection).Sum(), uint64(k.Position), wire.Fragment(k.Block).Sum()} {
			state = binary.LittleEndian.AppendUint64(state, n)
		}
	}
	*line = state
	return h.tags.State("contents", state)
}

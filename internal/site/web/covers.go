package web

import (
	"html/template"
	"strconv"

	"vitrine/internal/domain"
	"vitrine/internal/fragments"
)

// coverText is the number of characters of a text on a cover.
const coverText = 140

// Cover reads the covers of the channels in some lists of a page, with one statement. Pages call it before Fresh, since
// covers are part of the lists' tags. A channel that is listed more than domain.MaxPerPage others later has no cover.
func (v *Visit) Cover(lists ...*Cells) error {
	seen := map[domain.ChannelID]bool{}
	var ids []domain.ChannelID
	tiles := func(use func(*Item)) {
		for _, c := range lists {
			for n := range c.Items {
				if i := &c.Items[n]; i.key.Kind == channelFace && c.template() == "cell" {
					use(i)
				}
			}
		}
	}
	tiles(func(i *Item) {
		if id := domain.ChannelID(i.key.ID); !seen[id] && len(ids) < domain.MaxPerPage {
			seen[id], ids = true, append(ids, id)
		}
	})
	if len(ids) == 0 {
		return nil
	}
	covers, err := v.App().Collections.Covers(v.R.Context(), v.Actor(), ids)
	tiles(func(i *Item) { i.cover = covers[domain.ChannelID(i.key.ID)] })
	for _, c := range covers {
		for _, b := range c {
			if v.coverPart(b) == nil {
				v.unread = append(v.unread, b.ID)
			}
		}
	}
	return err
}

// Covers returns the covers of channels without their tiles.
func (v *Visit) Covers(channels []*domain.Channel) ([]template.HTML, error) {
	list := Cells{visit: v}
	for _, c := range channels {
		list.Items = append(list.Items, v.item(domain.Entity{Channel: c}))
	}
	if err := v.Cover(&list); err != nil {
		return nil, err
	}
	all := make([]template.HTML, len(channels))
	for n, i := range list.Items {
		cover, err := v.appendCover(nil, i.cover, false)
		if err != nil {
			return nil, err
		}
		all[n] = template.HTML(cover)
	}
	return all, nil
}

// appendCover appends the cover of a channel. The images of the first items of a page are loaded at once.
func (v *Visit) appendCover(html []byte, cover []domain.CoverBlock, first bool) ([]byte, error) {
	var parts [domain.CoverBlocks]face
	n := 0
	for _, b := range cover {
		part := v.coverPart(b)
		if part == nil {
			var err error
			if part, err = v.drawCoverPart(b.ID); err != nil {
				return nil, err
			}
		}
		if part != nil {
			parts[n] = part
			n++
		}
	}
	html = strconv.AppendInt(append(html, `<span class="cover of`...), int64(n), 10)
	html = append(html, `" aria-hidden="true">`...)
	for _, part := range parts[:n] {
		var err error
		if html, err = part.fill(html, func(html []byte, _ slot) ([]byte, error) { return appendLoading(html, first), nil }); err != nil {
			return nil, err
		}
	}
	return append(html, `</span>`...), nil
}

// coverPart returns the cached face of a block on a cover, or nil.
func (v *Visit) coverPart(b domain.CoverBlock) face {
	data, _ := v.s.o.Fragments.Get(v.coverKey(b.ID), coverState(b))
	return data
}

func (v *Visit) coverKey(id domain.BlockID) fragments.Key {
	return fragments.Key{Kind: faceKind(coverFace, v.Lang), ID: int64(id)}
}

func coverState(b domain.CoverBlock) fragments.State {
	return fragments.State{b.Version, b.UpdatedAt.UnixMicro()}
}

// drawCoverPart draws a block on a cover. It returns nil if the block is gone or if its content is not available.
func (v *Visit) drawCoverPart(id domain.BlockID) (face, error) {
	blocks, err := v.readBlocks([]domain.BlockID{id})
	b := blocks[id]
	if err != nil || b == nil || b.State != domain.Available {
		return nil, err
	}
	c := v.blockCell(b)
	c.Text = beginning(c.Text, coverText)
	part, err := v.s.drawFace(v.Lang, "cover-part", c)
	if err == nil {
		v.s.o.Fragments.Put(v.coverKey(id), coverState(domain.CoverBlock{ID: id, Version: b.Version, UpdatedAt: b.UpdatedAt}), part)
	}
	return part, err
}

// readBlocks returns blocks that the reader may see, or nil for others. It reads the blocks together with those that
// other parts of the page lack, and each block once per visit.
func (v *Visit) readBlocks(ids []domain.BlockID) (map[domain.BlockID]*domain.Block, error) {
	missing := map[domain.BlockID]bool{}
	for _, some := range [][]domain.BlockID{ids, v.unread} {
		for _, id := range some {
			if _, ok := v.blocks[id]; !ok {
				missing[id] = true
			}
		}
	}
	v.unread = nil
	if len(missing) == 0 {
		return v.blocks, nil
	}
	if v.blocks == nil {
		v.blocks = map[domain.BlockID]*domain.Block{}
	}
	ask := make([]domain.BlockID, 0, len(missing))
	for id := range missing {
		v.blocks[id] = nil
		ask = append(ask, id)
	}
	found, err := v.App().Collections.VisibleBlocks(v.R.Context(), v.Actor(), ask)
	for id, b := range found {
		v.blocks[id] = b
	}
	return v.blocks, err
}

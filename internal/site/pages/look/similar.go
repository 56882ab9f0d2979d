package look

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"

	"vitrine/internal/colour"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// swatch is a colour of an image, with the address of the search for it.
type swatch struct {
	colour.Swatch
	Path string
}

// swatches returns the colours of an image.
func swatches(b present.Block) (all []swatch) {
	if b.Type != domain.ImageBlock || b.Block.Image == nil {
		return nil
	}
	for _, s := range colour.ParsePalette(b.Block.Image.Palette) {
		all = append(all, swatch{s, "/search?" + url.Values{"q": {"color:" + s.String()}}.Encode()})
	}
	return all
}

// hasSimilar reports whether blocks with a similar image or the same page can be looked for.
func hasSimilar(b domain.Block) bool {
	if b.Type == domain.ImageBlock {
		return b.Image != nil && b.Image.LookHash != nil
	}
	return b.ValueURL != nil
}

// similarView is a block with similar ones. They cost more than the block's own page, which therefore loads them from
// here when the reader reaches them.
type similarView struct {
	Block present.Block
	Cells web.Cells
}

// similarPage lists the blocks that look like a block, are links to the same page, or have a similar meaning.
func similarPage(v *web.Visit) error {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	ctx, actor := v.R.Context(), v.Actor()
	b, err := v.App().Collections.Block(ctx, actor, domain.BlockID(id))
	if err != nil {
		return err
	}
	found, err := v.App().Finder.Similar(ctx, actor, b)
	if err != nil {
		return err
	}
	shown := similarView{Block: v.Addresses().Block(&b), Cells: blockCells(v, found)}
	v.Wide = true
	if v.Fresh(pageTags.Block(actor, b), shown.Cells.Tag()) {
		return nil
	}
	return v.Page("similar", v.T("look.similar.of", shown.Block.Heading()), nil, shown)
}

// blockCells returns the cells of blocks in a list next to other lists.
func blockCells(v *web.Visit, blocks []domain.Block) web.Cells {
	all := make([]domain.Entity, len(blocks))
	for i := range blocks {
		all[i].Block = &blocks[i]
	}
	cells := v.Cells(all)
	cells.ID = "none"
	return cells
}

// duplicates are blocks with the same content.
type duplicates struct {
	Heading string // of the first
	Cells   web.Cells
	IDs     string // of all, separated by commas
	Kept    []keepable
}

// keepable is a block that may stay when the others are merged into it.
type keepable struct {
	present.Block
	Places int64 // channels that contain it
	Most   bool  // it is the first that is in as many channels as any
}

// newDuplicates returns a group of duplicates, the oldest first.
func newDuplicates(v *web.Visit, blocks []domain.Block) duplicates {
	slices.SortFunc(blocks, func(a, b domain.Block) int { return cmp.Compare(a.ID, b.ID) })
	d := duplicates{Heading: v.Addresses().Block(&blocks[0]).Heading(), Cells: blockCells(v, blocks)}
	most := 0
	for i := range blocks {
		b := &blocks[i]
		d.IDs += "," + strconv.FormatInt(int64(b.ID), 10)
		d.Kept = append(d.Kept, keepable{v.Addresses().Block(b), b.OpenCount + b.PrivateCount, false})
		if d.Kept[i].Places > d.Kept[most].Places {
			most = i
		}
	}
	d.IDs, d.Kept[most].Most = d.IDs[1:], true
	return d
}

// duplicatesPage lists the reader's blocks with the same image or with links to the same page.
func duplicatesPage(v *web.Visit) error {
	groups, err := v.App().Finder.Duplicates(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	shown, tags := make([]duplicates, len(groups)), make([]string, len(groups))
	for i, g := range groups {
		shown[i] = newDuplicates(v, g)
		tags[i] = shown[i].Heading + shown[i].Cells.Tag()
	}
	v.Wide = true
	if v.Fresh(tags...) {
		return nil
	}
	return v.Page("duplicates", v.T("look.duplicates"), nil, shown)
}

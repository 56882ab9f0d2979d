package plain

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/importing/source"
)

// Bounds of a tree of folders. What is beyond them goes to the folder above.
const (
	maxDepth   = 64
	maxFolders = 20_000
)

// Tree makes channels of folders: one for all of a file, and in it one for each folder. Their
// ids are the paths to them, so that a folder is known again in a file that has grown.
type Tree struct {
	To    source.Taker
	Title string // of the channel for all of it
	Start string // of every id; "" is for files of which there is but one kind

	root    Folder
	folders int
}

// Folder is a channel to be.
type Folder struct {
	ID      string
	depth   int
	begun   bool
	names   map[string]int     // how many folders in it have had each name
	named   map[string]*Folder // by the nameKey of their titles, those that are asked for by name
	private *Folder
}

// Root is the channel for all of it, which is made when there is something to put into it.
func (t *Tree) Root(ctx context.Context) (*Folder, error) {
	if t.root.begun {
		return &t.root, nil
	}
	t.root = Folder{ID: t.Start + "/", begun: true}
	return &t.root, t.To.Channel(ctx, source.Channel{ID: t.root.ID, Title: t.Title, FromTop: true, Root: true})
}

// Untouched reports whether nothing was put into the tree.
func (t *Tree) Untouched() bool { return t.root.ID == "" }

// Add makes a channel in another. A folder that is too many or too deep is told and not made:
// what is in it belongs to the one above, which is returned.
func (t *Tree) Add(ctx context.Context, above *Folder, c source.Channel) (*Folder, error) {
	if c.Title == "" {
		c.Title = "Untitled"
	}
	if why := t.full(above); why != "" {
		t.To.LeftOut(source.LeftOut{What: Short(c.Title), Where: c.Where, Why: why + "; what is in it goes to the folder above"})
		return above, nil
	}
	return t.add(ctx, above, c, nameKey(url.QueryEscape(c.Title)))
}

// nameKey returns a key of bounded length for a title. It is a copy because the title may be part of a
// longer text, which would stay in memory with the key.
func nameKey(title string) string { return strings.Clone(ID(title)) }

func (t *Tree) full(above *Folder) string {
	switch {
	case above.depth >= maxDepth:
		return fmt.Sprintf("it is more than %d folders deep", maxDepth)
	case t.folders >= maxFolders:
		return fmt.Sprintf("there are more than %d folders", maxFolders)
	}
	return ""
}

func (t *Tree) add(ctx context.Context, above *Folder, c source.Channel, name string) (*Folder, error) {
	t.folders++
	if above.names == nil {
		above.names = map[string]int{}
	}
	above.names[name]++
	if n := above.names[name]; n > 1 {
		name = fmt.Sprintf("%s;%d", name, n)
	}
	inner := &Folder{ID: ID(above.ID + name + "/"), depth: above.depth + 1, begun: true}
	c.ID, c.FromTop = inner.ID, true
	if err := t.To.Channel(ctx, c); err != nil {
		return above, err
	}
	t.To.Expect(1)
	return inner, t.To.Item(ctx, above.ID, source.Item{ID: inner.ID, Kind: source.Nested, ConnectedAt: c.CreatedAt, Where: c.Where})
}

// Named is the folder of a name in another, which is made when it is first asked for.
func (t *Tree) Named(ctx context.Context, above *Folder, c source.Channel) (*Folder, error) {
	key := nameKey(c.Title)
	if known := above.named[key]; known != nil {
		return known, nil
	}
	inner, err := t.Add(ctx, above, c)
	if err != nil || inner == above {
		return inner, err
	}
	if above.named == nil {
		above.named = map[string]*Folder{}
	}
	above.named[key] = inner
	return inner, nil
}

// Private is the channel for what a file calls private in a folder: whatever others may see of
// the folder, they do not see this. Where a folder cannot be made, there is none.
func (t *Tree) Private(ctx context.Context, in *Folder) (*Folder, error) {
	if in.private != nil {
		return in.private, nil
	}
	inner, err := t.add(ctx, in, source.Channel{Title: "Private", Visibility: domain.Private}, "private:") // no title has a colon, escaped
	in.private = inner
	return inner, err
}

// Close says that a folder is complete, and what is in it that was asked for by name or is
// private. It does nothing for what was never made.
func (t *Tree) Close(ctx context.Context, f *Folder) error {
	if !f.begun {
		return nil
	}
	f.begun = false
	if f.private != nil {
		if err := t.Close(ctx, f.private); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.named)) {
		if err := t.Close(ctx, f.named[name]); err != nil {
			return err
		}
	}
	return t.To.Close(ctx, f.ID)
}

// End closes the root.
func (t *Tree) End(ctx context.Context) error { return t.Close(ctx, &t.root) }

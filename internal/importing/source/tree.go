package source

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"vitrine/internal/domain"
)

// Limits of a folder tree. Contents of folders beyond them go to the folder above.
const (
	maxDepth   = 64
	maxFolders = 20_000
)

// Tree creates channels from folders: one for the whole file, and in it one for each folder. Their
// ids are their paths, so that a folder is recognized when the file has grown.
type Tree struct {
	To    Sink
	Title string // of the root channel
	Start string // prefix of every id, which only folders of Markdown files set

	root    TreeFolder
	folders int
}

// TreeFolder is a folder that becomes a channel.
type TreeFolder struct {
	ID      string
	depth   int
	started bool
	names   map[string]int         // number of its subfolders by name
	named   map[string]*TreeFolder // by the nameKey of their titles, those that are asked for by name
	private *TreeFolder
}

// Root returns the channel of the whole file, and creates it on first use.
func (t *Tree) Root(ctx context.Context) (*TreeFolder, error) {
	if t.root.started {
		return &t.root, nil
	}
	t.root = TreeFolder{ID: t.Start + "/", started: true}
	return &t.root, t.To.Channel(ctx, Channel{ID: t.root.ID, Title: t.Title, FromTop: true, Root: true})
}

// Untouched reports whether nothing was put into the tree.
func (t *Tree) Untouched() bool { return t.root.ID == "" }

// Add creates a channel in another. If there are too many folders, or they are too deep, it reports
// that and returns the folder above, which receives the contents.
func (t *Tree) Add(ctx context.Context, above *TreeFolder, c Channel) (*TreeFolder, error) {
	if c.Title == "" {
		c.Title = "Untitled"
	}
	if why := t.full(above); why != "" {
		t.To.LeftOut(LeftOut{What: Shortened(c.Title), Where: c.Where, Why: why + "; what is in it goes to the folder above"})
		return above, nil
	}
	return t.add(ctx, above, c, nameKey(url.QueryEscape(c.Title)))
}

// nameKey returns a key of bounded length for a title. It is a copy because the title may be part of a
// longer text, which would stay in memory with the key.
func nameKey(title string) string { return strings.Clone(IDOf(title)) }

func (t *Tree) full(above *TreeFolder) string {
	switch {
	case above.depth >= maxDepth:
		return fmt.Sprintf("it is more than %d folders deep", maxDepth)
	case t.folders >= maxFolders:
		return fmt.Sprintf("there are more than %d folders", maxFolders)
	}
	return ""
}

func (t *Tree) add(ctx context.Context, above *TreeFolder, c Channel, name string) (*TreeFolder, error) {
	t.folders++
	if above.names == nil {
		above.names = map[string]int{}
	}
	above.names[name]++
	if n := above.names[name]; n > 1 {
		name = fmt.Sprintf("%s;%d", name, n)
	}
	inner := &TreeFolder{ID: IDOf(above.ID + name + "/"), depth: above.depth + 1, started: true}
	c.ID, c.FromTop = inner.ID, true
	if err := t.To.Channel(ctx, c); err != nil {
		return above, err
	}
	t.To.Expect(1)
	return inner, t.To.Item(ctx, above.ID, Item{ID: inner.ID, Kind: Nested, ConnectedAt: c.CreatedAt, Where: c.Where})
}

// Named returns the subfolder with a name, and creates it on first use.
func (t *Tree) Named(ctx context.Context, above *TreeFolder, c Channel) (*TreeFolder, error) {
	key := nameKey(c.Title)
	if known := above.named[key]; known != nil {
		return known, nil
	}
	inner, err := t.Add(ctx, above, c)
	if err != nil || inner == above {
		return inner, err
	}
	if above.named == nil {
		above.named = map[string]*TreeFolder{}
	}
	above.named[key] = inner
	return inner, nil
}

// Private returns the channel for entries of a folder that the file marks as private. It is private
// regardless of the folder's visibility.
func (t *Tree) Private(ctx context.Context, in *TreeFolder) (*TreeFolder, error) {
	if in.private != nil {
		return in.private, nil
	}
	inner, err := t.add(ctx, in, Channel{Title: "Private", Visibility: domain.Private}, "private:") // titles are escaped, so none contains a colon
	in.private = inner
	return inner, err
}

// Close closes a folder, and its named and private subfolders. It does nothing if the folder was
// never created.
func (t *Tree) Close(ctx context.Context, f *TreeFolder) error {
	if !f.started {
		return nil
	}
	f.started = false
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

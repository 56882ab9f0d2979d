package collections

import (
	"cmp"
	"context"
	"slices"

	"vitrine/internal/colour"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/contents"
	"vitrine/internal/vectors"
	"vitrine/internal/words"
)

// How many bits of the hashes of images may differ.
const (
	copyBits    = 4  // other sizes and formats of the same image
	similarBits = 10 // other crops and versions as well
)

// How much is listed.
const (
	maxSimilar    = 12
	maxTwins      = 5
	maxDuplicates = 20     // groups of each kind
	maxCompared   = 20_000 // images of a user
)

// Similar lists the blocks that the actor may see and whose image looks almost like that of a block, or that are links
// to the same page. The most similar ones come first. Blocks with texts of a similar meaning follow.
func (a *Finder) Similar(ctx context.Context, actor domain.Actor, b domain.Block) (all []domain.Block, err error) {
	var x *vectors.Index
	if a.Meaning != nil {
		x = a.Meaning.follow(ctx, a.Store)
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) (err error) {
		all, err = alike(ctx, v, actor.UserID, b, similarBits, false)
		if err != nil || x == nil {
			return err
		}
		ids, err := a.Meaning.similar(ctx, v, x, actor.UserID, b.ID, maxSimilar)
		if err != nil {
			return err
		}
		ids = slices.DeleteFunc(ids, func(id domain.BlockID) bool {
			return slices.ContainsFunc(all, func(o domain.Block) bool { return o.ID == id })
		})
		more, err := listed(ctx, v.Queries, ids[:min(len(ids), maxSimilar-len(all))])
		all = append(all, more...)
		return err
	})
	return all, err
}

// Twins lists the actor's other blocks with the image of a block, or with a link to its page, and the channels that
// contain them.
func (a *Finder) Twins(ctx context.Context, actor domain.Actor, b domain.Block) (all []SavedBlock, err error) {
	if !actor.SignedIn() || b.Image == nil && b.ValueURL == nil {
		return nil, nil
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		found, err := alike(ctx, v, actor.UserID, b, copyBits, true)
		if err != nil {
			return err
		}
		all, err = withChannels(ctx, v, actor, found[:min(len(found), maxTwins)])
		return err
	})
	return all, err
}

// same reports whether both blocks are images, or neither is and both have an address.
func same(a, b domain.Block) bool {
	if a.Type == domain.ImageBlock || b.Type == domain.ImageBlock {
		return a.Type == b.Type
	}
	return a.ValueURL != nil && b.ValueURL != nil
}

// alike lists other blocks that are similar to a block and visible, the most similar ones first. With own, it lists
// the viewer's blocks only.
func alike(ctx context.Context, v *store.Snapshot, viewer domain.UserID, b domain.Block, bits int, own bool) ([]domain.Block, error) {
	var ids []domain.BlockID
	var err error
	switch {
	case b.Type == domain.ImageBlock && b.Image != nil && b.Image.LookHash != nil:
		hash := *b.Image.LookHash
		found, err := v.Nearby().LookAlikes(ctx, viewer, hash, own)
		if err != nil {
			return nil, err
		}
		distance := func(l contents.LookAlike) int { return colour.Distance(l.Hash, hash) }
		slices.SortFunc(found, func(a, b contents.LookAlike) int {
			return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(b.Block, a.Block))
		})
		for _, l := range found {
			if distance(l) <= bits {
				ids = append(ids, l.Block)
			}
		}
	case b.Type != domain.ImageBlock && b.ValueURL != nil:
		if page := words.Source(*b.ValueURL); page != 0 {
			if ids, err = v.Nearby().BlocksFrom(ctx, viewer, page, maxSaved); err != nil {
				return nil, err
			}
		}
	}
	ids = slices.DeleteFunc(ids, func(id domain.BlockID) bool { return id == b.ID })
	all, err := listed(ctx, v.Queries, ids[:min(len(ids), maxSimilar)])
	return slices.DeleteFunc(all, func(o domain.Block) bool {
		return !same(b, o) || own && o.Author.PrincipalRef != domain.UserRef(viewer)
	}), err
}

// Duplicates lists the actor's blocks with the same image or with links to the same page, in groups. It compares the
// newest images only.
func (a *Finder) Duplicates(ctx context.Context, actor domain.Actor) (groups [][]domain.Block, err error) {
	if !actor.SignedIn() {
		return nil, domain.NewUnauthenticated("A user's token is required")
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		pages, err := v.Nearby().SamePages(ctx, actor.UserID, maxDuplicates)
		if err != nil {
			return err
		}
		looks, err := v.Nearby().OwnLooks(ctx, actor.UserID, maxCompared)
		if err != nil {
			return err
		}
		var ids []domain.BlockID
		found := append(copies(looks), pages...)
		for i, g := range found {
			found[i] = g[:min(len(g), maxSimilar)]
			ids = append(ids, found[i]...)
		}
		blocks, err := v.Blocks().VisibleBlocksByID(ctx, actor.UserID, ids)
		for _, g := range found {
			var group []domain.Block
			for _, id := range g {
				if b, ok := blocks[id]; ok {
					group = append(group, *b)
				}
			}
			if len(group) > 1 {
				groups = append(groups, group)
			}
		}
		return err
	})
	return groups, err
}

// copies returns groups of blocks with the same image, up to a limit.
func copies(looks []contents.LookAlike) (groups [][]domain.BlockID) {
	const compared = 50 // with one image for each part of its hash
	type part struct {
		n     int
		value int64
	}
	at, first := map[part][]int{}, make([]int, len(looks)) // first is the index of an earlier copy of each image
	for i, l := range looks {
		first[i] = i
		for n := range 4 {
			p := part{n, l.Hash >> (16 * n) & 65535}
			for _, j := range at[p] {
				if first[j] < first[i] && colour.Distance(l.Hash, looks[j].Hash) <= copyBits {
					first[i] = first[j]
				}
			}
			if len(at[p]) < compared {
				at[p] = append(at[p], i)
			}
		}
	}
	group := map[int]int{}
	for i, j := range first {
		if i == j {
			continue
		}
		g, ok := group[j]
		if !ok {
			if len(groups) == maxDuplicates {
				continue
			}
			g = len(groups)
			group[j] = g
			groups = append(groups, []domain.BlockID{looks[j].Block})
		}
		groups[g] = append(groups[g], looks[i].Block)
	}
	return groups
}

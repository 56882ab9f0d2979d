package transfer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store/transfer"
)

// VisibleHere is the reason for adding nothing to a channel.
const VisibleHere = "Everyone can see the channel here, and the import is private"

// Identity distinguishes imported files: importing the same file again updates its items, and another
// file gets its own channels.
type Identity struct {
	Origin string
	Others []string // further origins under which the same file may have been imported
	Former string   // origin that earlier versions assigned to all files of this kind

	// Sample returns the ids of some blocks in the file, by which a file that was imported under another origin is
	// recognized. A block that earlier versions named differently has several ids.
	Sample func(ctx context.Context) [][]string
}

// IdentityHead is the number of bytes at the beginning of a file that suffice to identify it.
const IdentityHead = 256 << 10

// Identify returns the identity of a file that begins with head. Its Origin is "" if the file itself
// contains its origin.
type Identify func(source domain.ImportSource, head []byte, name, encoding string) Identity

// adopted is the prefix of the ids of rows that record which files continue under an earlier origin.
const adopted = "as:"

// OriginOf returns the origin for a file. A file that was imported under one of Others or under Former
// keeps that origin, so that its items are not imported twice. Such a file is recognized by a third of
// its sample. Unless dry, this is recorded, so that it stays true as the file grows.
func (a *Transfer) OriginOf(ctx context.Context, actor domain.Actor, id Identity, dry bool) (string, error) {
	earlier := slices.Concat(id.Others, []string{id.Former})
	marks := []string{adopted + id.Origin}
	for _, other := range id.Others { // this may have been recorded when the file had another origin
		marks = append(marks, adopted+other)
	}
	for _, origin := range earlier {
		noted, err := a.Store.Origins().Origins(ctx, from(actor, origin), transfer.OriginChannel, marks...)
		if err != nil {
			return "", err
		}
		if len(noted) > 0 {
			return origin, nil
		}
	}
	if has, err := a.Store.Origins().HasOrigins(ctx, from(actor, id.Origin)); err != nil || has {
		return id.Origin, err
	}
	has, err := a.Store.Origins().HasOrigins(ctx, from(actor, id.Former))
	if err != nil {
		return "", err
	}
	if !has {
		earlier = id.Others
	}
	if len(earlier) == 0 {
		return id.Origin, nil
	}
	sample := id.Sample(ctx)
	for _, origin := range earlier {
		place := from(actor, origin)
		is, err := a.recognizes(ctx, place, sample)
		if err != nil {
			return "", err
		}
		if is && !dry {
			err = a.keep(ctx, place, transfer.OriginChannel, transfer.Origin{Foreign: marks[0]})
		}
		if is {
			return origin, err
		}
	}
	return id.Origin, nil
}

// recognizes reports whether at least a third of the blocks in a sample came from a place.
func (a *Transfer) recognizes(ctx context.Context, p transfer.OriginPlace, sample [][]string) (bool, error) {
	rows, err := a.Store.Origins().Origins(ctx, p, transfer.OriginBlock, slices.Concat(sample...)...)
	if err != nil {
		return false, err
	}
	known := 0
	for _, ids := range sample {
		if slices.ContainsFunc(ids, func(id string) bool { _, ok := rows[id]; return ok }) {
			known++
		}
	}
	return known > 0 && 3*known >= len(sample), nil
}

// maxNamed is the number of channels that ConsentError names.
const maxNamed = 5

// ConsentError returns the error for a private import that would add to channels that everyone can see, unless there are
// none. The importing user has to allow that.
func ConsentError(visible []string) error {
	if len(visible) == 0 {
		return nil
	}
	named := make([]string, 0, maxNamed+1)
	for _, title := range visible[:min(len(visible), maxNamed)] {
		named = append(named, "“"+title+"”")
	}
	if len(visible) > maxNamed {
		named = append(named, "…")
	}
	return domain.NewUnprocessable(fmt.Sprintf("The import is private, but everyone can see channels that it would add to: %s. Nothing was imported. Allow it to add to them, or make them private first",
		strings.Join(named, ", ")))
}

// VisibleChannels returns the titles of channels that came from an origin and that everyone can see, since an import from
// this origin may add to any of its channels. It returns one more than ConsentError names, at most.
func (a *Transfer) VisibleChannels(ctx context.Context, actor domain.Actor, origin string) ([]string, error) {
	return a.Store.Origins().VisibleChannels(ctx, from(actor, origin), maxNamed+1)
}

// VisibleBlocks reports which blocks everyone can see.
func (a *Transfer) VisibleBlocks(ctx context.Context, ids []domain.BlockID) (map[domain.BlockID]bool, error) {
	return a.Store.Blocks().BlocksForGuests(ctx, ids)
}

// checkUpload refuses the import of a file that would add to channels that everyone can see, unless
// its owner has allowed that.
func (a *Transfer) checkUpload(ctx context.Context, actor domain.Actor, i domain.Import, encoding string) error {
	if a.identify == nil || i.Visibility != domain.Private || i.IntoVisible {
		return nil
	}
	head, err := a.content.HeadOfUpload(ctx, i.UploadID, IdentityHead)
	if err != nil {
		return err
	}
	id := a.identify(i.Source, head, i.FileName, encoding)
	if id.Origin == "" {
		return nil
	}
	origin, err := a.OriginOf(ctx, actor, id, true)
	if err != nil {
		return err
	}
	visible, err := a.VisibleChannels(ctx, actor, origin)
	if err != nil {
		return err
	}
	return ConsentError(visible)
}

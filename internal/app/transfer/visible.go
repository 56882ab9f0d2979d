package transfer

import (
	"context"
	"fmt"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store/origins"
)

// VisibleHere is the reason for which nothing is added to a channel.
const VisibleHere = "Everyone can see the channel here, and the import is private"

// Identity tells one imported file from others, so that importing it again updates what came from
// it, and another file gets channels of its own.
type Identity struct {
	Origin string

	// Former is the origin that versions before gave to all files of the kind, and Sample returns
	// the ids of some blocks in the file, by which a file is recognized that came under it.
	Former string
	Sample func(ctx context.Context) []string
}

// IdentityHead is how many bytes from the beginning of a file are enough to identify it.
const IdentityHead = 256 << 10

// Identify returns the identity of a file that begins with head; its Origin is "" for a file that
// says itself where it comes from.
type Identify func(source domain.ImportSource, head []byte, name string) Identity

// adopted begins the ids of rows that note which files go on under the former origin.
const adopted = "as:"

// OriginOf returns the origin for a file. A file that was imported under the former origin goes on
// there, or everything in it would come twice: it is recognized when a third of the sample is
// known there. Unless dry, that is noted, so that it stays so however the file grows.
func (a *Transfer) OriginOf(ctx context.Context, actor domain.Actor, id Identity, dry bool) (string, error) {
	former := from(actor, id.Former)
	mark := adopted + id.Origin
	rows, err := a.Store.Origins(ctx, former, origins.Channel, mark)
	if err != nil {
		return "", err
	}
	if _, noted := rows[mark]; noted {
		return id.Former, nil
	}
	has, err := a.Store.HasOrigins(ctx, former)
	if err != nil || !has {
		return id.Origin, err
	}
	if has, err = a.Store.HasOrigins(ctx, from(actor, id.Origin)); err != nil || has {
		return id.Origin, err
	}
	sample := id.Sample(ctx)
	known, err := a.Store.Origins(ctx, former, origins.Block, sample...)
	if err != nil || len(known) == 0 || 3*len(known) < len(sample) {
		return id.Origin, err
	}
	if dry {
		return id.Former, nil
	}
	return id.Former, a.keep(ctx, former, origins.Channel, origins.Row{Foreign: mark})
}

// VisibleError is the error of an import that asks for private channels and would add to channels
// that everyone can see. Its owner has to allow that.
type VisibleError struct{ Titles []string }

// mostNamed is how many channels a VisibleError names.
const mostNamed = 5

// Unwrap returns the error for clients.
func (e *VisibleError) Unwrap() error {
	named := make([]string, 0, mostNamed+1)
	for _, title := range e.Titles[:min(len(e.Titles), mostNamed)] {
		named = append(named, "“"+title+"”")
	}
	if len(e.Titles) > mostNamed {
		named = append(named, "…")
	}
	return domain.NewUnprocessable(fmt.Sprintf("The import is private, but everyone can see channels that it adds to: %s. Nothing was imported. Allow it to add to them, or make them private first",
		strings.Join(named, ", ")))
}

func (e *VisibleError) Error() string { return e.Unwrap().Error() }

// CheckVisible returns a VisibleError if everyone can see one of the channels that came from an
// origin: an import from there may add to any of them.
func (a *Transfer) CheckVisible(ctx context.Context, actor domain.Actor, origin string) error {
	titles, err := a.Store.VisibleChannels(ctx, from(actor, origin), mostNamed+1)
	if err == nil && len(titles) > 0 {
		err = &VisibleError{titles}
	}
	return err
}

// VisibleBlocks reports which of the blocks everyone can see.
func (a *Transfer) VisibleBlocks(ctx context.Context, ids []domain.BlockID) (map[domain.BlockID]bool, error) {
	return a.Store.BlocksForGuests(ctx, ids)
}

// checkUpload refuses an import of a file that would add to channels that everyone can see without
// the consent of its owner.
func (a *Transfer) checkUpload(ctx context.Context, actor domain.Actor, i domain.Import) error {
	if a.identify == nil || i.Visibility != domain.Private || i.IntoVisible {
		return nil
	}
	head, err := a.content.HeadOfUpload(ctx, i.UploadID, IdentityHead)
	if err != nil {
		return err
	}
	id := a.identify(i.Source, head, i.FileName)
	if id.Origin == "" {
		return nil
	}
	origin, err := a.OriginOf(ctx, actor, id, true)
	if err != nil {
		return err
	}
	return a.CheckVisible(ctx, actor, origin)
}

package searches

import (
	"context"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/saved"
)

// Found is an entry with new results that the actor may see now.
type Found struct {
	domain.SearchFind
	Total int64           // of visible results
	Items []domain.Entity // the newest of them
}

// FindsInput requests entries of the actor, newest first.
type FindsInput struct {
	Before   domain.SearchFindCursor // only older ones; zero for all
	Since    time.Time               // only those with results since then; zero for no limit
	Notified bool                    // only notifications
	Unread   bool                    // only unread ones
	Limit    int
	Outlined bool // read only the revisions of blocks
}

// shownItems is how many results of an entry are shown.
const shownItems = 8

// Finds lists entries with new results. Entries whose results the actor may not see any more are omitted; next is the
// place of the last entry that was read, and more reports whether there may be older ones.
func (a *Searches) Finds(ctx context.Context, actor domain.Actor, in FindsInput) (all []Found, next domain.SearchFindCursor, more bool, err error) {
	if !actor.SignedIn() {
		return nil, next, false, errGuest
	}
	finds, err := a.Store.Saved().Finds(ctx, saved.FindsWanted{User: actor.UserID, Before: in.Before, Since: in.Since, Notified: in.Notified, Unread: in.Unread, Limit: in.Limit})
	if err != nil {
		return nil, next, false, err
	}
	if next = in.Before; len(finds) > 0 {
		last := finds[len(finds)-1]
		next = domain.SearchFindCursor{FoundAt: last.FoundAt.UnixMicro(), ID: last.ID}
	}
	finder := a.finder
	if in.Outlined {
		finder = finder.Outlined()
	}
	all, err = visible(ctx, finder, actor, finds, shownItems)
	return all, next, len(finds) == in.Limit, err
}

// visible returns the entries with results that the actor may see, and the first of these results.
func visible(ctx context.Context, finder *collections.Finder, actor domain.Actor, finds []domain.SearchFind, first int) (all []Found, err error) {
	if len(finds) == 0 {
		return nil, nil
	}
	lists := make([][]domain.Subject, len(finds))
	for i, f := range finds {
		lists[i] = f.Results
	}
	read, err := finder.ReadLists(ctx, actor, lists, first)
	if err != nil {
		return nil, err
	}
	for i, f := range finds {
		if read[i].Total > 0 {
			all = append(all, Found{f, read[i].Total, read[i].Items})
		}
	}
	return all, nil
}

// UnreadFinds counts the unread notifications about saved searches with results that the actor may see, up to a limit.
func (a *Searches) UnreadFinds(ctx context.Context, actor domain.Actor, limit int) (int64, error) {
	finds, err := a.Store.Saved().Finds(ctx, saved.FindsWanted{User: actor.UserID, Notified: true, Unread: true, Limit: limit})
	if err != nil {
		return 0, err
	}
	all, err := visible(ctx, a.finder, actor, finds, 0)
	return int64(len(all)), err
}

// ReadFinds marks all notifications of the actor about saved searches as read.
func (a *Searches) ReadFinds(ctx context.Context, actor domain.Actor) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Saved().ReadFinds(ctx, actor.UserID, a.Now()) })
}

// ReadFind marks a notification of the actor as read and returns its saved search. It returns NotFound if the actor does
// not have it.
func (a *Searches) ReadFind(ctx context.Context, actor domain.Actor, id domain.SearchFindID) (s domain.SavedSearch, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if s, err = tx.Saved().SearchOfFind(ctx, actor.UserID, id); err != nil {
			return err
		}
		return tx.Saved().ReadFind(ctx, actor.UserID, id, a.Now())
	})
	return s, err
}

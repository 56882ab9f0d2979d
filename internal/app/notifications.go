package app

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Notice is a notification: a story, and whether the actor has read of it.
type Notice struct {
	Story
	Read bool
}

// Notifications reads a page of the actor's notifications, all or only the unread ones.
// What they may not see any more is left out.
func (a *App) Notifications(ctx context.Context, actor domain.Actor, unread bool, in CursorInput) (CursorPage[Notice], error) {
	list := "notifications"
	if unread {
		list = "unread notifications"
	}
	return activityPage(ctx, a, actor, list, in, func(v *store.Snapshot) reader[Notice] {
		read := map[domain.ActivityID]bool{}
		return reader[Notice]{
			visible: func(w domain.Window) (seen stretch, err error) {
				receipts, err := v.Receipts(ctx, actor.UserID, unread, w)
				if err != nil {
					return seen, err
				}
				ids := make([]domain.ActivityID, len(receipts))
				for i, r := range receipts {
					ids[i], read[r.ID] = r.ID, r.Read
				}
				return visible(ctx, v, actor, ids)
			},
			hydrate: func(found []domain.Activity) ([]Notice, error) {
				stories, err := hydrate(ctx, v, actor, found)
				notices := make([]Notice, len(stories))
				for i, s := range stories {
					notices[i] = Notice{s, read[s.ID]}
				}
				return notices, err
			},
		}
	})
}

// unread counts what the list of unread notifications shows a user: what is hidden from
// them now is not counted, and is again when it can be seen. Each is looked at, for there
// are never many (domain.MaxUnread).
func (a *App) unread(ctx context.Context, user domain.UserID) (n int64, err error) {
	stable, err := a.store.StableUpTo(ctx)
	if err != nil {
		return 0, err
	}
	err = a.store.InSnapshot(ctx, func(v *store.Snapshot) error {
		receipts, err := v.Receipts(ctx, user, true, domain.Window{Before: stable + 1, Limit: maxScanned})
		if err != nil {
			return err
		}
		ids := make([]domain.ActivityID, len(receipts))
		for i, r := range receipts {
			ids[i] = r.ID
		}
		seen, err := v.VisibleActivities(ctx, user, ids)
		n = int64(len(seen))
		return err
	})
	return n, err
}

// ReadAllNotifications marks all notifications of the actor as read and gives how many
// are unread then.
func (a *App) ReadAllNotifications(ctx context.Context, actor domain.Actor) (unread int64, err error) {
	err = a.store.InTx(ctx, func(tx *store.Tx) error { return tx.MarkAllRead(ctx, actor.UserID) })
	if err != nil {
		return 0, err
	}
	return a.unread(ctx, actor.UserID)
}

// ReadNotification marks a notification of the actor as read and gives it, and how many
// are unread then. One that the actor has not, or may not see any more, is NotFound.
func (a *App) ReadNotification(ctx context.Context, actor domain.Actor, id domain.ActivityID) (n Notice, unread int64, err error) {
	err = a.store.InSnapshot(ctx, func(v *store.Snapshot) error {
		own, err := v.Receipts(ctx, actor.UserID, false, domain.Window{After: id - 1, Before: id + 1, Limit: 1})
		if err != nil {
			return err
		}
		if len(own) == 0 {
			return domain.NewNotFound()
		}
		seen, err := visible(ctx, v, actor, []domain.ActivityID{id})
		if err != nil {
			return err
		}
		if len(seen.found) == 0 {
			return domain.NewNotFound()
		}
		stories, err := hydrate(ctx, v, actor, seen.found)
		if err != nil {
			return err
		}
		if len(stories) == 0 {
			return domain.NewNotFound()
		}
		n = Notice{stories[0], true}
		return nil
	})
	if err != nil {
		return n, 0, err
	}
	err = a.store.InTx(ctx, func(tx *store.Tx) error { return tx.MarkRead(ctx, actor.UserID, id, a.now()) })
	if err != nil {
		return n, 0, err
	}
	unread, err = a.unread(ctx, actor.UserID)
	return n, unread, err
}

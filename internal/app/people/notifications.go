package people

import (
	"context"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Notifications reads a page of the actor's notifications, all or only the unread ones. It omits those that they may not
// see any more.
func (a *People) Notifications(ctx context.Context, actor domain.Actor, unread bool, in CursorInput) (CursorPage[domain.Notice], error) {
	list := "notifications"
	if unread {
		list = "unread notifications"
	}
	return activityPage(ctx, a, actor, list, in, func(v *store.Snapshot) reader[domain.Notice] {
		return noticeReader(ctx, v, actor, unread)
	})
}

// noticeReader reads the actor's notifications, all or only the unread ones.
func noticeReader(ctx context.Context, v *store.Snapshot, actor domain.Actor, unread bool) reader[domain.Notice] {
	read := map[domain.ActivityID]bool{}
	return reader[domain.Notice]{
		visible: func(w domain.Window) (seen chunk, err error) {
			receipts, err := v.Activity().Receipts(ctx, actor.UserID, unread, w)
			if err != nil {
				return seen, err
			}
			ids := make([]domain.ActivityID, len(receipts))
			for i, r := range receipts {
				ids[i], read[r.ID] = r.ID, r.Read
			}
			return visible(ctx, v, actor, ids)
		},
		hydrate: func(found []domain.Activity) ([]domain.Notice, error) {
			stories, err := hydrate(ctx, v, actor, found)
			notices := make([]domain.Notice, len(stories))
			for i, s := range stories {
				notices[i] = domain.Notice{Story: s, Read: read[s.ID]}
			}
			return notices, err
		},
	}
}

// unread counts the entries in a user's list of unread notifications. Entries that are hidden now are not counted, until
// they are visible again. It checks each of the newest `looked` entries; there are never many (domain.MaxUnread).
func (a *People) unread(ctx context.Context, user domain.UserID, looked int) (n int64, err error) {
	stable, err := a.Store.StableUpTo(ctx)
	if err != nil {
		return 0, err
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		receipts, err := v.Activity().Receipts(ctx, user, true, domain.Window{Before: stable + 1, Limit: looked})
		if err != nil {
			return err
		}
		ids := make([]domain.ActivityID, len(receipts))
		for i, r := range receipts {
			ids[i] = r.ID
		}
		seen, err := v.Activity().VisibleActivities(ctx, user, ids)
		n = int64(len(seen))
		return err
	})
	return n, err
}

// unreadLooked is how many of the newest unread notifications are checked first. It suffices unless most of them are
// hidden.
const unreadLooked = 200

// UnreadNotifications counts the entries in the actor's list of unread notifications, up to limit. known is the count of
// their account (domain.User.Unread), which includes hidden ones; if it is 0, no statement is needed.
func (a *People) UnreadNotifications(ctx context.Context, actor domain.Actor, known, limit int64) (n int64, err error) {
	if known == 0 || !actor.SignedIn() {
		return 0, nil
	}
	if n, err = a.unread(ctx, actor.UserID, unreadLooked); err == nil && n < limit && known > unreadLooked {
		n, err = a.unread(ctx, actor.UserID, maxScanned)
	}
	return min(n, limit), err
}

// ReadAllNotifications marks all notifications of the actor as read and returns how many are unread afterwards.
func (a *People) ReadAllNotifications(ctx context.Context, actor domain.Actor) (unread int64, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Activity().MarkAllRead(ctx, actor.UserID) })
	if err != nil {
		return 0, err
	}
	return a.unread(ctx, actor.UserID, maxScanned)
}

// ReadNotification marks a notification of the actor as read and returns it with the number of unread ones. It returns
// NotFound if the actor does not have it or may not see it any more.
func (a *People) ReadNotification(ctx context.Context, actor domain.Actor, id domain.ActivityID) (n domain.Notice, unread int64, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		own, err := v.Activity().Receipts(ctx, actor.UserID, false, domain.Window{After: id - 1, Before: id + 1, Limit: 1})
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
		n = domain.Notice{Story: stories[0], Read: true}
		return nil
	})
	if err != nil {
		return n, 0, err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Activity().MarkRead(ctx, actor.UserID, id, a.Now()) })
	if err != nil {
		return n, 0, err
	}
	unread, err = a.unread(ctx, actor.UserID, maxScanned)
	return n, unread, err
}

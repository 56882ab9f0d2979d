package people

import (
	"context"
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// Notifications reads a page of the actor's notifications, all or only the unread ones. It omits those that they may not
// see any more.
func (a *People) Notifications(ctx context.Context, actor domain.Actor, unread bool, in CursorInput) (CursorPage[domain.Notice], error) {
	return activityPage(ctx, a, actor, noticeList(unread), in, func(v *store.Snapshot) reader[domain.Notice] {
		return noticeReader(ctx, v, actor, unread)
	})
}

// NotificationDays reads a page of notifications like Notifications, which ends with the end of a day (UTC). So the groups
// that a reader forms of each day are not split between pages, unless a day has more than domain.MaxPerPage.
func (a *People) NotificationDays(ctx context.Context, actor domain.Actor, unread bool, next *string) (p CursorPage[domain.Notice], err error) {
	if p, err = a.Notifications(ctx, actor, unread, CursorInput{Limit: domain.MaxPerPage, Next: next}); err != nil || p.Next == "" || len(p.Items) == 0 {
		return p, err
	}
	last := len(p.Items) - 1
	n := slices.IndexFunc(p.Items, func(n domain.Notice) bool { return n.Day() == p.Items[last].Day() })
	if n == 0 {
		return p, nil
	}
	c, err := a.cursors(ctx, noticeList(unread), actor.UserID)
	p.Items, p.Next = p.Items[:n], c.at(p.Items[n-1].ID)
	return p, err
}

// noticeList returns the name of a list of notifications in its cursors.
func noticeList(unread bool) string {
	if unread {
		return "unread notifications"
	}
	return "notifications"
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
	read, err := a.ReadNotifications(ctx, actor, []domain.ActivityID{id})
	if err != nil {
		return n, 0, err
	}
	unread, err = a.unread(ctx, actor.UserID, maxScanned)
	return read[0], unread, err
}

// ReadNotifications marks notifications of the actor as read and returns them, newest first. It ignores those that the
// actor does not have or may not see any more, and returns NotFound if no other is left.
func (a *People) ReadNotifications(ctx context.Context, actor domain.Actor, ids []domain.ActivityID) (read []domain.Notice, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		own, err := v.Activity().Received(ctx, actor.UserID, ids)
		if err != nil {
			return err
		}
		seen, err := visible(ctx, v, actor, own)
		if err != nil {
			return err
		}
		stories, err := hydrate(ctx, v, actor, seen.found)
		if err != nil {
			return err
		}
		if len(stories) == 0 {
			return domain.NewNotFound()
		}
		ids = nil
		for _, s := range stories {
			read, ids = append(read, domain.Notice{Story: s, Read: true}), append(ids, s.ID)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return read, a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Activity().MarkRead(ctx, actor.UserID, ids, a.Now()) })
}

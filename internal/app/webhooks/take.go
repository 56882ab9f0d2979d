package webhooks

import (
	"context"
	"errors"
	"slices"
	"time"

	"vitrine/internal/app/changes"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	storechanges "vitrine/internal/store/changes"
	storewebhooks "vitrine/internal/store/webhooks"
)

const (
	takenAtOnce = 50    // webhooks that read a page of changes together
	takenRows   = 100   // changes of a page
	takenPages  = 40    // before anything is sent
	maxPending  = 1_000 // deliveries of a webhook that wait; then it reads no further changes
)

// take reads new changes for all webhooks and stores what is to be sent, some pages at a time. It reads alternately for those
// that are furthest behind and for those that are least behind, so that neither wait for the others. Each page moves
// the positions of its webhooks in the transaction that stores their deliveries, so no change is lost or sent as two
// messages, even if several servers do this at the same time or one of them is killed.
func (a *Webhooks) take(ctx context.Context) (more bool, err error) {
	end := time.Now().Add(takeTime)
	for page := 0; page < takenPages && time.Now().Before(end); page++ {
		again, failed := a.takePage(ctx, page%2 == 1)
		if failed != nil && err == nil && ctx.Err() == nil {
			err = failed
			continue // the others may be readable
		}
		if failed != nil || !again {
			return false, errors.Join(err, failed)
		}
	}
	return true, err
}

// takeTime is how long taking lasts at most, but for its last page.
const takeTime = 2 * time.Second

// taking is what webhooks at the same position read.
type taking struct {
	all       []domain.Webhook
	state     storechanges.State
	to        domain.ChangePosition
	deliverTo map[domain.WebhookID][]domain.WebhookDelivery
}

// takePage reads a page for the webhooks that are furthest behind, or least. It returns false if there is nothing to read, or if another
// server reads it.
func (a *Webhooks) takePage(ctx context.Context, last bool) (again bool, err error) {
	t := taking{deliverTo: map[domain.WebhookID][]domain.WebhookDelivery{}}
	err = a.Store.AtPrimary().InSnapshot(ctx, func(v *store.Snapshot) error {
		head, err := v.Changes().Head(ctx)
		if err != nil {
			return err
		}
		if t.state, err = v.Changes().State(ctx); err != nil {
			return err
		}
		behind, err := v.Webhooks().Behind(ctx, storewebhooks.BehindInput{Head: head, Epoch: changes.Epoch(t.state.Secret), Last: last, Limit: takenAtOnce})
		if err != nil || len(behind) == 0 {
			return err
		}
		for _, w := range behind {
			if w.Read == behind[0].Read && w.Epoch == behind[0].Epoch {
				t.all = append(t.all, w)
			}
		}
		if t.foreign() {
			return nil
		}
		return a.readPage(ctx, v, &t)
	})
	if err != nil || len(t.all) == 0 {
		return false, err
	}
	if t.foreign() {
		return true, a.stopRestored(ctx, t.all)
	}
	return a.storePage(ctx, t)
}

// foreign reports whether the webhooks have read other changes than those of this database, because a backup was restored.
func (t *taking) foreign() bool { return t.all[0].Epoch != changes.Epoch(t.state.Secret) }

// readPage reads a page, and decides what each owner may see.
func (a *Webhooks) readPage(ctx context.Context, v *store.Snapshot, t *taking) error {
	at := t.all[0].Read
	if at.Before(t.state.Forgotten) {
		at = t.state.Forgotten // these changes are no longer known
	}
	rows, err := v.Changes().AfterWithDetail(ctx, at, takenRows)
	if err != nil {
		return err
	}
	if t.to = at; len(rows) > 0 {
		t.to = rows[len(rows)-1].At
	}
	raw := make(map[domain.ChangePosition]*domain.Change, len(rows))
	for i := range rows {
		raw[rows[i].At] = &rows[i]
	}
	type view struct {
		user    domain.UserID
		channel domain.ChannelID
	}
	seen := map[view][]domain.Change{}
	for _, w := range t.all {
		key := view{w.UserID, w.Channel}
		shown, ok := seen[key]
		if !ok {
			if shown, err = changes.Visible(ctx, v.Changes(), w.UserID, w.Channel, rows); err != nil {
				return err
			}
			seen[key] = shown
		}
		for i := range shown {
			if event := shown[i].EventType(); w.Wants(event) {
				t.deliverTo[w.ID] = append(t.deliverTo[w.ID], domain.WebhookDelivery{Webhook: w.ID, Message: newMessageID(), Channel: shown[i].Order(),
					Type: event, Change: raw[shown[i].At]})
			}
		}
	}
	return nil
}

// storePage stores the deliveries of a page for those webhooks that are still at its beginning.
func (a *Webhooks) storePage(ctx context.Context, t taking) (moved bool, err error) {
	at, now := t.all[0].Read, a.Now()
	ids := make([]domain.WebhookID, len(t.all))
	for i, w := range t.all {
		ids[i] = w.ID
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		locked, err := tx.Webhooks().LockAt(ctx, ids, at)
		if err != nil {
			return err
		}
		ours := slices.DeleteFunc(slices.Clone(ids), func(id domain.WebhookID) bool { return !locked[id] })
		if moved = len(ours) > 0; !moved {
			return nil
		}
		var woken []domain.WebhookID
		var all []domain.WebhookDelivery
		for _, id := range ours {
			for _, d := range t.deliverTo[id] {
				d.CreatedAt = now
				all = append(all, d)
			}
			if len(t.deliverTo[id]) > 0 {
				woken = append(woken, id)
			}
		}
		if len(woken) > 0 {
			if err := tx.Webhooks().AddDeliveries(ctx, all); err != nil {
				return err
			}
			if err := tx.Webhooks().WakeWebhooks(ctx, woken, now); err != nil {
				return err
			}
			if err := tx.Webhooks().MarkCrowded(ctx, woken, maxPending); err != nil {
				return err
			}
		}
		return tx.Webhooks().AdvanceWebhooks(ctx, ours, t.to)
	})
	return moved, err
}

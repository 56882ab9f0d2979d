package webhooks

import (
	"context"
	crypto "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/store"
	storewebhooks "vitrine/internal/store/webhooks"
)

const (
	// PostTimeout limits a message with its response.
	PostTimeout = 15 * time.Second

	// MaxAtOnce is how many webhooks a server sends to at once.
	MaxAtOnce = healthySlots + strainedSlots

	healthySlots  = 12
	strainedSlots = 4 // for receivers that were slow or failed, so that they do not delay others
	perOwner      = 4
	perOwnerSlow  = 1 // of strainedSlots
	slowAnswer    = 2 * time.Second
	turnTime      = 20 * time.Second // of one webhook, before others get its slot
	leaseSeconds  = 60               // more than a turn with its last message
	dueAtOnce     = 100
	maxExcerpt    = 1 << 10
)

// retryDelays are the waits after failed attempts, as Standard Webhooks suggests: about three days in all.
var retryDelays = []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour,
	14 * time.Hour, 20 * time.Hour, 24 * time.Hour}

// failingTime is how long no attempt may succeed before a webhook is turned off.
const failingTime = 72 * time.Hour

// The wait between two attempts at a receiver that fails grows with the time that it has failed.
const (
	minHold = 5 * time.Second
	maxHold = 10 * time.Minute
)

// hastenedAfter is how long a receiver must have failed so that everything that waits is sent as soon as it works again.
const hastenedAfter = time.Hour

// slots limits what this process sends at once.
type slots struct {
	mu       sync.Mutex
	running  map[domain.WebhookID]bool
	owners   map[domain.UserID]int
	slow     map[domain.UserID]int // of these, those with strained receivers
	healthy  int
	strained int
	done     sync.WaitGroup
}

func newSlots() *slots {
	return &slots{running: map[domain.WebhookID]bool{}, owners: map[domain.UserID]int{}, slow: map[domain.UserID]int{}}
}

// enter reserves a slot. ok is false if none is free for the webhook.
func (s *slots) enter(d storewebhooks.Due) (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	used, limit := &s.healthy, healthySlots
	if d.Strained {
		used, limit = &s.strained, strainedSlots
	}
	if *used >= limit || s.running[d.ID] || s.owners[d.User] >= perOwner || d.Strained && s.slow[d.User] >= perOwnerSlow {
		return nil, false
	}
	*used++
	if d.Strained {
		s.slow[d.User]++
	}
	s.owners[d.User]++
	s.running[d.ID] = true
	s.done.Add(1)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		*used--
		if d.Strained {
			if s.slow[d.User]--; s.slow[d.User] == 0 {
				delete(s.slow, d.User)
			}
		}
		delete(s.running, d.ID)
		if s.owners[d.User]--; s.owners[d.User] == 0 {
			delete(s.owners, d.User)
		}
		s.done.Done()
	}, true
}

// Work reads new changes and starts sending what is due. It does not wait until it is sent; Wait does. The server calls
// it every second.
func (a *Webhooks) Work(ctx context.Context) error {
	_, _, err := a.work(ctx)
	return err
}

// work also reports whether there are more changes to read. It sends even if it cannot read.
func (a *Webhooks) work(ctx context.Context) (started int, more bool, err error) {
	if some, err := a.Store.AtPrimary().Webhooks().HasWebhooks(ctx); err != nil || !some {
		return 0, false, err
	}
	more, failed := a.take(ctx)
	started, err = a.startDue(ctx)
	return started, more, errors.Join(failed, err)
}

// startDue starts sending what is due, as far as there are slots.
func (a *Webhooks) startDue(ctx context.Context) (started int, err error) {
	for _, strained := range []bool{false, true} {
		due, err := a.Store.AtPrimary().Webhooks().DueWebhooks(ctx, strained, a.Now(), dueAtOnce)
		if err != nil {
			return started, err
		}
		for _, d := range due {
			leave, ok := a.slots.enter(d)
			if !ok {
				continue
			}
			started++
			go func() {
				defer leave()
				if err := a.serve(ctx, d.ID); err != nil && ctx.Err() == nil {
					a.log.WarnContext(ctx, "cannot send to a webhook", "webhook", d.ID, "error", err)
				}
			}()
		}
	}
	return started, nil
}

// Wait waits until everything that was started has ended.
func (a *Webhooks) Wait() { a.slots.done.Wait() }

// Settle sends everything that is due now. Tests use it instead of a running server.
func (a *Webhooks) Settle(ctx context.Context) error {
	for {
		started, more, err := a.work(ctx)
		a.Wait()
		if err != nil || started == 0 && !more {
			return err
		}
	}
}

// serve sends what is due of one webhook, unless another process does.
func (a *Webhooks) serve(ctx context.Context, id domain.WebhookID) error {
	lease := crypto.Text()
	ours := false
	err := a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		ours, err = tx.Webhooks().LeaseWebhook(ctx, id, lease, leaseSeconds)
		return err
	})
	if err != nil || !ours {
		return err
	}
	failed := a.sendDue(ctx, id, lease)
	return errors.Join(failed, a.Note(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Webhooks().LockLeased(ctx, id, lease)
		if domain.KindOf(err) == domain.NotFound {
			return nil // deleted, or another process has it
		}
		if err != nil {
			return err
		}
		if err := tx.Webhooks().TrimDeliveries(ctx, id, keptDeliveries); err != nil {
			return err
		}
		return tx.Webhooks().ReleaseWebhook(ctx, id, a.Now(), maxPending)
	}))
}

// sendDue sends one delivery after the other, until one fails or the turn is over.
func (a *Webhooks) sendDue(ctx context.Context, id domain.WebhookID, lease string) error {
	end := time.Now().Add(turnTime)
	for time.Now().Before(end) && ctx.Err() == nil {
		d, err := a.Store.AtPrimary().Webhooks().NextDelivery(ctx, id, a.Now())
		if domain.KindOf(err) == domain.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		if again, err := a.deliver(ctx, d, lease); err != nil || !again {
			return err
		}
	}
	return ctx.Err()
}

// attempt is the outcome of sending a delivery.
type attempt struct {
	prepared
	at     time.Time
	took   time.Duration
	answer fetch.Answer
	err    error
}

func (t *attempt) success() bool { return t.err == nil && t.answer.Status/100 == 2 }

// deliver sends a delivery, and records the outcome. It returns false if the next delivery should wait.
func (a *Webhooks) deliver(ctx context.Context, d domain.WebhookDelivery, lease string) (again bool, err error) {
	t := attempt{at: a.Now()}
	if t.prepared, err = a.prepare(ctx, d); err != nil {
		return false, err
	}
	if t.skip == "" && t.stop == "" {
		begin := time.Now()
		t.answer, t.err = a.client.Post(ctx, fetch.Message{URL: t.webhook.URL, Header: header(t.webhook, d.Message, t.body, t.at), Body: t.body, MaxBytes: maxExcerpt})
		t.took = time.Since(begin)
		if t.err != nil && ctx.Err() != nil {
			return false, ctx.Err() // a shutdown is not a failure of the receiver
		}
	}
	err = a.Note(ctx, func(ctx context.Context, tx *store.Tx) error {
		w, err := tx.Webhooks().LockLeased(ctx, d.Webhook, lease)
		if domain.KindOf(err) == domain.NotFound {
			again = false
			return nil // deleted, or another process has it and sends again
		}
		if err != nil {
			return err
		}
		now, err := tx.Webhooks().Delivery(ctx, d.Webhook, d.ID)
		if err != nil || now.NextAt == nil {
			again = err == nil // ended in the meantime
			return err
		}
		again, err = a.record(ctx, tx, w, now, t)
		return err
	})
	return again, err
}

// record stores the outcome of an attempt in the delivery and its locked webhook.
func (a *Webhooks) record(ctx context.Context, tx *store.Tx, w domain.Webhook, d domain.WebhookDelivery, t attempt) (again bool, err error) {
	if t.stop != "" {
		return false, a.stop(ctx, tx, w, t.stop)
	}
	moved := w.URL != t.webhook.URL // while the message was sent: the outcome says nothing about the new address
	if moved && t.skip == "" && !t.success() {
		return true, nil
	}
	d.NextAt = nil
	if t.skip != "" {
		d.State, d.Problem = domain.DeliverySkipped, &t.skip
		return true, tx.Webhooks().SaveDelivery(ctx, d)
	}
	d.Attempts++
	d.AttemptedAt, d.Took, d.Status, d.Problem = &t.at, new(t.took.Milliseconds()), nil, core.NonEmpty(new(failureOf(t)))
	if t.err == nil {
		d.Status = new(int64(t.answer.Status))
	}
	d.Response = new(printable(t.answer.Excerpt))
	now := a.Now()
	hasten := false
	switch {
	case t.success():
		hasten = w.FailingSince != nil && now.Sub(*w.FailingSince) >= hastenedAfter
		d.State, w.FailingSince, w.SucceededAt, w.HoldUntil, w.Strained = domain.DeliveryDelivered, nil, &now, now, t.took > slowAnswer
	default:
		if w.FailingSince == nil && !d.Manual {
			w.FailingSince = &now
		}
		d.State, w.Strained = domain.DeliveryFailed, true
		if !d.Manual && d.Attempts <= len(retryDelays) {
			d.State, d.NextAt = domain.DeliveryPending, new(now.Add(retryDelay(d.Attempts, t.answer.RetryAfter)))
		}
		hold := minHold
		if w.FailingSince != nil {
			hold = min(max(minHold, now.Sub(*w.FailingSince)/4), maxHold)
		}
		w.HoldUntil = now.Add(max(hold, t.answer.RetryAfter))
	}
	if err := tx.Webhooks().SaveDelivery(ctx, d); err != nil || moved {
		return err == nil, err
	}
	if err := tx.Webhooks().SaveWebhook(ctx, w); err != nil {
		return false, err
	}
	switch {
	case hasten:
		return true, tx.Webhooks().HastenDeliveries(ctx, w.ID, now)
	case t.err == nil && t.answer.Status == http.StatusGone && w.Stopped == "":
		return false, a.stop(ctx, tx, w, domain.StoppedGone)
	case !t.success() && w.Stopped == "" && w.FailingSince != nil && now.Sub(*w.FailingSince) >= failingTime:
		return false, a.stop(ctx, tx, w, domain.StoppedFailing)
	}
	return t.success(), nil
}

// retryDelay returns the wait after a number of failed attempts, with up to a fifth added at random, so that receivers are
// not overrun when they work again.
func retryDelay(attempts int, atLeast time.Duration) time.Duration {
	delay := retryDelays[attempts-1]
	return max(delay+rand.N(delay/5), atLeast)
}

// failureOf returns why an attempt failed, or "".
func failureOf(t attempt) string {
	if t.success() {
		return ""
	}
	if known, ok := errors.AsType[*fetch.Error](t.err); ok {
		return known.Reason
	}
	if t.err != nil {
		return "The message could not be sent"
	}
	status := strings.TrimSpace(strconv.Itoa(t.answer.Status) + " " + http.StatusText(t.answer.Status))
	if t.answer.Status/100 == 3 {
		return fmt.Sprintf("The receiver responded %s, and redirects are not followed", status)
	}
	return fmt.Sprintf("The receiver responded %s", status)
}

// printable returns the beginning of a response as a text that both databases can store.
func printable(excerpt []byte) string {
	return strings.ReplaceAll(strings.ToValidUTF8(string(excerpt), "\uFFFD"), "\x00", "\uFFFD")
}

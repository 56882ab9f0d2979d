// Package webhooks sends changes to addresses of other programs (docs/design/webhooks.md).
package webhooks

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"vitrine/internal/app/changes"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/mail"
	"vitrine/internal/store"
)

// Webhooks contains the use cases.
type Webhooks struct {
	*core.Core
	client *fetch.Client
	mailer *mail.Mailer
	log    *slog.Logger
	slots  *slots

	// Render returns a thing as JSON, for full payloads. The composition sets it.
	Render func(domain.Actor, domain.Entity) []byte
}

// Options configures the use cases.
type Options struct {
	Client *fetch.Client // nil if this process neither creates nor sends webhooks
	Log    *slog.Logger  // nil means the default one
}

// New creates the use cases. mailer is only needed for jobs.
func New(c *core.Core, mailer *mail.Mailer, o Options) *Webhooks {
	a := &Webhooks{Core: c, client: o.Client, mailer: mailer, log: o.Log, slots: newSlots()}
	if a.log == nil {
		a.log = slog.Default()
	}
	return a
}

// errGuest is the error for guests, who have no webhooks.
var errGuest = domain.NewUnauthenticated("Sign in to manage webhooks")

// Input describes a webhook. Fields of an update that are nil do not change.
type Input struct {
	Name    *string
	URL     *string
	Events  *[]string
	Channel *domain.ChannelID // 0 for all
	Payload *domain.WebhookPayload
	Active  *bool
}

// Validate checks everything that needs no lookup.
func (in Input) Validate() error {
	var f domain.Faults
	f.OptionalText("name", in.Name, domain.MaxTitle)
	if in.URL != nil && f.RequiredText("url", *in.URL, domain.MaxURL) {
		core.CheckURL(&f, "url", *in.URL, domain.MaxURL)
	}
	if in.Events != nil {
		checkEvents(&f, *in.Events)
	}
	if in.Channel != nil {
		f.OptionalID("channel_id", int64(*in.Channel))
	}
	if in.Payload != nil && *in.Payload != domain.ThinPayload && *in.Payload != domain.FullPayload {
		f.Add("payload", domain.FieldUnknown, "must be thin or full")
	}
	return f.Err()
}

func checkEvents(f *domain.Faults, events []string) {
	known := map[string]bool{}
	for _, name := range domain.WebhookEvents {
		known[name] = true
	}
	for i, name := range events {
		path := "events[" + strconv.Itoa(i) + "]"
		once, ok := known[name]
		switch {
		case !ok:
			f.Add(path, domain.FieldUnknown, "is not the type of an event")
		case !once:
			f.Add(path, domain.FieldRepeated, "is there already")
		}
		if ok {
			known[name] = false
		}
		if i == domain.MaxWebhookEvents {
			return // do not list all of them
		}
	}
}

// apply copies the given fields.
func (in Input) apply(w *domain.Webhook) {
	if in.Name != nil {
		w.Name = domain.CleanName(*in.Name)
	}
	if in.URL != nil {
		w.URL = core.CheckURL(new(domain.Faults), "url", *in.URL, domain.MaxURL)
	}
	if in.Events != nil {
		w.Events = *in.Events
	}
	if in.Channel != nil {
		w.Channel = *in.Channel
	}
	if in.Payload != nil {
		w.Payload = *in.Payload
	}
}

// reachTimeout limits the lookup of the host of a new webhook.
const reachTimeout = 5 * time.Second

// checkReachable refuses an address that nothing would be sent to: one in a private network, or whose host does not
// exist.
func (a *Webhooks) checkReachable(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	err := a.client.CheckResolved(ctx, address)
	if known, ok := errors.AsType[*fetch.Error](err); ok {
		return domain.InvalidField("url", domain.FieldForbidden, "cannot be used: "+known.Reason)
	}
	if err != nil {
		return err
	}
	return a.CheckSites(ctx, core.Link{Field: "url", Address: address})
}

// checkChannel refuses a channel that the actor may not see.
func checkChannel(ctx context.Context, tx *store.Tx, actor domain.Actor, id domain.ChannelID) error {
	if id == 0 {
		return nil
	}
	_, err := tx.Channels().Channel(ctx, actor.UserID, domain.Ref{ID: int64(id)})
	if domain.KindOf(err) == domain.NotFound {
		return domain.InvalidField("channel_id", domain.FieldUnknown, "is not a channel that you can see")
	}
	return err
}

// now starts a webhook with the changes that are made from now on.
func now(ctx context.Context, tx *store.Tx, w *domain.Webhook) error {
	s, err := tx.Changes().State(ctx)
	w.Epoch, w.Read = changes.Epoch(s.Secret), s.End
	return err
}

// CreateWebhook adds a webhook of the actor. The result contains its secret.
func (a *Webhooks) CreateWebhook(ctx context.Context, actor domain.Actor, in Input) (w domain.Webhook, err error) {
	if !actor.SignedIn() {
		return w, errGuest
	}
	if in.URL == nil {
		in.URL = new(string)
	}
	if err := in.Validate(); err != nil {
		return w, err
	}
	w = domain.Webhook{UserID: actor.UserID, Application: actor.ApplicationID, Payload: domain.ThinPayload, Secret: newSecret(), CreatedAt: a.Now(), UpdatedAt: a.Now()}
	in.apply(&w)
	if err := a.checkReachable(ctx, w.URL); err != nil {
		return w, err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.Activity().LockSource(ctx, core.SourceOf(domain.UserRef(actor.UserID))); err != nil {
			return err
		}
		n, err := tx.Webhooks().CountWebhooks(ctx, actor.UserID)
		if err != nil {
			return err
		}
		if n >= domain.MaxWebhooks {
			return domain.NewUnprocessable("An account can have at most " + strconv.Itoa(domain.MaxWebhooks) + " webhooks. Delete one first")
		}
		if err := checkChannel(ctx, tx, actor, w.Channel); err != nil {
			return err
		}
		if err := now(ctx, tx, &w); err != nil {
			return err
		}
		if in.Active != nil && !*in.Active {
			w.Stopped, w.StoppedAt = domain.StoppedByOwner, new(a.Now())
		}
		if w.ID, err = tx.Webhooks().AddWebhook(ctx, w); err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActWebhookCreated, domain.AboutWebhook(w), nil)
	})
	return w, err
}

// newSecret returns a secret in the form of Standard Webhooks.
func newSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails: it terminates the program instead
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// List lists the webhooks of the actor. Applications see only those that they created.
func (a *Webhooks) List(ctx context.Context, actor domain.Actor) ([]domain.Webhook, error) {
	if !actor.SignedIn() {
		return nil, errGuest
	}
	return a.Store.Webhooks().Webhooks(ctx, actor.UserID, actor.ApplicationID)
}

// Webhook returns a webhook of the actor.
func (a *Webhooks) Webhook(ctx context.Context, actor domain.Actor, id domain.WebhookID) (w domain.Webhook, err error) {
	if !actor.SignedIn() {
		return w, errGuest
	}
	return a.Store.Webhooks().Webhook(ctx, actor.UserID, actor.ApplicationID, id)
}

// change locks a webhook of the actor and changes it.
func (a *Webhooks) change(ctx context.Context, actor domain.Actor, id domain.WebhookID, do func(tx *store.Tx, w *domain.Webhook) error) (w domain.Webhook, err error) {
	if !actor.SignedIn() {
		return w, errGuest
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		w, err = tx.Webhooks().LockWebhook(ctx, id)
		if err == nil && (w.UserID != actor.UserID || actor.ApplicationID != 0 && w.Application != actor.ApplicationID) {
			err = domain.NewNotFound()
		}
		if err != nil {
			return err
		}
		return do(tx, &w)
	})
	return w, err
}

// UpdateWebhook changes a webhook of the actor. One that is turned on again is sent the changes from then on.
func (a *Webhooks) UpdateWebhook(ctx context.Context, actor domain.Actor, id domain.WebhookID, in Input) (domain.Webhook, error) {
	if err := in.Validate(); err != nil {
		return domain.Webhook{}, err
	}
	was, err := a.Webhook(ctx, actor, id)
	if err != nil {
		return was, err
	}
	to := was
	in.apply(&to)
	if to.URL != was.URL {
		if err := a.checkReachable(ctx, to.URL); err != nil {
			return was, err
		}
	}
	return a.change(ctx, actor, id, func(tx *store.Tx, w *domain.Webhook) error {
		channel, url := w.Channel, w.URL
		in.apply(w)
		if w.Channel != channel {
			if err := checkChannel(ctx, tx, actor, w.Channel); err != nil {
				return err
			}
		}
		w.UpdatedAt = a.Now()
		if in.Active != nil && *in.Active != (w.Stopped == "") {
			if err := a.turn(ctx, tx, w, *in.Active); err != nil {
				return err
			}
		}
		if w.URL != url {
			if err := a.readdress(ctx, tx, w); err != nil {
				return err
			}
		}
		if err := tx.Webhooks().SaveWebhook(ctx, *w); err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActWebhookChanged, domain.AboutWebhook(*w), map[string]any{"active": w.Stopped == ""})
	})
}

// readdress forgets how the former address of a locked webhook failed, and sends what waits at once.
func (a *Webhooks) readdress(ctx context.Context, tx *store.Tx, w *domain.Webhook) error {
	w.FailingSince, w.Strained, w.HoldUntil = nil, false, a.Now()
	if err := tx.Webhooks().HastenDeliveries(ctx, w.ID, a.Now()); err != nil {
		return err
	}
	return tx.Webhooks().WakeWebhooks(ctx, []domain.WebhookID{w.ID}, a.Now())
}

// turn turns a locked webhook on or off.
func (a *Webhooks) turn(ctx context.Context, tx *store.Tx, w *domain.Webhook, on bool) error {
	if on {
		w.Stopped, w.StoppedAt, w.FailingSince, w.Strained, w.HoldUntil = "", nil, nil, false, a.Now()
		return now(ctx, tx, w)
	}
	w.Stopped, w.StoppedAt = domain.StoppedByOwner, new(a.Now())
	return tx.Webhooks().EndDeliveries(ctx, w.ID, stopText(domain.StoppedByOwner))
}

// OldSecretTime is how long the former secret also signs.
const OldSecretTime = 24 * time.Hour

// RotateSecret creates a new secret for a webhook of the actor. Messages are also signed with the former one for a day.
func (a *Webhooks) RotateSecret(ctx context.Context, actor domain.Actor, id domain.WebhookID) (domain.Webhook, error) {
	return a.change(ctx, actor, id, func(tx *store.Tx, w *domain.Webhook) error {
		w.OldSecret, w.OldUntil = w.Secret, new(a.Now().Add(OldSecretTime))
		w.Secret, w.UpdatedAt = newSecret(), a.Now()
		if err := tx.Webhooks().SaveWebhook(ctx, *w); err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActWebhookSecret, domain.AboutWebhook(*w), nil)
	})
}

// DeleteWebhook deletes a webhook of the actor with its log.
func (a *Webhooks) DeleteWebhook(ctx context.Context, actor domain.Actor, id domain.WebhookID) error {
	_, err := a.change(ctx, actor, id, func(tx *store.Tx, w *domain.Webhook) error {
		if err := tx.Webhooks().DeleteWebhook(ctx, id); err != nil {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActWebhookDeleted, domain.AboutWebhook(*w), nil)
	})
	return err
}

// Ping queues an event that tests a webhook of the actor. It is sent once, even if the webhook is off.
func (a *Webhooks) Ping(ctx context.Context, actor domain.Actor, id domain.WebhookID) (d domain.WebhookDelivery, err error) {
	_, err = a.change(ctx, actor, id, func(tx *store.Tx, w *domain.Webhook) error {
		d = domain.WebhookDelivery{Webhook: id, Message: newMessageID(), Type: domain.WebhookTest, State: domain.DeliveryPending, Manual: true,
			NextAt: new(a.Now()), CreatedAt: a.Now()}
		if err := a.sendSoon(ctx, tx, w); err != nil {
			return err
		}
		d.ID, err = tx.Webhooks().AddDelivery(ctx, d)
		return err
	})
	return d, err
}

// testPause is how long a test does not end the pause of a receiver that fails once more.
const testPause = time.Minute

// sendSoon makes a locked webhook send at once, unless too much waits already, or its receiver has just failed a test.
func (a *Webhooks) sendSoon(ctx context.Context, tx *store.Tx, w *domain.Webhook) error {
	n, err := tx.Webhooks().CountManual(ctx, w.ID)
	if err != nil {
		return err
	}
	if n >= domain.MaxWebhookTests {
		return domain.NewTooMany("Too many events of this webhook wait to be sent: try again in a minute", domain.MaxWebhookTests, time.Minute, time.Minute)
	}
	tested, err := tx.Webhooks().TestedSince(ctx, w.ID, a.Now().Add(-testPause))
	if err != nil {
		return err
	}
	if !tested {
		w.HoldUntil = a.Now()
		if err := tx.Webhooks().SaveWebhook(ctx, *w); err != nil {
			return err
		}
	}
	return tx.Webhooks().WakeWebhooks(ctx, []domain.WebhookID{w.ID}, a.Now())
}

// MaxDeliveriesPage is how many deliveries a page of the log contains.
const MaxDeliveriesPage = 50

// Deliveries lists the deliveries of a webhook of the actor before an id, newest first; 0 means the newest ones. more reports
// whether there are older ones.
func (a *Webhooks) Deliveries(ctx context.Context, actor domain.Actor, id domain.WebhookID, before domain.WebhookDeliveryID) (all []domain.WebhookDelivery, more bool, err error) {
	if _, err := a.Webhook(ctx, actor, id); err != nil {
		return nil, false, err
	}
	if all, err = a.Store.Webhooks().Deliveries(ctx, id, before, MaxDeliveriesPage+1); err == nil && len(all) > MaxDeliveriesPage {
		return all[:MaxDeliveriesPage], true, nil
	}
	return all, false, err
}

// Redeliver sends a delivery of a webhook of the actor once more, with the same id, even if the webhook is off.
func (a *Webhooks) Redeliver(ctx context.Context, actor domain.Actor, id domain.WebhookID, delivery domain.WebhookDeliveryID) (d domain.WebhookDelivery, err error) {
	_, err = a.change(ctx, actor, id, func(tx *store.Tx, w *domain.Webhook) error {
		if d, err = tx.Webhooks().Delivery(ctx, id, delivery); err != nil {
			return err
		}
		if d.NextAt != nil {
			return domain.NewUnprocessable("This delivery still waits to be sent")
		}
		if err := a.sendSoon(ctx, tx, w); err != nil {
			return err
		}
		d.State, d.Manual, d.NextAt = domain.DeliveryPending, true, new(a.Now())
		return tx.Webhooks().SaveDelivery(ctx, d)
	})
	return d, err
}

// DeliveriesKept is how long the log of deliveries is kept, and keptDeliveries how many of a webhook.
const (
	DeliveriesKept = 30 * 24 * time.Hour
	keptDeliveries = 1_000
)

// SweepDeliveries is the job that deletes old entries of the logs.
type SweepDeliveries struct{}

// Kind implements jobs.Args.
func (SweepDeliveries) Kind() string { return "sweep_webhook_deliveries" }

// SweepDeliveries deletes old entries of the logs. It may stop at any point and run again.
func (a *Webhooks) SweepDeliveries(ctx context.Context) error {
	before := a.Now().Add(-DeliveriesKept)
	return a.InBatches(ctx, func(tx *store.Tx) (int, error) { return tx.Webhooks().SweepDeliveries(ctx, before, core.SweepBatch) })
}

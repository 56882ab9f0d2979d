package webhooks

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/app/changes"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// secretPrefix begins each secret.
const secretPrefix = "whsec_"

// newMessageID returns a webhook-id.
func newMessageID() string { return "msg_" + rand.Text() }

// sign returns a signature of Standard Webhooks, version 1.
func sign(secret, id, timestamp string, body []byte) string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil {
		key = []byte(secret) // not created by this program
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte(id + "." + timestamp + "."))
	h.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// header returns the header of a message that is sent at a time.
func header(w domain.Webhook, message string, body []byte, at time.Time) http.Header {
	timestamp := strconv.FormatInt(at.Unix(), 10)
	var signatures []string
	for _, secret := range w.Secrets(at) {
		signatures = append(signatures, sign(secret, message, timestamp, body))
	}
	return http.Header{"Content-Type": {"application/json"}, "Webhook-Id": {message}, "Webhook-Timestamp": {timestamp},
		"Webhook-Signature": {strings.Join(signatures, " ")}}
}

// message is the body of a message.
type message struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      any       `json:"data"`
}

type testData struct {
	WebhookID domain.WebhookID `json:"webhook_id"`
	Name      string           `json:"name"`
}

// changeData is a change, with the names that it has in /ext/v1/changes.
type changeData struct {
	WebhookID domain.WebhookID  `json:"webhook_id"`
	Kind      domain.ChangeKind `json:"kind"`
	Type      string            `json:"type"`
	ID        int64             `json:"id"`
	ChannelID *domain.ChannelID `json:"channel_id"`
	Item      *itemData         `json:"item"`
	ActorID   *domain.UserID    `json:"actor_id"`
	Fields    []string          `json:"fields"`
	Changes   json.RawMessage   `json:"changes,omitempty"`
	At        time.Time         `json:"at"`
	Object    json.RawMessage   `json:"object,omitempty"`
}

type itemData struct {
	Type domain.SubjectType `json:"type"`
	ID   int64              `json:"id"`
}

// nonZero returns nil for 0.
func nonZero[T ~int64](id T) *T {
	if id == 0 {
		return nil
	}
	return &id
}

func dataOf(w domain.Webhook, c domain.Change) changeData {
	d := changeData{WebhookID: w.ID, Kind: c.Kind, Type: string(c.Type), ID: c.ID, ChannelID: nonZero(c.Channel), ActorID: nonZero(c.Actor),
		Fields: append([]string{}, c.Fields...), At: inMillis(c.CreatedAt)}
	if c.Item.ID != 0 {
		d.Item = &itemData{c.Item.Type, c.Item.ID}
	}
	if c.Kind == domain.ChangeUpdated && c.Detail != "" {
		d.Changes = json.RawMessage(c.Detail)
	}
	return d
}

// inMillis returns a time with the precision that the API has.
func inMillis(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// prepared is a message that can be sent, or why not.
type prepared struct {
	webhook domain.Webhook
	body    []byte
	skip    string // why it is not sent; "" otherwise
	stop    domain.WebhookStop
}

// skipFor records why the message is not sent.
func (p *prepared) skipFor(why string) { p.skip = why }

// prepare reads what a delivery contains, as far as the owner of the webhook may see it now. The database is not in use
// when it returns.
func (a *Webhooks) prepare(ctx context.Context, d domain.WebhookDelivery) (p prepared, err error) {
	err = a.Store.AtPrimary().InSnapshot(ctx, func(v *store.Snapshot) error {
		if p.webhook, err = v.Webhooks().WebhookByID(ctx, d.Webhook); err != nil {
			return err
		}
		owner, err := v.Users().User(ctx, domain.Ref{ID: int64(p.webhook.UserID)})
		if domain.KindOf(err) == domain.NotFound || err == nil && owner.SuspendedAt != nil {
			p.skipFor("The account is suspended or deleted")
			return nil
		}
		if err != nil {
			return err
		}
		if p.webhook.Application != 0 {
			_, limits, err := v.Account().Granted(ctx, p.webhook.Application, owner.ID)
			if domain.KindOf(err) == domain.NotFound || limits.InChannels() { // a webhook is not limited to channels
				p.stop = domain.StoppedForNoGrant
				return nil
			}
			if err != nil {
				return err
			}
		}
		return a.write(ctx, v, domain.Actor{UserID: owner.ID, Tier: owner.Tier, Scope: domain.ScopeRead}, d, &p)
	})
	if err == nil && p.skip == "" && p.stop == "" {
		blocked, err := a.BlockedSites(ctx, p.webhook.URL) // the list may have changed
		if err != nil {
			return p, err
		}
		if blocked[0] {
			p.skipFor("The address of the webhook is blocked on this site")
		}
	}
	return p, err
}

// write writes the body of a message.
func (a *Webhooks) write(ctx context.Context, v *store.Snapshot, owner domain.Actor, d domain.WebhookDelivery, p *prepared) (err error) {
	m := message{Type: d.Type, Timestamp: inMillis(d.CreatedAt), Data: testData{p.webhook.ID, p.webhook.Name}}
	if d.Change != nil {
		shown, err := changes.Visible(ctx, v.Changes(), owner.UserID, 0, []domain.Change{*d.Change})
		if err != nil {
			return err
		}
		if len(shown) == 0 {
			p.skipFor("You cannot see this any more")
			return nil
		}
		data := dataOf(p.webhook, shown[0])
		if p.webhook.Payload == domain.FullPayload {
			if data.Object, err = a.object(ctx, v, owner, shown[0]); err != nil {
				return err
			}
		}
		m.Type, m.Data = shown[0].EventType(), data
	}
	p.body, err = json.Marshal(m)
	return err
}

var null = json.RawMessage("null")

// object returns the thing of a change as it is now: the item of a connection, and null for comments and for things that are gone.
func (a *Webhooks) object(ctx context.Context, v *store.Snapshot, owner domain.Actor, c domain.Change) (json.RawMessage, error) {
	what := domain.Subject{Type: c.Type, ID: c.ID}
	if c.Type == domain.SubjectConnection {
		what = c.Item
	}
	if c.Kind == domain.ChangeDeleted || c.Kind == domain.ChangeDisconnected || a.Render == nil {
		return null, nil
	}
	if what.Type == domain.SubjectBlock {
		seen, err := v.Changes().VisibleBlocks(ctx, owner.UserID, []domain.BlockID{domain.BlockID(what.ID)})
		if err != nil || !seen[domain.BlockID(what.ID)] {
			return null, err
		}
	}
	all, err := core.ReadEntities(ctx, v, owner, []domain.Subject{what})
	if err != nil || len(all) == 0 {
		return null, err
	}
	return a.Render(owner, all[0]), nil
}

package domain

import (
	"net/url"
	"slices"
	"strings"
	"time"
)

// WebhookID identifies a webhook.
type WebhookID int64

// WebhookDeliveryID identifies a delivery.
type WebhookDeliveryID int64

// WebhookPayload determines what the messages of a webhook contain.
type WebhookPayload string

// The payloads.
const (
	ThinPayload WebhookPayload = "thin" // what changed
	FullPayload WebhookPayload = "full" // also the thing as it is now
)

// WebhookStop is why a webhook is off; "" if it is on.
type WebhookStop string

// The reasons.
const (
	StoppedByOwner    WebhookStop = "owner"
	StoppedGone       WebhookStop = "gone"     // the receiver responded 410
	StoppedFailing    WebhookStop = "failing"  // no attempt succeeded for days
	StoppedByRestore  WebhookStop = "restored" // a backup was restored, perhaps into a copy of the site
	StoppedForNoGrant WebhookStop = "no-grant" // its application may no longer act for the user
)

// Webhook is an address to which the changes that its owner may see are sent.
type Webhook struct {
	ID           WebhookID
	UserID       UserID
	Application  ApplicationID // 0 if the user created it
	Channel      ChannelID     // 0 for all channels
	Name         string
	URL          string
	Events       []string // none: all
	Payload      WebhookPayload
	Secret       string
	OldSecret    string // also signs until OldUntil
	OldUntil     *time.Time
	Stopped      WebhookStop
	StoppedAt    *time.Time
	Epoch        string // of the changes to which Read belongs
	Read         ChangePosition
	FailingSince *time.Time
	HoldUntil    time.Time
	Strained     bool
	SucceededAt  *time.Time
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// Label returns the name of the webhook, or its host if it has none.
func (w Webhook) Label() string {
	if w.Name != "" {
		return w.Name
	}
	if u, err := url.Parse(w.URL); err == nil {
		return u.Host
	}
	return ""
}

// Wants reports whether the webhook is sent events of a type.
func (w Webhook) Wants(event string) bool {
	return len(w.Events) == 0 || slices.Contains(w.Events, event)
}

// Secrets returns the secrets that sign at a time.
func (w Webhook) Secrets(now time.Time) []string {
	all := []string{w.Secret}
	if w.OldSecret != "" && w.OldUntil != nil && now.Before(*w.OldUntil) {
		all = append(all, w.OldSecret)
	}
	return all
}

// WebhookTest is the type of the event that tests a webhook.
const WebhookTest = "ping"

// WebhookEvents lists the types of events that a webhook can select.
var WebhookEvents = []string{
	"block.created", "block.updated", "block.deleted",
	"channel.created", "channel.updated", "channel.deleted", "channel.moved", "channel.followed", "channel.unfollowed",
	"comment.created", "comment.updated", "comment.deleted",
	"connection.connected", "connection.disconnected", "connection.moved", "connection.updated",
	"group.created", "group.updated", "group.deleted", "group.joined", "group.left", "group.followed", "group.unfollowed",
	"user.created", "user.updated", "user.deleted", "user.followed", "user.unfollowed",
}

// EventType returns the type of the event that a change is for a webhook.
func (c *Change) EventType() string { return strings.ToLower(string(c.Type)) + "." + string(c.Kind) }

// DeliveryState is the state of a delivery.
type DeliveryState string

// The states.
const (
	DeliveryPending   DeliveryState = "pending"
	DeliveryDelivered DeliveryState = "delivered"
	DeliveryFailed    DeliveryState = "failed"
	DeliverySkipped   DeliveryState = "skipped" // the owner may not see it any more
)

// WebhookDelivery is an event that is, or was, sent to a webhook.
type WebhookDelivery struct {
	ID          WebhookDeliveryID
	Webhook     WebhookID
	Message     string    // the webhook-id, the same in each attempt
	Channel     ChannelID // deliveries of one channel are sent in order
	Type        string
	Change      *Change // nil for a test
	State       DeliveryState
	Manual      bool // sent once, out of order
	Attempts    int
	NextAt      *time.Time
	Status      *int64
	Problem     *string
	Response    *string
	Took        *int64 // milliseconds
	AttemptedAt *time.Time
	CreatedAt   time.Time
}

// Order returns the channel whose changes are delivered in the order of this one; 0 for things outside of channels.
func (c *Change) Order() ChannelID {
	if c.Type == SubjectChannel {
		return ChannelID(c.ID)
	}
	return c.Channel
}

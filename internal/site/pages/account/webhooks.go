package account

import (
	"slices"
	"strconv"

	"vitrine/internal/app/webhooks"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// webhooksPage lists the webhooks of the account, and the form for a new one.
func webhooksPage(v *web.Visit) error { return showWebhooks(v, web.Filled("payload", "thin")) }

// webhooksView is the page of all webhooks.
type webhooksView struct {
	All    []domain.Webhook
	Events []string
}

func showWebhooks(v *web.Visit, f *web.Form) error {
	all, err := v.App().Webhooks.List(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	return v.Page("webhooks", v.T("account.title.webhooks"), f, webhooksView{all, domain.WebhookEvents})
}

// webhookFields are the fields of the form in their order.
var webhookFields = []string{"url", "name", "channel", "events", "payload"}

// createWebhook adds a webhook, and shows its secret.
func createWebhook(v *web.Visit) error {
	f := v.Form()
	in, err := webhookInput(v, f)
	if err != nil {
		return err
	}
	if f.Failed() {
		return showWebhooks(v, f)
	}
	w, err := v.App().Webhooks.CreateWebhook(v.R.Context(), v.Actor(), in)
	if err != nil {
		if f.Refused(err, webhookFields...) {
			return showWebhooks(v, f)
		}
		return err
	}
	return showWebhook(v, nil, w, w.Secret)
}

// webhookInput reads the form. An unknown channel becomes an error of its field.
func webhookInput(v *web.Visit, f *web.Form) (in webhooks.Input, err error) {
	in.URL, in.Name = new(f.Trimmed("url")), new(f.Trimmed("name"))
	in.Events, in.Payload, in.Channel = new(slices.Clone(f.Values("events"))), new(domain.WebhookPayload(f.Get("payload"))), new(domain.ChannelID)
	if text := f.Trimmed("channel"); text != "" {
		*in.Channel, err = typedChannel(v, text)
		if domain.KindOf(err) == domain.NotFound {
			f.Wrong("channel", "is not a channel that you can see")
			return in, nil
		}
	}
	return in, err
}

// webhookView is the page of a webhook. Secret is shown only once, when it is new.
type webhookView struct {
	domain.Webhook
	Secret string
	Events []string
	Log    []loggedDelivery
	Older  string // the address of older deliveries
	Old    bool   // the former secret still signs
}

// loggedDelivery is an entry of the log.
type loggedDelivery struct {
	domain.WebhookDelivery
	Why string // the problem, translated
}

func webhookPath(id domain.WebhookID) string {
	return "/settings/webhooks/" + strconv.FormatInt(int64(id), 10)
}

// webhook returns the webhook in the path.
func webhook(v *web.Visit) (w domain.Webhook, err error) {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return w, err
	}
	return v.App().Webhooks.Webhook(v.R.Context(), v.Actor(), domain.WebhookID(id))
}

// webhookForm returns the form of a webhook, with its settings.
func webhookForm(w domain.Webhook) *web.Form {
	f := web.Filled("url", w.URL, "name", w.Name, "payload", string(w.Payload))
	if w.Channel != 0 {
		f.Default("channel", strconv.FormatInt(int64(w.Channel), 10))
	}
	for _, name := range w.Events {
		f.Add("events", name)
	}
	return f
}

// webhookPage shows a webhook and its log.
func webhookPage(v *web.Visit) error {
	w, err := webhook(v)
	if err != nil {
		return err
	}
	return showWebhook(v, nil, w, "")
}

func showWebhook(v *web.Visit, f *web.Form, w domain.Webhook, secret string) error {
	ctx := v.R.Context()
	if f == nil {
		f = webhookForm(w)
	}
	before, _ := strconv.ParseInt(v.R.URL.Query().Get("before"), 10, 64) // the newest ones if it is no number
	log, more, err := v.App().Webhooks.Deliveries(ctx, v.Actor(), w.ID, domain.WebhookDeliveryID(max(before, 0)))
	if err != nil {
		return err
	}
	shown := webhookView{Webhook: w, Secret: secret, Events: domain.WebhookEvents, Old: len(w.Secrets(v.App().Webhooks.Now())) > 1}
	for _, d := range log {
		one := loggedDelivery{WebhookDelivery: d}
		if d.Problem != nil {
			one.Why = v.Lang.Fault(*d.Problem)
		}
		shown.Log = append(shown.Log, one)
	}
	if more {
		shown.Older = webhookPath(w.ID) + "?before=" + strconv.FormatInt(int64(log[len(log)-1].ID), 10)
	}
	return v.Page("webhook", w.Label(), f, shown)
}

// changeWebhook saves, tests or deletes a webhook, gives it a new secret, turns it on or off, or sends a delivery again.
func changeWebhook(v *web.Visit) error {
	w, err := webhook(v)
	if err != nil {
		return err
	}
	f, ctx, all := v.Form(), v.R.Context(), v.App().Webhooks
	note := "webhook"
	if again := f.Get("again"); again != "" {
		id, err := web.ID(again)
		if err != nil {
			return err
		}
		if _, err := all.Redeliver(ctx, v.Actor(), w.ID, domain.WebhookDeliveryID(id)); err != nil {
			return refusedWebhook(v, w, err)
		}
		return v.Done(webhookPath(w.ID), "webhook-sent")
	}
	switch f.Get("do") {
	case "save":
		return saveWebhook(v, f, w)
	case "on", "off":
		_, err = all.UpdateWebhook(ctx, v.Actor(), w.ID, webhooks.Input{Active: new(f.Get("do") == "on")})
	case "ping":
		_, err = all.Ping(ctx, v.Actor(), w.ID)
		note = "webhook-sent"
	case "rotate":
		if w, err = all.RotateSecret(ctx, v.Actor(), w.ID); err == nil {
			return showWebhook(v, nil, w, w.Secret)
		}
	case "delete":
		if err := all.DeleteWebhook(ctx, v.Actor(), w.ID); err != nil {
			return err
		}
		return v.Done("/settings/webhooks", "webhook-deleted")
	default:
		return web.UnknownButton()
	}
	if err != nil {
		return refusedWebhook(v, w, err)
	}
	return v.Done(webhookPath(w.ID), note)
}

func saveWebhook(v *web.Visit, f *web.Form, w domain.Webhook) error {
	in, err := webhookInput(v, f)
	if err != nil {
		return err
	}
	if f.Failed() {
		return showWebhook(v, f, w, "")
	}
	if _, err := v.App().Webhooks.UpdateWebhook(v.R.Context(), v.Actor(), w.ID, in); err != nil {
		if f.Refused(err, webhookFields...) {
			return showWebhook(v, f, w, "")
		}
		return err
	}
	return v.Done(webhookPath(w.ID), "webhook")
}

// refusedWebhook shows the webhook with an error that is about no field.
func refusedWebhook(v *web.Visit, w domain.Webhook, err error) error {
	f := webhookForm(w)
	if f.Refused(err) {
		return showWebhook(v, f, w, "")
	}
	return err
}

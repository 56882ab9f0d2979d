package ext

import (
	"context"

	"vitrine/internal/app/webhooks"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// ListWebhooks implements listWebhooks.
func (h *handler) ListWebhooks(ctx context.Context) (*ext.WebhookList, error) {
	all, err := h.app.Webhooks.List(ctx, httpedge.Actor(ctx))
	if err != nil {
		return nil, err
	}
	out := &ext.WebhookList{Data: make([]ext.Webhook, len(all))}
	for i, w := range all {
		out.Data[i] = *showWebhook(w, false)
	}
	return out, nil
}

// CreateWebhook implements createWebhook.
func (h *handler) CreateWebhook(ctx context.Context, r *ext.CreateWebhookReq) (*ext.Webhook, error) {
	in := webhookInput(r.Name, r.Events, r.ChannelID, r.Payload, r.Active)
	in.URL = &r.URL
	w, err := h.app.Webhooks.CreateWebhook(ctx, httpedge.Actor(ctx), in)
	if err != nil {
		return nil, err
	}
	return showWebhook(w, true), nil
}

// GetWebhook implements getWebhook.
func (h *handler) GetWebhook(ctx context.Context, p ext.GetWebhookParams) (*ext.Webhook, error) {
	w, err := h.app.Webhooks.Webhook(ctx, httpedge.Actor(ctx), domain.WebhookID(p.ID))
	if err != nil {
		return nil, err
	}
	return showWebhook(w, false), nil
}

// UpdateWebhook implements updateWebhook.
func (h *handler) UpdateWebhook(ctx context.Context, r *ext.UpdateWebhookReq, p ext.UpdateWebhookParams) (*ext.Webhook, error) {
	in := webhookInput(r.Name, r.Events, r.ChannelID, r.Payload, r.Active)
	if r.URL.Set {
		in.URL = &r.URL.Value
	}
	w, err := h.app.Webhooks.UpdateWebhook(ctx, httpedge.Actor(ctx), domain.WebhookID(p.ID), in)
	if err != nil {
		return nil, err
	}
	return showWebhook(w, false), nil
}

// DeleteWebhook implements deleteWebhook.
func (h *handler) DeleteWebhook(ctx context.Context, p ext.DeleteWebhookParams) error {
	return h.app.Webhooks.DeleteWebhook(ctx, httpedge.Actor(ctx), domain.WebhookID(p.ID))
}

// RotateWebhookSecret implements rotateWebhookSecret.
func (h *handler) RotateWebhookSecret(ctx context.Context, p ext.RotateWebhookSecretParams) (*ext.Webhook, error) {
	w, err := h.app.Webhooks.RotateSecret(ctx, httpedge.Actor(ctx), domain.WebhookID(p.ID))
	if err != nil {
		return nil, err
	}
	return showWebhook(w, true), nil
}

// PingWebhook implements pingWebhook.
func (h *handler) PingWebhook(ctx context.Context, p ext.PingWebhookParams) (*ext.WebhookDelivery, error) {
	d, err := h.app.Webhooks.Ping(ctx, httpedge.Actor(ctx), domain.WebhookID(p.ID))
	if err != nil {
		return nil, err
	}
	return new(showDelivery(d)), nil
}

// ListWebhookDeliveries implements listWebhookDeliveries.
func (h *handler) ListWebhookDeliveries(ctx context.Context, p ext.ListWebhookDeliveriesParams) (*ext.WebhookDeliveryList, error) {
	all, more, err := h.app.Webhooks.Deliveries(ctx, httpedge.Actor(ctx), domain.WebhookID(p.ID), domain.WebhookDeliveryID(p.Before.Or(0)))
	if err != nil {
		return nil, err
	}
	out := &ext.WebhookDeliveryList{Data: make([]ext.WebhookDelivery, len(all)), More: more}
	for i, d := range all {
		out.Data[i] = showDelivery(d)
	}
	return out, nil
}

// RedeliverWebhook implements redeliverWebhook.
func (h *handler) RedeliverWebhook(ctx context.Context, p ext.RedeliverWebhookParams) (*ext.WebhookDelivery, error) {
	d, err := h.app.Webhooks.Redeliver(ctx, httpedge.Actor(ctx), domain.WebhookID(p.ID), domain.WebhookDeliveryID(p.DeliveryID))
	if err != nil {
		return nil, err
	}
	return new(showDelivery(d)), nil
}

func webhookInput(name ext.OptNilString, events []ext.WebhookEvent, channel ext.OptNilInt64, payload ext.OptWebhookPayload, active ext.OptBool) (in webhooks.Input) {
	if name.Set {
		in.Name = &name.Value
	}
	if events != nil {
		all := make([]string, len(events))
		for i, name := range events {
			all[i] = string(name)
		}
		in.Events = &all
	}
	if channel.Set {
		in.Channel = new(domain.ChannelID(channel.Value))
	}
	if payload.Set {
		in.Payload = new(domain.WebhookPayload(payload.Value))
	}
	if active.Set {
		in.Active = &active.Value
	}
	return in
}

func showWebhook(w domain.Webhook, withSecret bool) *ext.Webhook {
	out := &ext.Webhook{ID: int64(w.ID), Name: w.Name, URL: w.URL, Events: make([]ext.WebhookEvent, len(w.Events)), ChannelID: nilID(w.Channel),
		Payload: ext.WebhookPayload(w.Payload), Active: w.Stopped == "", ApplicationID: nilID(w.Application), Secret: nonEmpty(""),
		OldSecretUntil: instant(w.OldUntil), FailingSince: instant(w.FailingSince), SucceededAt: instant(w.SucceededAt),
		CreatedAt: wire.Time{Time: w.CreatedAt}, UpdatedAt: wire.Time{Time: w.UpdatedAt}}
	for i, name := range w.Events {
		out.Events[i] = ext.WebhookEvent(name)
	}
	if out.Stopped.Null = w.Stopped == ""; !out.Stopped.Null {
		out.Stopped.Value = ext.WebhookStopped(w.Stopped)
	}
	if withSecret {
		out.Secret = nonEmpty(w.Secret)
	}
	return out
}

func showDelivery(d domain.WebhookDelivery) ext.WebhookDelivery {
	out := ext.WebhookDelivery{ID: int64(d.ID), MessageID: d.Message, Type: d.Type, State: ext.WebhookDeliveryState(d.State), Attempts: int64(d.Attempts),
		Status: ext.NilInt64{Null: true}, TookMs: ext.NilInt64{Null: true}, Problem: nilString(d.Problem), Response: nilString(d.Response),
		AttemptedAt: instant(d.AttemptedAt), NextAttemptAt: instant(d.NextAt), CreatedAt: wire.Time{Time: d.CreatedAt}}
	if d.Status != nil {
		out.Status = ext.NewNilInt64(*d.Status)
	}
	if d.Took != nil {
		out.TookMs = ext.NewNilInt64(*d.Took)
	}
	return out
}

package server

import (
	"cmp"
	"context"
	"time"

	"vitrine/internal/app/webhooks"
	"vitrine/internal/config"
	"vitrine/internal/fetch"
)

// webhookInterval is how often a server looks for changes to send.
const webhookInterval = time.Second

// newWebhookClient returns the client for receivers. Unlike the one for content, it reaches the private hosts of
// --webhook-hosts, and not those of --fetch-allow.
func newWebhookClient(cfg config.Config, o Options) *fetch.Client {
	f := fetchOptions(cfg, o)
	f.UserAgent = "Vitrine-Webhooks/" + o.Version + " (+" + cfg.SiteURL + ")"
	f.Instead = nil // a sandbox has its own web, but receivers are programs of its users
	f.Allow = append(f.Allow, cfg.WebhookHosts.Networks...)
	f.AllowHosts = cfg.WebhookHosts.Names
	f.Timeout, f.Idle, f.PerHost = cmp.Or(f.Timeout, webhooks.PostTimeout), cmp.Or(f.Idle, webhooks.PostTimeout), webhooks.MaxAtOnce
	return fetch.New(f)
}

// sender sends webhooks in the background. It is not a job of the queue, because slow receivers must not keep jobs waiting.
type sender struct {
	background
	s *Server
}

// start starts sending.
func (d *sender) start() {
	d.background.start(webhookInterval, func(ctx context.Context) bool {
		d.s.whileFit(ctx, "webhooks are not up to date", d.s.App.Webhooks.Work)
		return true
	})
}

// end interrupts messages that are being sent. Another server, or the next one, sends them again.
func (d *sender) end() {
	d.background.end()
	d.s.App.Webhooks.Wait()
}

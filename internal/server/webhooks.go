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
	s    *Server
	stop context.CancelFunc
	done chan struct{}
}

// start starts sending.
func (d *sender) start() {
	ctx, cancel := context.WithCancel(context.Background())
	d.stop, d.done = cancel, make(chan struct{})
	go func() {
		defer close(d.done)
		defer d.s.App.Webhooks.Wait()
		tick := time.NewTicker(webhookInterval)
		defer tick.Stop()
		for ctx.Err() == nil {
			if err := d.s.db.Fit(ctx); err == nil { // otherwise a newer program has replaced this one
				if err := d.s.App.Webhooks.Work(ctx); err != nil && ctx.Err() == nil {
					d.s.log.WarnContext(ctx, "webhooks are not up to date", "error", err)
				}
			}
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	}()
}

// end interrupts messages that are being sent. Another server, or the next one, sends them again.
func (d *sender) end() {
	if d.stop != nil {
		d.stop()
		<-d.done
	}
}

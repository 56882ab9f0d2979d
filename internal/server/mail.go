package server

import (
	"context"
	"time"

	"vitrine/internal/config"
	"vitrine/internal/mail"
	"vitrine/internal/obs"
)

// mailOptions returns the options of the mailer, which sends through the configured server or writes to the outbox
// folder. It measures if stats is not nil.
func mailOptions(cfg config.Config, now func() time.Time, stats *obs.Metrics) mail.Options {
	host := "" // of the SMTP server, if there is one
	o := mail.Options{From: cfg.MailFrom, Folder: cfg.OutboxPath(), Now: now}
	if stats != nil {
		o.Observe = func(ctx context.Context, outcome string, took time.Duration) {
			stats.ObserveOutgoing(ctx, obs.Asked{To: obs.Mail, Operation: "send", Outcome: outcome, Host: host, Took: took})
		}
	}
	if s := cfg.SMTP; s != nil {
		host = s.Host
		o.SMTP = &mail.SMTP{Host: s.Host, Port: s.Port, User: s.User, Password: s.Password, TokenFile: s.TokenFile,
			Security: mail.Security(s.Security)}
	}
	return o
}

// warnAboutMail logs where mails go if they are not sent.
func (s *Server) warnAboutMail() {
	if s.cfg.SMTP == nil {
		s.log.Warn("--smtp-url is not set: mail is written to files instead of being sent", "folder", s.cfg.OutboxPath())
	}
}

package server

import (
	"context"
	"time"

	"vitrine/internal/config"
	"vitrine/internal/mail"
	"vitrine/internal/obs"
)

// newMailer makes what sends mail: through the server of the configuration, or into
// a folder of the data.
func newMailer(cfg config.Config, now func() time.Time, stats *obs.Metrics) (*mail.Mailer, error) {
	host := "" // of a folder
	o := mail.Options{From: cfg.MailFrom, Folder: cfg.OutboxPath(), Now: now,
		Observe: func(ctx context.Context, outcome string, took time.Duration) {
			stats.ObserveOutgoing(ctx, obs.Asked{To: obs.Mail, Operation: "send", Outcome: outcome, Host: host, Took: took})
		}}
	if s := cfg.SMTP; s != nil {
		host = s.Host
		o.SMTP = &mail.SMTP{Host: s.Host, Port: s.Port, User: s.User, Password: s.Password, TokenFile: s.TokenFile,
			Security: mail.Security(s.Security)}
	}
	return mail.New(o)
}

// warnOfMail says where mails go that are not sent.
func (s *Server) warnOfMail() {
	if s.cfg.SMTP == nil {
		s.log.Warn("mail is not sent, since --smtp-url is not set: it is written to files", "folder", s.cfg.OutboxPath())
	}
}

package server

import (
	"time"

	"vitrine/internal/config"
	"vitrine/internal/mail"
)

// newMailer makes what sends mail: through the server of the configuration, or into
// a folder of the data.
func newMailer(cfg config.Config, now func() time.Time) (*mail.Mailer, error) {
	o := mail.Options{From: cfg.MailFrom, Folder: cfg.OutboxPath(), Now: now}
	if s := cfg.SMTP; s != nil {
		o.SMTP = &mail.SMTP{Host: s.Host, Port: s.Port, User: s.User, Password: s.Password,
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

// Package people has the use cases of users, groups and their invitations, of who follows what,
// and of what they are told of it.
package people

import (
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/mail"
)

// People are the use cases.
type People struct {
	*core.Core
	content       *content.Content
	mailer        *mail.Mailer
	invitationTTL time.Duration
	cursorKey     core.Secret
	feedKey       core.Secret
}

// New makes the use cases. Mailer is for jobs; a TTL of 0 keeps invitations open for 14 days.
func New(c *core.Core, content *content.Content, mailer *mail.Mailer, invitationTTL time.Duration) *People {
	if invitationTTL == 0 {
		invitationTTL = 14 * 24 * time.Hour
	}
	return &People{Core: c, content: content, mailer: mailer, invitationTTL: invitationTTL}
}

// Package people contains the use cases of users, groups, invitations, follows, activities and notifications.
package people

import (
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
	"vitrine/internal/mail"
)

// People contains the use cases.
type People struct {
	*core.Core
	content       *content.Content
	mailer        *mail.Mailer
	invitationTTL time.Duration
	cursorKey     core.Secret
	feedKey       core.Secret
}

// New creates the use cases. mailer is only needed for jobs. If the TTL is 0, invitations stay open for 14 days.
func New(c *core.Core, content *content.Content, mailer *mail.Mailer, invitationTTL time.Duration) *People {
	if invitationTTL == 0 {
		invitationTTL = 14 * 24 * time.Hour
	}
	return &People{Core: c, content: content, mailer: mailer, invitationTTL: invitationTTL}
}

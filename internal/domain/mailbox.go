package domain

import "time"

// MailboxID identifies an address of a channel for mails.
type MailboxID int64

// Limits of addresses for mails.
const (
	MaxMailboxes    = 10  // per channel
	MaxOwnMailboxes = 100 // per user
	MaxMailsPerHour = 30  // per address
)

// Mailbox is a secret address of a channel. Mails to it become blocks of the user who created it.
type Mailbox struct {
	ID         MailboxID
	Channel    ChannelID
	UserID     UserID
	Token      string // the part of the address before the @
	Received   int64  // number of mails
	ReceivedAt *time.Time
	CreatedAt  time.Time
}

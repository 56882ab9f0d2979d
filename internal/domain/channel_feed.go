package domain

import "time"

// ChannelFeedID identifies the subscription of a channel to a feed.
type ChannelFeedID int64

// Limits of subscriptions to feeds.
const (
	MaxChannelFeeds = 20  // per channel
	MaxOwnFeeds     = 200 // per subscriber
)

// ChannelFeed is the subscription of a channel to a feed. Entries become blocks of the subscriber.
type ChannelFeed struct {
	ID           ChannelFeedID
	Channel      ChannelID
	UserID       UserID // the subscriber
	Address      string
	Title        string // as the feed says; "" before the first check
	ETag         string
	LastModified string
	Pause        time.Duration // between the last two checks
	Failures     int64         // checks since the last one that succeeded
	Problem      *string       // why the last check failed, for the people who may edit the channel
	NextAt       *time.Time    // nil if the feed is stopped
	CheckedAt    *time.Time
	SucceededAt  *time.Time
	CreatedAt    time.Time
	InTrash      bool // with its channel
}

// Stopped reports whether the feed is no longer checked.
func (f ChannelFeed) Stopped() bool { return f.NextAt == nil }

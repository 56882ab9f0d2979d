package domain

import "time"

// SearchKey is what found things are ordered by.
type SearchKey int

// The keys of found things. By score, those whose name is the whole query come first,
// then those that have it in their names, and of each the newest.
const (
	SearchByScore SearchKey = iota
	SearchByCreated
	SearchByUpdated
	SearchByName
	SearchByConnections
	SearchByChance
)

// SearchSort is an order of found things.
type SearchSort struct {
	Key  SearchKey
	Desc bool
}

// SearchScope narrows a search by what things have to do with who searches.
type SearchScope string

// The scopes: all; what one made oneself; what is by followed users or in followed
// channels.
const (
	SearchAll       SearchScope = "all"
	SearchMine      SearchScope = "my"
	SearchFollowing SearchScope = "following"
)

// Search is what to look for. Zero values do not narrow.
type Search struct {
	Query      string
	Types      []string // kinds of things and of blocks, as in Subject and Block
	Scope      SearchScope
	Author     UserID
	Group      GroupID
	Channel    ChannelID
	Extensions []string // of images and attachments
	After      time.Time
	Sort       SearchSort
	Seed       int64
	Page       Page
}

// BlockTypes are the kinds of blocks, those to come included.
var BlockTypes = []string{string(TextBlock), string(ImageBlock), string(LinkBlock), string(AttachmentBlock),
	string(EmbedBlock), string(PendingBlock)}

// CanSearch reports whether the actor's tier includes search.
func CanSearch(a Actor) bool {
	return a.SignedIn() && (a.Tier == TierPremium || a.Tier == TierSupporter)
}

package domain

import (
	"slices"
	"strconv"
	"strings"
)

// Ability is a kind of change that a token with the scope write may be limited to.
type Ability string

// The abilities. Reading needs none.
const (
	MaySave     Ability = "save"     // create and change blocks, upload files
	MayArrange  Ability = "arrange"  // connect, disconnect and move items
	MayChannels Ability = "channels" // create, change and delete channels, and their feeds
	MayComment  Ability = "comment"  // comments
	MayFollow   Ability = "follow"   // follow and unfollow
	MayPeople   Ability = "people"   // collaborators, groups, invitations
	MayAccount  Ability = "account"  // profile, notifications, highlights, imports, exports, reports
)

// Abilities lists the abilities in display order.
var Abilities = []Ability{MaySave, MayArrange, MayChannels, MayComment, MayFollow, MayPeople, MayAccount}

// MaxTokenChannels is the maximum number of channels that a token can be limited to.
const MaxTokenChannels = 100

// TokenLimits limit what a token may do within its scope. A nil pointer stands for no limits.
type TokenLimits struct {
	Abilities []Ability   // empty: all
	Channels  []ChannelID // empty: all
}

// Prefixes of the scopes that stand for limits.
const (
	abilityScope = "write:"
	channelScope = "channel:"
)

// ParseTokenLimits reads the limits in a list of scopes, separated by spaces. It ignores scopes that are no limits, and
// abilities if the list contains write, which includes all of them. wrong is a scope that names no ability or channel, or one
// too many.
func ParseTokenLimits(list string) (limits *TokenLimits, wrong string) {
	var l TokenLimits
	all := false
	for word := range strings.FieldsSeq(list) {
		ability, limiting := strings.CutPrefix(word, abilityScope)
		text, channel := strings.CutPrefix(word, channelScope)
		switch {
		case Scope(word) == ScopeWrite:
			all = true
		case limiting && slices.Contains(Abilities, Ability(ability)):
			l.Abilities = append(l.Abilities, Ability(ability))
		case limiting:
			return nil, word
		case channel:
			id, err := strconv.ParseInt(text, 10, 64)
			if err != nil || id <= 0 || len(l.Channels) > MaxTokenChannels {
				return nil, word
			}
			l.Channels = append(l.Channels, ChannelID(id))
		}
	}
	if all {
		l.Abilities = nil
	}
	if limits = l.clean(); limits != nil && len(limits.Channels) > MaxTokenChannels {
		return nil, channelScope + strconv.FormatInt(int64(limits.Channels[MaxTokenChannels]), 10)
	}
	return limits, ""
}

// StoredTokenLimits reads limits that String returned. What only a newer version can read allows nothing.
func StoredTokenLimits(list string) *TokenLimits {
	limits, wrong := ParseTokenLimits(list)
	if wrong != "" {
		return &TokenLimits{Abilities: []Ability{""}, Channels: []ChannelID{0}}
	}
	return limits
}

// NewTokenLimits returns limits, nil if both lists are empty.
func NewTokenLimits(abilities []Ability, channels []ChannelID) *TokenLimits {
	return TokenLimits{slices.Clone(abilities), slices.Clone(channels)}.clean()
}

// clean sorts the lists and removes duplicates. It returns nil if there are no limits.
func (l TokenLimits) clean() *TokenLimits {
	slices.SortFunc(l.Abilities, func(a, b Ability) int { return slices.Index(Abilities, a) - slices.Index(Abilities, b) })
	slices.Sort(l.Channels)
	l.Abilities, l.Channels = slices.Compact(l.Abilities), slices.Compact(l.Channels)
	if len(l.Abilities) == 0 && len(l.Channels) == 0 {
		return nil
	}
	return &l
}

// String returns the limits as a list of scopes.
func (l *TokenLimits) String() string {
	if l == nil {
		return ""
	}
	var words []string
	for _, a := range l.Abilities {
		words = append(words, abilityScope+string(a))
	}
	for _, id := range l.Channels {
		words = append(words, channelScope+strconv.FormatInt(int64(id), 10))
	}
	return strings.Join(words, " ")
}

// ScopeText returns a scope with its limits as a list of scopes, for clients.
func (l *TokenLimits) ScopeText(scope Scope) string {
	if l == nil {
		return string(scope)
	}
	if len(l.Abilities) > 0 && scope == ScopeWrite {
		scope = ScopeRead
	}
	return string(scope) + " " + l.String()
}

// Allows reports whether the limits allow a kind of change.
func (l *TokenLimits) Allows(a Ability) bool {
	return l == nil || len(l.Abilities) == 0 || slices.Contains(l.Abilities, a)
}

// InChannel reports whether the limits allow a channel.
func (l *TokenLimits) InChannel(id ChannelID) bool {
	return !l.InChannels() || slices.Contains(l.Channels, id)
}

// InChannels reports whether the token is limited to channels.
func (l *TokenLimits) InChannels() bool { return l != nil && len(l.Channels) > 0 }

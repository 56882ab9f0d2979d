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

// The abilities to operate the server, for operators only. They are not part of write: a token has only those that are named
// when it is created, and it ends when its user is no longer an operator.
const (
	AdminRead       Ability = "admin:read"       // read everything that operators see, except reported and hidden content
	AdminAccounts   Ability = "admin:accounts"   // accounts, invitations, tokens and applications
	AdminModeration Ability = "admin:moderation" // reports, hidden content, the blocklist
	AdminJobs       Ability = "admin:jobs"       // jobs and backups
	AdminSite       Ability = "admin:site"       // texts and settings of the site
)

// AdminAbilities lists the abilities to operate the server in display order.
var AdminAbilities = []Ability{AdminRead, AdminAccounts, AdminModeration, AdminJobs, AdminSite}

// Admin reports whether the ability is one to operate the server.
func (a Ability) Admin() bool { return strings.HasPrefix(string(a), adminScope) }

// scope returns the scope that stands for the ability.
func (a Ability) scope() string {
	if a.Admin() {
		return string(a)
	}
	return abilityScope + string(a)
}

// order returns the position of the ability in lists.
func (a Ability) order() int {
	if a.Admin() {
		return len(Abilities) + slices.Index(AdminAbilities, a)
	}
	return slices.Index(Abilities, a)
}

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
	adminScope   = "admin:"
)

// ParseTokenLimits reads the limits in a list of scopes, separated by spaces. It ignores scopes that are no limits, and
// kinds of changes if the list contains write, which includes all of them except those of operators. wrong is a scope that names no ability or channel, or one
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
		case slices.Contains(AdminAbilities, Ability(word)):
			l.Abilities = append(l.Abilities, Ability(word))
		case Ability(word).Admin():
			return nil, word
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
		l.Abilities = slices.DeleteFunc(l.Abilities, func(a Ability) bool { return !a.Admin() })
		if len(l.Abilities) > 0 {
			l.Abilities = append(l.Abilities, Abilities...)
		}
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
	slices.SortFunc(l.Abilities, func(a, b Ability) int { return a.order() - b.order() })
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
		words = append(words, a.scope())
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

// Allows reports whether the limits allow a kind of change. Those of operators must be listed.
func (l *TokenLimits) Allows(a Ability) bool {
	if l == nil || len(l.Abilities) == 0 {
		return !a.Admin()
	}
	return slices.Contains(l.Abilities, a)
}

// Admin reports whether the token may operate the server in any way.
func (l *TokenLimits) Admin() bool {
	return l != nil && slices.ContainsFunc(l.Abilities, Ability.Admin)
}

// InChannel reports whether the limits allow a channel.
func (l *TokenLimits) InChannel(id ChannelID) bool {
	return !l.InChannels() || slices.Contains(l.Channels, id)
}

// InChannels reports whether the token is limited to channels.
func (l *TokenLimits) InChannels() bool { return l != nil && len(l.Channels) > 0 }

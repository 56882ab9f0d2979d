package domain

import (
	"net/netip"
	"strings"
	"time"
	"unicode"
)

// Typed ids of what belongs to accounts.
type (
	SessionID     int64
	ApplicationID int64
	GrantID       int64
	SignUpLinkID  int64
)

// Office is what an account may do with the server itself.
type Office string

// The offices. The first account of a server is an operator's.
const (
	OfficeMember   Office = "member"
	OfficeOperator Office = "operator"
)

// SignUpMode is who may make an account.
type SignUpMode string

// The modes of signing up. By invitation means: with a link that an operator made, or
// one that a group mailed.
const (
	SignUpOpen       SignUpMode = "open"
	SignUpInvitation SignUpMode = "invitation"
	SignUpClosed     SignUpMode = "closed"
)

// Visitor is where a request of the website comes from.
type Visitor struct {
	Address netip.Addr // zero if not known
	Agent   string     // User-Agent
	Local   bool       // on this machine, judging by the request
	Browser string     // secret of a browser that signed in before (auth.BrowserSecret), "" for none
}

// longestAgent is how many characters of a User-Agent are kept.
const longestAgent = 200

// AgentKept is the User-Agent as it is kept: text of one line, and not too much of it.
func (v Visitor) AgentKept() string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(v.Agent, "�"))
	if runes := []rune(clean); len(runes) > longestAgent {
		return string(runes[:longestAgent])
	}
	return clean
}

// AddressKept is the address as it is kept; "" if it is not known.
func (v Visitor) AddressKept() string {
	if !v.Address.IsValid() {
		return ""
	}
	return v.Address.Unmap().WithZone("").String()
}

// Session is a browser that is signed in.
type Session struct {
	ID         SessionID
	UserID     UserID
	Agent      string
	Address    string
	CreatedAt  time.Time
	LastSeenAt time.Time
	ExpiresAt  time.Time
	ProvedAt   time.Time // when the user last confirmed the session; zero if never
	Hash       []byte    // of the secret that a request came with; nil in lists
	Writes     int64     // as of Actor, where one session is read
}

// SignUpLink is a link of an operator that lets people sign up: one, whose address it may
// name, or as many as it has places.
type SignUpLink struct {
	ID        SignUpLinkID
	Note      string
	Email     string     // of the one person it is for; "": whoever has it may use it
	Name      string     // proposed to that person, or ""
	Slug      string     // the same
	Group     *Principal // that they join, without a picture; nil for none
	Vouched   bool       // who has it need not prove an address
	Places    int64
	Taken     int64
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    *time.Time // when the last place was taken
	UsedBy    string     // slug of who took it, or ""
	RevokedAt *time.Time // by an operator, before it was full
}

// Left is how many places of a link are free.
func (l SignUpLink) Left() int64 { return l.Places - l.Taken }

// Live reports whether a link lets somebody in.
func (l SignUpLink) Live(now time.Time) bool {
	return l.UsedAt == nil && l.RevokedAt == nil && now.Before(l.ExpiresAt)
}

// Application is a client that acts for users, or for itself (RFC 6749 section 2).
type Application struct {
	ID           ApplicationID
	ClientID     string
	UserID       UserID // who registered it; 0: nobody
	Owner        string // slug, or ""
	Name         string
	RedirectURIs []string
	Public       bool // it has no secret
	ForV2        bool // it is written for version 2 of the API
	SecretHint   string
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// Asked returns the scope that an application requests with a list of scopes. Without a known scope
// in the list, it is read, or write for version 2 clients: that version had no scopes at first, and
// its clients expect to write.
func (a Application) Asked(list string) Scope {
	s := ParseScopes(list)
	switch {
	case s != ScopeNone:
		return s
	case a.ForV2:
		return ScopeWrite
	}
	return ScopeRead
}

// Grant is what a user lets an application do.
type Grant struct {
	ID          GrantID
	Application Application
	Scope       Scope
	CreatedAt   time.Time
	LastUsedAt  *time.Time // of the newest use of its tokens
}

// CommandLineClient is the client id of the official command line, which every server
// knows from the start.
const CommandLineClient = "a-2__kXA3JH0X5pMnYsFvY2BY9dVQ30sIBkgeoLoO90"

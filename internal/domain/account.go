package domain

import (
	"net/netip"
	"strings"
	"time"
	"unicode"
)

// IDs of entities that belong to accounts.
type (
	SessionID     int64
	ApplicationID int64
	GrantID       int64
	SignUpLinkID  int64
)

// Office is an account's role on the server itself.
type Office string

// The offices. The first account of a server is an operator.
const (
	OfficeMember   Office = "member"
	OfficeOperator Office = "operator"
)

// SignUpMode defines who may create an account.
type SignUpMode string

// The sign-up modes. SignUpInvitation requires a link that an operator created or a group mailed.
const (
	SignUpOpen       SignUpMode = "open"
	SignUpInvitation SignUpMode = "invitation"
	SignUpClosed     SignUpMode = "closed"
)

// Visitor is the client of a request to the website.
type Visitor struct {
	Address netip.Addr // zero if unknown
	Agent   string     // User-Agent
	Local   bool       // on this machine, as far as the request shows
	Browser string     // secret of a browser that signed in before (auth.BrowserSecret), or ""
}

// longestAgent limits the characters of a stored User-Agent.
const longestAgent = 200

// AgentKept returns the User-Agent to store: on one line, and truncated.
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

// AddressKept returns the address to store, or "" if it is unknown.
func (v Visitor) AddressKept() string {
	if !v.Address.IsValid() {
		return ""
	}
	return v.Address.Unmap().WithZone("").String()
}

// Session is a signed-in browser.
type Session struct {
	ID         SessionID
	UserID     UserID
	Agent      string
	Address    string
	CreatedAt  time.Time
	LastSeenAt time.Time
	ExpiresAt  time.Time
	ProvedAt   time.Time // when the user last confirmed the session; zero if never
	Hash       []byte    // of the request's secret; nil in lists
	Writes     int64     // as in Actor; only when a single session is read
	Finds      bool      // there are unread notifications about saved searches, hidden or not; only when a single session is read
}

// SignUpLink is an operator's link for signing up, either for one person, whose address it may
// contain, or for several.
type SignUpLink struct {
	ID        SignUpLinkID
	Note      string
	Email     string     // the only address that may use it; "" for anyone
	Name      string     // suggested name, or ""
	Slug      string     // suggested slug, or ""
	Group     *Principal // group to join, without its avatar; or nil
	Vouched   bool       // the address need not be confirmed
	Places    int64
	Taken     int64
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    *time.Time // when the last place was used
	UsedBy    string     // slug of the last user, or ""
	RevokedAt *time.Time // by an operator, before it was used up
}

// Left returns the number of unused places.
func (l SignUpLink) Left() int64 { return l.Places - l.Taken }

// Live reports whether the link can still be used.
func (l SignUpLink) Live(now time.Time) bool {
	return l.UsedAt == nil && l.RevokedAt == nil && now.Before(l.ExpiresAt)
}

// Application is an OAuth client that acts for users or for itself (RFC 6749 section 2).
type Application struct {
	ID           ApplicationID
	ClientID     string
	UserID       UserID // who registered it; 0 for none
	Owner        string // slug, or ""
	Name         string
	RedirectURIs []string
	Public       bool // public client without a secret
	ForV2        bool // a client of version 2 of the API
	Expiring     bool // gets access tokens that expire, with refresh tokens
	SecretHint   string
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// TokenAudience is a part of the server that a token is for.
type TokenAudience string

// The audiences. Tokens for everything are those of users, and of clients that did not name a resource.
const (
	Everything TokenAudience = ""
	Assistants TokenAudience = "mcp" // only the MCP endpoint
)

// AssistantsPath is the path of the MCP endpoint. ResourceMetadataPath and the endpoint's path are the path of its
// metadata (RFC 9728 section 3.1).
const (
	AssistantsPath       = "/mcp"
	ResourceMetadataPath = "/.well-known/oauth-protected-resource"
)

// Asked returns the scope that an application requests with a list of scopes. Without a known scope
// in the list, it is read, or write for version 2 clients: that version had no scopes at first, and
// its clients expect to write.
func (a Application) Asked(list string) Scope {
	s := ParseScopes(list)
	limits, _ := ParseTokenLimits(list)
	switch {
	case limits != nil && len(limits.Abilities) > 0:
		return ScopeWrite
	case s != ScopeNone:
		return s
	case a.ForV2:
		return ScopeWrite
	}
	return ScopeRead
}

// Grant is the access of an application to a user's account.
type Grant struct {
	ID          GrantID
	Application Application
	Scope       Scope
	Limits      *TokenLimits // nil: none
	CreatedAt   time.Time
	LastUsedAt  *time.Time // newest use of any of its tokens
}

// CommandLineClient is the client ID of the official command line, which is registered on every
// server.
const CommandLineClient = "a-2__kXA3JH0X5pMnYsFvY2BY9dVQ30sIBkgeoLoO90"

// ExtensionClient is the client ID of the browser extension, which is public and needs no registration.
const ExtensionClient = "vitrine-browser-extension"

// ExtensionApplication returns the application of the browser extension. Browsers derive the redirect addresses from the
// key and the id in extension/manifest.chromium.json and extension/manifest.firefox.json, and keep what is sent there from every other extension and every server.
func ExtensionApplication() Application {
	return Application{ClientID: ExtensionClient, Name: "Vitrine browser extension", Public: true, RedirectURIs: []string{
		"https://gamdbdkbobflfjhblmipcbfppmeojleo.chromiumapp.org/",
		"https://457d8848e54f0dd4b693bcf3f44a2b2690f101ba.extensions.allizom.org/",
	}}
}

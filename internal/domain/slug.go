package domain

import (
	"crypto/rand"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gosimple/slug"
)

const (
	slugSuffixLength  = 11   // behaviour.md section 1: "- and 11 random base-36 characters"
	maxSlugNameLength = 2000 // in bytes; the rest of a longer name is ignored
)

// Slugify transliterates a name to lower-case ASCII words joined by single hyphens, at most
// MaxSlugLength characters, cut between words if possible. It returns "" for a name without letters
// or digits, such as an emoji, and may return only digits: see SlugCandidate.
func Slugify(name string) string {
	return slugWithin(name, MaxSlugLength)
}

// SlugCandidate returns the slug to try for a new name: Slugify(name) if it is neither empty, all
// digits (behaviour.md section 1) nor taken. Otherwise it returns that, or the lower-case kind
// ("channel") if it is empty, with a hyphen and 11 random base-36 characters. The result is always
// a ValidSlug, so long names are cut further. Call it again if that slug is taken too.
func SlugCandidate(name, kind string, taken bool) string {
	plain := Slugify(name)
	if !taken && plain != "" && !allDigits(plain) {
		return plain
	}
	base := slugWithin(name, MaxSlugLength-slugSuffixLength-1)
	if base == "" {
		base = strings.ToLower(kind)
	}
	return base + "-" + randomBase36(slugSuffixLength)
}

// ValidSlug reports whether a user may choose the slug: lower-case ASCII letters and digits in
// words joined by single hyphens, 1 to MaxSlugLength characters, not all digits.
func ValidSlug(s string) bool {
	if len(s) > MaxSlugLength || allDigits(s) {
		return false
	}
	for word := range strings.SplitSeq(s, "-") {
		if word == "" || strings.ContainsFunc(word, notBase36) {
			return false
		}
	}
	return true
}

// IsID distinguishes IDs from slugs (behaviour.md section 1). digits reports whether s consists of
// ASCII digits, so it is never a slug. ok reports whether that ID is a positive int64.
func IsID(s string) (id int64, digits, ok bool) {
	if !allDigits(s) {
		return 0, false, false
	}
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil || id == 0 {
		return 0, true, false
	}
	return id, true, true
}

// Initials returns the upper-case first letters of the first and last word of a name (behaviour.md
// section 13): one letter for a single word, "" for none. Words without a letter or digit do not
// count.
func Initials(name string) string {
	var letters []rune
	for word := range strings.FieldsSeq(name) {
		if i := strings.IndexFunc(word, isAlphanumeric); i >= 0 {
			first, _ := utf8.DecodeRuneInString(word[i:])
			letters = append(letters, unicode.ToUpper(first))
		}
	}
	if len(letters) > 2 {
		letters = []rune{letters[0], letters[len(letters)-1]}
	}
	return string(letters)
}

// slugWithin is Slugify with its own limit.
func slugWithin(name string, limit int) string {
	if len(name) > maxSlugNameLength {
		name = name[:maxSlugNameLength]
	}
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(slug.Make(strings.ToValidUTF8(name, "")), notBase36) {
		if b.Len() == 0 {
			b.WriteString(word[:min(len(word), limit)])
			continue
		}
		if b.Len()+1+len(word) > limit {
			break
		}
		b.WriteString("-" + word)
	}
	return b.String()
}

// randomBase36 returns n random characters. It drops bytes beyond the last multiple of 36 because a
// plain remainder would favor the first characters.
func randomBase36(n int) string {
	const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
	const fair = 256 - 256%len(alphabet)
	out := make([]byte, 0, n)
	pool := make([]byte, 2*n)
	for len(out) < n {
		_, _ = rand.Read(pool) // never fails: it crashes the program instead
		for _, b := range pool {
			if int(b) < fair && len(out) < n {
				out = append(out, alphabet[int(b)%len(alphabet)])
			}
		}
	}
	return string(out)
}

func allDigits(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

func notBase36(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9')
}

func isAlphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// ReservedSlug reports whether users may not have this slug, because the website or API has or may
// get a path of that name, or because its owner could pose as the service.
func ReservedSlug(s string) bool {
	switch s {
	// First segments of the API and of files at the root.
	case "api", "v1", "v2", "v3", "v4", "ext", "mcp", "oauth", "token", "authorize", "graphql",
		"rss", "atom", "feeds", "cards", "oembed", "embed", "embeds", "robots", "sitemap", "sitemaps", "favicon", "manifest", "well-known",
		"assets", "static", "public", "images", "media", "files", "uploads", "upload", "cdn",
		"healthz", "livez", "readyz", "health", "status", "metrics", "debug", "ping", "system", "batch":
		return true
	// Account pages.
	case "account", "accounts", "settings", "preferences", "profile", "me", "you", "my", "self",
		"login", "logout", "log-in", "log-out", "signin", "signout", "sign-in", "sign-out",
		"signup", "sign-up", "register", "join", "session", "sessions", "password", "passwords",
		"reset", "reset-password", "forgot-password", "confirm", "verify", "invite", "invites", "invitation", "invitations",
		"notifications", "feed", "inbox", "messages", "import", "export",
		"billing", "pricing", "premium", "supporter", "upgrade", "subscribe", "unsubscribe":
		return true
	// Entities and actions.
	case "block", "blocks", "channel", "channels", "connection", "connections",
		"comment", "comments", "group", "groups", "user", "users", "member", "members",
		"follow", "following", "followers", "search", "explore", "discover", "browse", "random",
		"new", "create", "edit", "undo", "language", "pages", "update", "delete", "destroy", "add", "save", "share", "index",
		"move", "connect", "print", "slideshow", "preview", "offline",
		"home", "all", "tools", "apps", "applications", "developer", "developers", "tokens":
		return true
	// Names that could pose as the service.
	case "about", "help", "support", "contact", "docs", "documentation", "blog", "news", "press",
		"jobs", "careers", "team", "terms", "privacy", "policy", "legal", "license", "copyright",
		"guidelines", "security", "abuse", "report", "admin", "administrator", "root",
		"moderator", "operator", "operators", "staff", "official", "vitrine", "www", "mail", "postmaster", "webmaster",
		"noreply", "no-reply", "anonymous", "guest", "nobody", "null", "undefined", "none",
		"true", "false", "deleted", "unknown", "error", "errors":
		return true
	}
	return false
}

// Ref identifies a user, group or channel by ID or by slug; all digits mean an ID (behaviour.md
// section 1). The zero Ref identifies nothing.
type Ref struct {
	ID   int64
	Slug string
}

// ParseRef parses a reference. Digits that are not a positive int64 result in the zero Ref.
func ParseRef(s string) Ref {
	id, digits, ok := IsID(s)
	switch {
	case ok:
		return Ref{ID: id}
	case digits:
		return Ref{}
	}
	return Ref{Slug: s}
}

package transfer

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"vitrine/internal/domain"
)

// A digest has a part for each field of a thing that can be changed, so that a field which
// changed elsewhere is told from one that was changed here: the row of origins keeps what came,
// and what is here now says the rest.
const digestPart = 8

// The fields of digests, in their order.
const (
	blockTitle = iota
	blockDescription
	blockContent
	blockAlt
	blockMetadata
)

const (
	channelTitle = iota
	channelDescription
	_ // visibility, which no import changes
	channelMetadata
)

const connectionMetadata = 0

const commentBody = 0

func digestOf(fields ...string) string {
	var b strings.Builder
	for _, f := range fields {
		sum := sha256.Sum256([]byte(f))
		b.WriteString(base64.RawURLEncoding.EncodeToString(sum[:digestPart*3/4]))
	}
	return b.String()
}

// same reports whether two digests agree in a field. A digest that is too short, of an older
// version, agrees with none.
func same(a, b string, field int) bool {
	at, to := field*digestPart, (field+1)*digestPart
	return len(a) >= to && len(b) >= to && a[at:to] == b[at:to]
}

// take reports whether a field is to become what it is elsewhere: it changed there, and what is
// here is as it came.
func take(came, comes, here string, field int) bool {
	return !same(came, comes, field) && same(came, here, field)
}

func blockDigest(b domain.Block) string {
	return digestOf(textOf(b.Title), markdownOf(b.Description), markdownOf(b.Content), textOf(b.AltText), string(b.Metadata))
}

func channelDigest(title string, description *domain.Text, v domain.Visibility, m domain.Metadata) string {
	return digestOf(title, markdownOf(description), string(v), string(m))
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func markdownOf(t *domain.Text) string {
	if t == nil {
		return ""
	}
	return t.Markdown
}

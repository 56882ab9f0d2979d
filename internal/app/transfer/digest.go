package transfer

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"vitrine/internal/domain"
)

// A digest has a part for each changeable field of a thing. It distinguishes fields that changed in the source from
// those that changed here: the row of origins contains the imported digest, which is compared with the digest of the
// current values.
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
	_ // visibility, which imports never change
	channelMetadata
)

const connectionMetadata = 0

const commentBody = 0

const highlightNote = 0

func digestOf(fields ...string) string {
	var b strings.Builder
	for _, f := range fields {
		sum := sha256.Sum256([]byte(f))
		b.WriteString(base64.RawURLEncoding.EncodeToString(sum[:digestPart*3/4]))
	}
	return b.String()
}

// same reports whether two digests agree in a field. A digest of an older version may be too short, and then agrees with
// none.
func same(a, b string, field int) bool {
	at, to := field*digestPart, (field+1)*digestPart
	return len(a) >= to && len(b) >= to && a[at:to] == b[at:to]
}

// take reports whether to update a field: it changed in the source, and not here.
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

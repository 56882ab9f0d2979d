package domain

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Limits of the earlier versions of texts.
const (
	KeptVersions  = 100             // of one thing: the first and the newest ones
	VersionWindow = 5 * time.Minute // in which further changes by the same user make no further version
)

// Texts are the texts of a block, channel, user or group that have versions. Those that a thing lacks are nil.
type Texts struct {
	Title       *string // or name
	Description *string // or biography, Markdown
	Content     *string // Markdown
	AltText     *string
}

// TextsOfBlock returns the texts of a block. Only Text blocks have content that can be changed.
func TextsOfBlock(b Block) Texts {
	t := Texts{Title: b.Title, Description: source(b.Description), AltText: b.AltText}
	if b.Type == TextBlock {
		t.Content = source(b.Content)
	}
	return t
}

// TextsOfChannel returns the texts of a channel.
func TextsOfChannel(c Channel) Texts {
	return Texts{Title: &c.Title, Description: source(c.Description)}
}

// TextsOfUser returns the texts of a profile.
func TextsOfUser(u User) Texts { return Texts{Title: &u.Name, Description: source(u.Bio)} }

// TextsOfGroup returns the texts of a group.
func TextsOfGroup(g Group) Texts { return Texts{Title: &g.Name, Description: source(g.Description)} }

// source returns the Markdown of a text, or nil.
func source(t *Text) *string {
	if t == nil {
		return nil
	}
	return &t.Markdown
}

// Each calls fn with the name of each text in the order of forms.
func (t Texts) Each(fn func(name string, text *string)) {
	fn("title", t.Title)
	fn("content", t.Content)
	fn("description", t.Description)
	fn("alt_text", t.AltText)
}

// Digest returns a hash of the texts, which differs if any of them differs.
func (t Texts) Digest() string {
	hash := sha256.New()
	t.Each(func(_ string, text *string) {
		sum := sha256.Sum256(nil)
		if text != nil {
			sum = sha256.Sum256([]byte(*text))
		}
		hash.Write(sum[:])
	})
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// TextVersion is a version of the texts of a block, channel, user or group.
type TextVersion struct {
	Number int64
	By     Principal // who wrote it
	At     time.Time // when it was last changed
	Texts  Texts     // not set in lists
}

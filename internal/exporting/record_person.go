package exporting

import (
	"time"

	"vitrine/internal/domain"
)

// The lines about the person and the export itself.

type manifest struct {
	Format    string     `json:"format"`
	Version   int        `json:"version"`
	CreatedAt time.Time  `json:"created_at"`
	Generator string     `json:"generator"`
	Origin    string     `json:"origin"`
	Site      string     `json:"site"`
	User      personLine `json:"user"`
	Counts    counts     `json:"counts"`
	Sums      sumsLine   `json:"sums"`
}

type counts struct {
	Channels    int64 `json:"channels"`
	Connections int64 `json:"connections"`
	Blocks      int64 `json:"blocks"`
	Comments    int64 `json:"comments"`
	Followings  int64 `json:"followings"`
	Groups      int64 `json:"groups"`
	Files       int64 `json:"files"`
	Bytes       int64 `json:"bytes"`
	LeftOut     int64 `json:"left_out"`
}

type sumsLine struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

type leftOutLine struct {
	What string `json:"what"`
	Path string `json:"path,omitempty"`
	ID   int64  `json:"id,omitempty"`
	Why  string `json:"why"`
}

type profileLine struct {
	ID        int64     `json:"id"`
	Slug      string    `json:"slug"`
	Name      string    `json:"name"`
	Email     string    `json:"email,omitempty"`
	Bio       string    `json:"bio,omitempty"`
	Avatar    *fileLine `json:"avatar,omitempty"`
	Tier      string    `json:"tier"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	URL       string    `json:"url"`

	SignIn *signInLine `json:"sign_in,omitempty"`
}

// signInLine lists sign-in methods other than the password, without secrets.
type signInLine struct {
	Passkeys      []passkeyLine  `json:"passkeys,omitempty"`
	RecoveryCodes int            `json:"recovery_codes,omitempty"` // unused ones
	Identities    []identityLine `json:"identities,omitempty"`
}

type passkeyLine struct {
	Name       string     `json:"name"`
	CreatedAt  time.Time  `json:"created_at"`
	LastUsedAt *time.Time `json:"last_used_at,omitempty"`
}

type identityLine struct {
	Issuer     string    `json:"issuer"`
	Subject    string    `json:"subject"`
	Email      string    `json:"email,omitempty"`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at"`
}

type groupLine struct {
	ID          int64      `json:"id"`
	Slug        string     `json:"slug"`
	Name        string     `json:"name"`
	Description string     `json:"description,omitempty"`
	Avatar      *fileLine  `json:"avatar,omitempty"`
	Owner       personLine `json:"owner"`
	Owned       bool       `json:"owned"`
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
	URL         string     `json:"url"`
}

type followLine struct {
	Type string `json:"type"`
	ID   int64  `json:"id"`
	Slug string `json:"slug"`
	Name string `json:"name"`
	URL  string `json:"url"`
}

// subscriptionLine is a feed to which the person subscribed a channel.
type subscriptionLine struct {
	ChannelID int64     `json:"channel_id"`
	Address   string    `json:"address"`
	Title     string    `json:"title,omitempty"`
	CreatedAt time.Time `json:"created_at"`
}

// searchLine is a saved search.
type searchLine struct {
	Name      string    `json:"name"`
	Query     string    `json:"query"`
	Following bool      `json:"following,omitempty"`
	Notify    bool      `json:"notify,omitempty"`
	Mail      bool      `json:"mail,omitempty"`
	CreatedAt time.Time `json:"created_at"`
}

// copyLine is a saved copy of the page of a block.
type copyLine struct {
	BlockID int64                `json:"block_id"`
	Address string               `json:"address"`
	Title   string               `json:"title,omitempty"`
	TakenAt time.Time            `json:"taken_at"`
	Source  string               `json:"source"`
	Kind    string               `json:"kind"`
	Shared  bool                 `json:"shared,omitempty"`
	Missing []domain.MissingPart `json:"missing,omitempty"`
	Omitted int64                `json:"missing_count,omitempty"`
	File    fileLine             `json:"file"`
}

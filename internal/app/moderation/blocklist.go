package moderation

import (
	"context"
	"encoding/hex"
	"net/netip"
	"strings"

	"vitrine/internal/app/core"
	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/moderation"
)

// Blocked is an entry of the blocklist, and BlockKind its kind.
type (
	Blocked   = moderation.Blocked
	BlockKind = moderation.BlockKind
)

// BlockKinds are all kinds of entries, in the order of the form.
var BlockKinds = []BlockKind{moderation.BlockedSite, moderation.BlockedMail, moderation.BlockedFile, moderation.BlockedNetwork}

// The shortest prefixes, in bits, of networks that can be blocked. A larger network is more likely a mistake.
const (
	widest4 = 8
	widest6 = 16
)

// BlockInput is an entry to add to the blocklist.
type BlockInput struct {
	Kind  BlockKind
	Value string
	Note  string // reason, for operators
}

// kept checks the input and returns the entry to store. Errors name `kind`, `value` and `note`.
func (in BlockInput) kept() (b Blocked, err error) {
	var f domain.Faults
	b = Blocked{Kind: in.Kind, Note: strings.TrimSpace(in.Note)}
	domain.Among(&f, "kind", in.Kind, BlockKinds...)
	f.Text("note", in.Note, domain.MaxTitle)
	text := strings.TrimSpace(in.Value)
	if !f.RequiredText("value", in.Value, domain.MaxTitle) {
		return b, f.Err()
	}
	switch in.Kind {
	case moderation.BlockedSite, moderation.BlockedMail:
		b.Value = core.HostName(strings.TrimPrefix(text, "@"))
		if !strings.Contains(b.Value, ".") {
			f.Add("value", domain.FieldMalformed, "must be a domain such as example.org")
		}
	case moderation.BlockedFile:
		b.Value = strings.ToLower(text)
		if sum, err := hex.DecodeString(b.Value); err != nil || len(sum) != 32 {
			f.Add("value", domain.FieldMalformed, "must be a SHA-256 of 64 hexadecimal digits")
		}
	case moderation.BlockedNetwork:
		p, ok := network(text)
		if b.Value = p.String(); !ok {
			f.Add("value", domain.FieldMalformed, "must be an address, or a network such as 192.0.2.0/24")
		} else if p.Addr().Is4() && p.Bits() < widest4 || p.Addr().Is6() && p.Bits() < widest6 {
			f.Add("value", domain.FieldOutOfRange, "must be a network no wider than /8, or /16 of IPv6")
		}
	}
	return b, f.Err()
}

// Validate checks the input. Errors name `kind`, `value` and `note`.
func (in BlockInput) Validate() error {
	_, err := in.kept()
	return err
}

// network parses a prefix, or an address as a prefix.
func network(text string) (netip.Prefix, bool) {
	if p, err := netip.ParsePrefix(text); err == nil {
		return p.Masked(), !p.Addr().Is4In6()
	}
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" {
		return netip.Prefix{}, false
	}
	a = a.Unmap()
	return netip.PrefixFrom(a, a.BitLen()), true
}

// AddToBlocklist adds an entry. An existing entry stays unchanged, and added is false. Operators cannot block the
// network that they use.
func (a *Moderation) AddToBlocklist(ctx context.Context, by operating.Operator, in BlockInput) (b Blocked, added bool, err error) {
	if b, err = in.kept(); err != nil {
		return b, false, err
	}
	if p, err := netip.ParsePrefix(b.Value); err == nil && b.Kind == moderation.BlockedNetwork && p.Contains(by.Address().Unmap()) {
		return b, false, domain.InvalidField("value", domain.FieldForbidden, "is the network that you come from yourself")
	}
	b.CreatedAt = a.Now()
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := by.Allowed(ctx, tx.Queries); err != nil {
			return err
		}
		if b.ID, err = tx.Moderation().AddBlocked(ctx, b); err != nil || b.ID == 0 {
			return err
		}
		return a.Audit(ctx, tx, by.Actor(), domain.ActBlocked, b.About(), nil)
	})
	return b, b.ID != 0, err
}

// RemoveFromBlocklist removes an entry, or returns NotFound if it does not exist.
func (a *Moderation) RemoveFromBlocklist(ctx context.Context, by operating.Operator, id int64) (b Blocked, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		if err := by.Allowed(ctx, tx.Queries); err != nil {
			return err
		}
		if b, err = tx.Moderation().RemoveBlocked(ctx, id); err != nil {
			return err
		}
		return a.Audit(ctx, tx, by.Actor(), domain.ActUnblocked, b.About(), nil)
	})
	return b, err
}

// Blocklist lists entries for an operator, newest first, starting below an id; 0 means from the beginning.
func (a *Moderation) Blocklist(ctx context.Context, by operating.Operator, below int64, limit int) (all []Blocked, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := by.Allowed(ctx, v.Queries); err != nil {
			return err
		}
		all, err = v.Moderation().AllBlocked(ctx, below, limit)
		return err
	})
	return all, err
}

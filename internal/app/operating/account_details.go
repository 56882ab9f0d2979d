package operating

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/account"
)

// AccountDetails contains details of an account for operators.
type AccountDetails struct {
	domain.User
	LastSeen      *time.Time // by a live session or token; nil for none
	HasPassword   bool
	Passkeys      int
	RecoveryCodes int // unused
	Identities    []account.Identity
	Sessions      int // live
	Tokens        int // live personal access tokens
	Applications  int // that may act for the account
	Usage         domain.ByteUsage
	Quota         domain.Quota
	Blocks        int64 // created
}

// Channels returns the number of live channels that the account owns.
func (f *AccountDetails) Channels() int64 { return f.OpenChannels + f.PrivateChannels }

// AccountDetails reads details of an account for an operator, always with ten statements. It returns NotFound if there is
// no such account.
func (a *Operating) AccountDetails(ctx context.Context, by Operator, ref domain.Ref) (f AccountDetails, err error) {
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		if err := by.Allowed(ctx, v.Queries); err != nil {
			return err
		}
		if f.User, err = v.Users().User(ctx, ref); err != nil {
			return err
		}
		if err := f.readWays(ctx, v, a.Now()); err != nil {
			return err
		}
		if f.Usage, err = v.Counters().ByteUsage(ctx, f.ID, a.Now()); err != nil {
			return err
		}
		f.Quota = a.content.Quota(f.Tier)
		blocks, err := v.Counters().BlocksMade(ctx, []domain.UserID{f.ID})
		f.Blocks = blocks[f.ID]
		return err
	})
	return f, err
}

// readWays reads how the account can be accessed, and when it was last used.
func (f *AccountDetails) readWays(ctx context.Context, v *store.Snapshot, now time.Time) error {
	c, err := v.Users().Credentials(ctx, f.ID)
	if err != nil {
		return err
	}
	f.HasPassword = c.PasswordHash != ""
	if f.Passkeys, err = v.Account().CountPasskeys(ctx, f.ID); err != nil {
		return err
	}
	if f.RecoveryCodes, _, err = v.Account().RecoveryCodes(ctx, f.ID); err != nil {
		return err
	}
	if f.Identities, err = v.Identity().Identities(ctx, f.ID); err != nil {
		return err
	}
	sessions, err := v.Account().Sessions(ctx, f.ID, now)
	if err != nil {
		return err
	}
	tokens, err := v.Account().OwnTokens(ctx, f.ID)
	if err != nil {
		return err
	}
	grants, err := v.Account().Grants(ctx, f.ID)
	f.Sessions, f.Tokens, f.Applications = len(sessions), len(tokens), len(grants)
	for _, s := range sessions {
		f.seen(&s.LastSeenAt)
	}
	for _, t := range tokens {
		f.seen(t.LastUsedAt)
	}
	for _, g := range grants {
		f.seen(g.LastUsedAt)
	}
	return err
}

// seen records a time at which the account was used.
func (f *AccountDetails) seen(at *time.Time) {
	if at != nil && (f.LastSeen == nil || at.After(*f.LastSeen)) {
		f.LastSeen = at
	}
}

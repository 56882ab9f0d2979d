package accounts

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"vitrine/internal/auth"
	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// usage collects the times at which tokens were last used. They are written in intervals, so that reading requests do
// not wait for a write.
type usage struct {
	mu sync.Mutex
	at map[domain.TokenID]time.Time
}

func (u *usage) note(id domain.TokenID, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.at[id] = now
}

func (u *usage) take() map[domain.TokenID]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.at
	u.at = map[domain.TokenID]time.Time{}
	return taken
}

// Authenticate returns the actor of a token. It returns Unauthenticated if the token is unknown, revoked or expired, or
// if its user is suspended.
func (a *Accounts) Authenticate(ctx context.Context, token string) (domain.Actor, error) {
	return a.AuthenticateFor(ctx, token, domain.Everything)
}

// AuthenticateFor is Authenticate for a part of the server. Tokens for another part are not valid there.
func (a *Accounts) AuthenticateFor(ctx context.Context, token string, at domain.TokenAudience) (domain.Actor, error) {
	if !auth.LooksLikeToken(token) {
		return domain.Actor{}, badToken()
	}
	h, err := a.Store.Account().TokenHolder(ctx, auth.HashToken(token))
	if domain.KindOf(err) == domain.NotFound || h.Suspended || h.Audience != domain.Everything && h.Audience != at {
		return domain.Actor{}, badToken()
	}
	if err != nil {
		return domain.Actor{}, err
	}
	now := a.Now()
	if !h.ExpiresAt.IsZero() && !now.Before(h.ExpiresAt) {
		return domain.Actor{}, domain.NewUnauthenticated("The token has expired")
	}
	a.used.note(h.TokenID, now)
	if h.Actor.Limits.Admin() {
		h.Actor.TokenID = h.TokenID
	}
	return h.Actor, nil
}

func badToken() error { return domain.NewUnauthenticated("The token is not valid") }

// FlushUsage writes the times at which tokens were last used. A crash loses at most those since the last flush.
func (a *Accounts) FlushUsage(ctx context.Context) error {
	taken := a.used.take()
	if len(taken) == 0 {
		return nil
	}
	err := a.Store.InTx(ctx, func(tx *store.Tx) error {
		for _, id := range slices.Sorted(maps.Keys(taken)) { // all servers lock in the same order
			if err := tx.Account().TokenUsed(ctx, id, taken[id]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		a.used.mu.Lock()
		defer a.used.mu.Unlock()
		maps.Copy(taken, a.used.at)
		a.used.at = taken
	}
	return err
}

// TokenInput is a personal access token to create.
type TokenInput struct {
	Name      string
	Scope     domain.Scope
	Days      int                // until it expires; 0: never
	Abilities []domain.Ability   // for ScopeWrite; empty: all
	Channels  []domain.ChannelID // empty: all
}

// Validate checks the input. Faults name `name`, `scope`, `days`, `abilities` and `channels`.
func (in TokenInput) Validate() error {
	var f domain.Faults
	f.Name("name", in.Name)
	if in.Scope != domain.ScopeRead && in.Scope != domain.ScopeWrite {
		f.Add("scope", domain.FieldUnknown, "must be read or write")
	}
	if in.Days < 0 || in.Days > maxTokenDays {
		f.Add("days", domain.FieldOutOfRange, fmt.Sprintf("must be at most %d", maxTokenDays))
	}
	for i, a := range in.Abilities {
		if !slices.Contains(domain.Abilities, a) && !slices.Contains(domain.AdminAbilities, a) {
			f.Add(fmt.Sprintf("abilities[%d]", i), domain.FieldUnknown, "is not known")
		}
	}
	if len(in.Abilities) > 0 && in.Scope == domain.ScopeRead {
		f.Add("abilities", domain.FieldUnknown, "needs the scope write")
	}
	if in.admin() && len(in.Channels) > 0 {
		f.Add("channels", domain.FieldForbidden, "do not go with operating the server")
	}
	if len(in.Channels) > domain.MaxTokenChannels {
		f.Add("channels", domain.FieldTooMany, fmt.Sprintf("must have at most %d channels", domain.MaxTokenChannels))
	}
	return f.Err()
}

const maxTokenDays = 3650

// admin reports whether the token may operate the server.
func (in TokenInput) admin() bool { return slices.ContainsFunc(in.Abilities, domain.Ability.Admin) }

// lockOperator locks the operators, so that none of them can lose their office in the meantime, and reports whether the user
// is one.
func lockOperator(ctx context.Context, tx *store.Tx, user domain.UserID) (bool, error) {
	operators, err := tx.Users().LockOperators(ctx)
	return slices.Contains(operators, user), err
}

// errNotOperator refuses a token for operating the server to anybody else.
func errNotOperator() error {
	return domain.InvalidField("abilities", domain.FieldForbidden, "include operating the server, which only operators may do")
}

// token returns the token to store.
func (in TokenInput) token(user domain.UserID, now time.Time) domain.Token {
	t := domain.Token{UserID: user, Name: in.Name, Scope: in.Scope, CreatedAt: now,
		Limits: domain.NewTokenLimits(in.Abilities, in.Channels)}
	if in.Days > 0 {
		ends := now.AddDate(0, 0, in.Days)
		t.ExpiresAt = &ends
	}
	return t
}

// CreateToken creates a personal access token for a user and returns its secret, which is not stored (behaviour.md
// section 8). Errors name the fields of the input; `channels` also if the user cannot see one.
func (a *Accounts) CreateToken(ctx context.Context, user domain.UserID, in TokenInput) (secret string, t domain.Token, err error) {
	in.Name = domain.CleanName(in.Name)
	if err := a.checkToken(ctx, user, in); err != nil {
		return "", t, err
	}
	secret, hash, hint := auth.NewToken(auth.Personal)
	t = in.token(user, a.Now())
	t.Hint = hint
	t, err = a.saveToken(ctx, t, hash)
	return secret, t, err
}

// checkToken checks the input, and that the user sees its channels.
func (a *Accounts) checkToken(ctx context.Context, user domain.UserID, in TokenInput) error {
	if err := in.Validate(); err != nil || len(in.Channels) == 0 {
		return err
	}
	_, missing, err := a.channels(ctx, user, in.Channels)
	if missing >= 0 {
		return domain.InvalidField(fmt.Sprintf("channels[%d]", missing), domain.FieldUnknown, "does not exist, or you cannot see it")
	}
	return err
}

// CreateKnownToken creates a token whose secret everyone can compute, for a sandbox: see auth.KnownToken. The secret
// begins with the slug of the user and the scope.
func (a *Accounts) CreateKnownToken(ctx context.Context, user domain.UserID, slug string, scope domain.Scope) (secret string, err error) {
	secret, hash, hint := auth.KnownToken(slug + string(scope))
	_, err = a.saveToken(ctx, domain.Token{UserID: user, Name: string(scope), Hint: hint, Scope: scope, CreatedAt: a.Now()}, hash)
	return secret, err
}

func (a *Accounts) saveToken(ctx context.Context, t domain.Token, hash []byte) (domain.Token, error) {
	err := a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		if t.Limits.Admin() {
			if may, err := lockOperator(ctx, tx, t.UserID); err != nil || !may {
				return cmp.Or(err, errNotOperator())
			}
		}
		if t.ID, err = tx.Account().CreateToken(ctx, t, hash); err != nil {
			return err
		}
		return a.Audit(ctx, tx, domain.Actor{}, domain.ActTokenCreated, domain.AboutToken(t), map[string]any{"user": t.UserID, "scope": t.Limits.ScopeText(t.Scope)})
	})
	return t, err
}

// Tokens lists the tokens of a user, newest first.
func (a *Accounts) Tokens(ctx context.Context, user domain.UserID) ([]domain.Token, error) {
	return a.Store.Account().Tokens(ctx, user)
}

// RevokeToken revokes a token at once. Revoking it again changes nothing.
func (a *Accounts) RevokeToken(ctx context.Context, actor domain.Actor, id domain.TokenID) error {
	return a.Store.InTx(ctx, func(tx *store.Tx) error {
		live, err := tx.Account().RevokeToken(ctx, id, a.Now())
		if err != nil || !live {
			return err
		}
		return a.Audit(ctx, tx, actor, domain.ActTokenRevoked, domain.AboutToken(domain.Token{ID: id}), nil)
	})
}

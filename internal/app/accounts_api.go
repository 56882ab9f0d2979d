package app

import (
	"context"
	"errors"

	"vitrine/internal/domain"
)

var errNotBuilt = errors.New("not built")

// ForgotPassword has a link mailed with which a password can be chosen, if the address
// has an account that may sign in. The answer and its time do not tell.
func (a *App) ForgotPassword(ctx context.Context, from domain.Visitor, email string) error {
	return errNotBuilt
}

// PasswordLink tells whether the token of a mailed link can still be used, without
// using it; NotFound if not.
func (a *App) PasswordLink(ctx context.Context, token string) error { return errNotBuilt }

// ResetPassword sets the password of the account that a mailed link is for, ends its
// sessions, and signs in anew.
func (a *App) ResetPassword(ctx context.Context, from domain.Visitor, token, password string) (session string, err error) {
	return "", errNotBuilt
}

// ChangePassword sets a new password where the current one is right ("" for an account
// that has none), and ends all sessions but the one that keeps.
func (a *App) ChangePassword(ctx context.Context, from domain.Visitor, actor domain.Actor, keep domain.SessionID, current, next string) error {
	return errNotBuilt
}

// ChangeEmail has a link mailed to a new address, which it proves; the old address is
// told once it is changed. The password is asked for again.
func (a *App) ChangeEmail(ctx context.Context, from domain.Visitor, actor domain.Actor, email, password string) error {
	return errNotBuilt
}

// ConfirmEmail changes the address as a mailed link says; NotFound for a link that is
// used, expired or none.
func (a *App) ConfirmEmail(ctx context.Context, token string) (domain.User, error) {
	return domain.User{}, errNotBuilt
}

// Farewell is what deleting an account would do.
type Farewell struct {
	Channels      int64          // own, deleted
	Blocks        int64          // in nobody else's channel, deleted
	SharedBlocks  int64          // in channels of others, kept without a name
	Comments      int64          // deleted
	GroupsHanded  []domain.Group // owned, handed to the member who is there longest
	GroupsDeleted []domain.Group // owned, with no other member
	OnlyOperator  bool           // so it cannot be deleted yet
}

// Farewell says what deleting the actor's account would do.
func (a *App) Farewell(ctx context.Context, actor domain.Actor) (Farewell, error) {
	return Farewell{}, errNotBuilt
}

// DeleteAccount deletes the actor's account where the password and the slug are right.
// It is out of sight at once; a job clears what was theirs.
func (a *App) DeleteAccount(ctx context.Context, from domain.Visitor, actor domain.Actor, slug, password string) error {
	return errNotBuilt
}

// SetSignUpMode changes the mode; an operator may, unless a setting fixes it.
func (a *App) SetSignUpMode(ctx context.Context, actor domain.Actor, mode domain.SignUpMode) error {
	return errNotBuilt
}

// CreateSignUpLink makes a link with which one person can sign up, within 14 days. The
// token is not kept.
func (a *App) CreateSignUpLink(ctx context.Context, actor domain.Actor, note string) (token string, err error) {
	return "", errNotBuilt
}

// SignUpLinks lists links for signing up that are live or were used lately, newest first.
func (a *App) SignUpLinks(ctx context.Context, actor domain.Actor) ([]domain.SignUpLink, error) {
	return nil, errNotBuilt
}

// EndSignUpLink deletes a link that was not used.
func (a *App) EndSignUpLink(ctx context.Context, actor domain.Actor, id domain.SignUpLinkID) error {
	return errNotBuilt
}

// FindAccounts lists accounts for an operator, newest first, whose name, slug or address
// begins with the text, or all.
func (a *App) FindAccounts(ctx context.Context, actor domain.Actor, text string, page domain.Page) (domain.List[domain.User], error) {
	return domain.List[domain.User]{}, errNotBuilt
}

// SetAccount changes an account for an operator. Nil fields stay. An operator cannot
// suspend themself or leave the server without an operator.
func (a *App) SetAccount(ctx context.Context, actor domain.Actor, id domain.UserID, in AccountChange) (domain.User, error) {
	return domain.User{}, errNotBuilt
}

// AccountChange is what an operator changes of an account.
type AccountChange struct {
	Tier      *domain.Tier
	Suspended *bool
	Office    *domain.Office
}

// CreateOwnToken makes a personal access token of the actor (CreateToken does the same
// for the command line); at most 100 are live.
func (a *App) CreateOwnToken(ctx context.Context, actor domain.Actor, name string, scope domain.Scope) (secret string, t domain.Token, err error) {
	return "", t, errNotBuilt
}

// OwnTokens lists the live personal access tokens of the actor, newest first.
func (a *App) OwnTokens(ctx context.Context, actor domain.Actor) ([]domain.Token, error) {
	return nil, errNotBuilt
}

// RevokeOwnToken revokes a personal access token of the actor; NotFound if they have
// no such.
func (a *App) RevokeOwnToken(ctx context.Context, actor domain.Actor, id domain.TokenID) error {
	return errNotBuilt
}

// InviteeGroup reads the group that a reusable invite code is for, for the page where
// people join; NotFound for a wrong code.
func (a *App) InviteeGroup(ctx context.Context, actor domain.Actor, ref domain.Ref, code string) (domain.Group, error) {
	return domain.Group{}, errNotBuilt
}

package app

import (
	"context"
	"errors"

	"vitrine/internal/domain"
)

var errNotBuilt = errors.New("not built")

// Account is a user with what only they and operators see.
type Account struct {
	domain.User
	HasPassword bool
}

// SignUpInput is an account somebody wants. Invite is the token of the link they came
// by, a sign-up link's or a mailed invitation's to a group; "" if they came by none.
type SignUpInput struct {
	Name     string
	Slug     string // "" for one from the name
	Email    string
	Password string
	Invite   string
}

// SignUpOffer is what the page for signing up must know.
type SignUpOffer struct {
	Mode  domain.SignUpMode
	First bool   // nobody has an account yet: this one will be the operator's
	Open  bool   // this visitor may sign up
	Email string // the address that the invitation was mailed to, else ""
}

// SignUpOffer tells whether a visitor with an invite ("" for none) may sign up.
func (a *App) SignUpOffer(ctx context.Context, invite string) (SignUpOffer, error) {
	return SignUpOffer{}, errNotBuilt
}

// SignUp makes an account, or has a link mailed that will. With the first account, and
// with an invitation that was mailed to the very address, there is nothing to confirm:
// session is the secret of a new session. Else it is "", whether or not the address has
// an account already; the mail tells.
func (a *App) SignUp(ctx context.Context, from domain.Visitor, in SignUpInput) (session string, err error) {
	return "", errNotBuilt
}

// ConfirmSignUp makes the account that a mailed link is for, and signs it in. A link
// that is used, expired or none is NotFound.
func (a *App) ConfirmSignUp(ctx context.Context, from domain.Visitor, token string) (session string, u domain.User, err error) {
	return "", u, errNotBuilt
}

// SignIn checks an address and a password. Whatever is wrong (unknown address, wrong
// password, no password, suspended), the error is the same Unauthenticated, and takes as long. Too
// many attempts are TooMany.
func (a *App) SignIn(ctx context.Context, from domain.Visitor, email, password string) (session string, err error) {
	return "", errNotBuilt
}

// SessionUser gives who is signed in by the secret of a session, and notes (not more
// often than every few minutes) that it was seen. Unauthenticated if it is none, over,
// or its user is suspended or deleted.
func (a *App) SessionUser(ctx context.Context, from domain.Visitor, secret string) (domain.Session, Account, error) {
	return domain.Session{}, Account{}, errNotBuilt
}

// SignOut ends a session by its secret. Again changes nothing.
func (a *App) SignOut(ctx context.Context, secret string) error { return errNotBuilt }

// Sessions lists the live sessions of a user, the newest seen first.
func (a *App) Sessions(ctx context.Context, actor domain.Actor) ([]domain.Session, error) {
	return nil, errNotBuilt
}

// EndSession ends a session of the actor; NotFound if they have no such.
func (a *App) EndSession(ctx context.Context, actor domain.Actor, id domain.SessionID) error {
	return errNotBuilt
}

// EndOtherSessions ends all sessions of the actor but one.
func (a *App) EndOtherSessions(ctx context.Context, actor domain.Actor, keep domain.SessionID) error {
	return errNotBuilt
}

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

// SignUpMode is the mode in effect, and whether it is fixed by a setting.
func (a *App) SignUpMode(ctx context.Context) (mode domain.SignUpMode, fixed bool, err error) {
	return "", false, errNotBuilt
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

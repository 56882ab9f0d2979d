package domain

import "time"

// IDs of invitations and of reusable invites.
type (
	InvitationID  int64
	GroupInviteID int64
)

// InvitationState is the state of an invitation.
type InvitationState string

// The states of invitations. Only pending invitations before their expiry are open. One past its
// expiry becomes Expired at the latest when another replaces it.
const (
	InvitationPending  InvitationState = "pending"
	InvitationAccepted InvitationState = "accepted"
	InvitationDeclined InvitationState = "declined"
	InvitationRevoked  InvitationState = "revoked"
	InvitationExpired  InvitationState = "expired"
)

// Invitation invites one person into a group (behaviour.md section 6), as a user or by an e-mail
// address.
type Invitation struct {
	ID      InvitationID
	Group   Principal
	Invitee *Principal // the account, if there is one
	// Email is the invited address in lower case, or nil if a user was invited. If it is set, the
	// invitee is not shown, so that the inviter does not learn whose address it is.
	Email      *string
	InvitedBy  Principal
	State      InvitationState
	AcceptedAt *time.Time
	ExpiresAt  time.Time
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// Open reports whether the invitation can still be accepted, declined or revoked.
func (i Invitation) Open(now time.Time) bool {
	return i.State == InvitationPending && now.Before(i.ExpiresAt)
}

// CanAccept reports whether the actor, who has the invitation's token, may accept it: the invited
// user, or anyone if an address was invited.
func CanAccept(a Actor, i Invitation) bool {
	return a.MayWrite() && (i.Email != nil || i.Invitee != nil && i.Invitee.PrincipalRef == UserRef(a.UserID))
}

// CanRevoke reports whether the actor may revoke an invitation of the group: its creator, even
// after leaving, and every member.
func CanRevoke(a Actor, g Group, i Invitation) bool {
	return CanInvite(a, g) || a.MayWrite() && i.InvitedBy.PrincipalRef == UserRef(a.UserID)
}

// GroupInvite is the reusable invite of a group.
type GroupInvite struct {
	ID        GroupInviteID
	Code      string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// InviteOutcome is the result of an invitation.
type InviteOutcome string

const (
	OutcomeAdded         InviteOutcome = "added"
	OutcomeInvited       InviteOutcome = "invited"
	OutcomePending       InviteOutcome = "invitation_pending"
	OutcomeAlreadyMember InviteOutcome = "already_member"
)

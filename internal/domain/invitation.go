package domain

import "time"

// Ids of invitations and of reusable invites.
type (
	InvitationID  int64
	GroupInviteID int64
)

// InvitationState is what became of an invitation.
type InvitationState string

// The states of invitations. Only pending ones that have not run out are open; one
// that has is Expired at the latest when another takes its place.
const (
	InvitationPending  InvitationState = "pending"
	InvitationAccepted InvitationState = "accepted"
	InvitationDeclined InvitationState = "declined"
	InvitationRevoked  InvitationState = "revoked"
	InvitationExpired  InvitationState = "expired"
)

// Invitation asks one person into a group (behaviour.md section 6), as a user or at an
// e-mail address.
type Invitation struct {
	ID      InvitationID
	Group   Principal
	Invitee *Principal // the account, if there is one
	// Email is the address that was invited, in lower case; nil for one of a user.
	// Where it is set, the invitee is not shown: who invites an address does not learn
	// whose it is.
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

// CanAccept reports whether the actor may take up an invitation of which they hold the
// token: the user who is invited; anyone when an address is.
func CanAccept(a Actor, i Invitation) bool {
	return a.MayWrite() && (i.Email != nil || i.Invitee != nil && i.Invitee.PrincipalRef == UserRef(a.UserID))
}

// CanRevoke reports whether the actor may revoke an invitation of the group: who made
// it, also after leaving, and every member.
func CanRevoke(a Actor, g Group, i Invitation) bool {
	return CanInvite(a, g) || a.MayWrite() && i.InvitedBy.PrincipalRef == UserRef(a.UserID)
}

// GroupInvite is the one reusable invite of a group.
type GroupInvite struct {
	ID        GroupInviteID
	Code      string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// InviteOutcome is what came of inviting somebody.
type InviteOutcome string

// The outcomes.
const (
	OutcomeAdded         InviteOutcome = "added"
	OutcomeInvited       InviteOutcome = "invited"
	OutcomePending       InviteOutcome = "invitation_pending"
	OutcomeAlreadyMember InviteOutcome = "already_member"
)

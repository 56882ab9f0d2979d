package domain

import (
	"slices"
	"strings"
	"time"
)

// AuditID identifies an entry of the audit log.
type AuditID int64

// Act is the kind of action in an audit log entry. Names never change, because logs outlive
// upgrades.
type Act string

const (
	ActAccountCreated    Act = "account.created"
	ActAccountDeleted    Act = "account.deleted"
	ActAccountSuspended  Act = "account.suspended"
	ActAccountRestored   Act = "account.restored"
	ActTierChanged       Act = "account.tier"
	ActEmailChanged      Act = "account.email"
	ActPasswordChanged   Act = "account.password"
	ActAccountInvited    Act = "account.invited"
	ActResetSent         Act = "account.reset-sent"
	ActSignInLink        Act = "account.sign-in-link"
	ActOperatorGiven     Act = "operator.given"
	ActOperatorTaken     Act = "operator.taken"
	ActSignedIn          Act = "session.created"
	ActSignInRefused     Act = "session.refused"
	ActSignedOut         Act = "session.ended"
	ActSignedOutAll      Act = "session.ended-all"
	ActConfirmed         Act = "session.confirmed"
	ActPasskeyAdded      Act = "passkey.added"
	ActPasskeyRemoved    Act = "passkey.removed"
	ActCodesMade         Act = "recovery-codes.made"
	ActCodeUsed          Act = "recovery-codes.used"
	ActFactorEnded       Act = "second-factor.ended"
	ActConnected         Act = "identity.connected"
	ActDisconnected      Act = "identity.disconnected"
	ActTokenCreated      Act = "token.created"
	ActTokenRevoked      Act = "token.revoked"
	ActTokenReused       Act = "token.reused"
	ActFeedsRenewed      Act = "feeds.renewed"
	ActAccessGiven       Act = "access.given"
	ActAccessTaken       Act = "access.taken"
	ActAppCreated        Act = "application.created"
	ActAppChanged        Act = "application.changed"
	ActAppSecret         Act = "application.secret"
	ActAppDeleted        Act = "application.deleted"
	ActWebhookCreated    Act = "webhook.created"
	ActWebhookChanged    Act = "webhook.changed"
	ActWebhookSecret     Act = "webhook.secret"
	ActWebhookStopped    Act = "webhook.stopped"
	ActWebhookDeleted    Act = "webhook.deleted"
	ActMemberAdded       Act = "group.member-added"
	ActMemberRemoved     Act = "group.member-removed"
	ActGroupHandedOver   Act = "group.handed-over"
	ActSignUpMode        Act = "site.sign-up"
	ActSignUpLinkCreated Act = "sign-up-link.created"
	ActSignUpLinkEnded   Act = "sign-up-link.ended"
	ActSiteChanged       Act = "site.changed"
	ActAnnounced         Act = "site.announced"
	ActAnnouncementEnded Act = "site.announcement-ended"
	ActReadOnlyBegun     Act = "site.read-only"
	ActReadOnlyEnded     Act = "site.writable"
	ActPageSaved         Act = "site.page-saved"
	ActPageDeleted       Act = "site.page-deleted"
	ActJobRetried        Act = "job.retried"
	ActExportStarted     Act = "account.export"
	ActBackupRequested   Act = "backup.requested"
	ActReported          Act = "report.created"
	ActCaseClosed        Act = "report.closed"
	ActWarned            Act = "content.warned"
	ActViewed            Act = "content.viewed"
	ActHidden            Act = "content.hidden"
	ActShown             Act = "content.shown"
	ActDeleted           Act = "content.deleted"
	ActBlocked           Act = "blocklist.added"
	ActUnblocked         Act = "blocklist.removed"
)

// Acts lists all kinds of actions in display order.
var Acts = []Act{
	ActAccountCreated, ActAccountDeleted, ActAccountSuspended, ActAccountRestored, ActTierChanged, ActEmailChanged, ActPasswordChanged,
	ActAccountInvited, ActResetSent, ActSignInLink, ActExportStarted,
	ActOperatorGiven, ActOperatorTaken, ActSignedIn, ActSignInRefused, ActSignedOut, ActSignedOutAll, ActConfirmed, ActConnected, ActDisconnected,
	ActPasskeyAdded, ActPasskeyRemoved, ActCodesMade, ActCodeUsed, ActFactorEnded, ActTokenCreated, ActTokenRevoked, ActTokenReused,
	ActFeedsRenewed, ActAccessGiven, ActAccessTaken, ActAppCreated, ActAppChanged, ActAppSecret, ActAppDeleted, ActWebhookCreated, ActWebhookChanged,
	ActWebhookSecret, ActWebhookStopped, ActWebhookDeleted, ActMemberAdded, ActMemberRemoved,
	ActGroupHandedOver, ActSignUpMode, ActSignUpLinkCreated, ActSignUpLinkEnded, ActSiteChanged, ActAnnounced, ActAnnouncementEnded, ActReadOnlyBegun, ActReadOnlyEnded, ActPageSaved, ActPageDeleted, ActJobRetried, ActBackupRequested,
	ActReported, ActCaseClosed, ActWarned, ActViewed, ActHidden, ActShown, ActDeleted, ActBlocked, ActUnblocked,
}

// Names of actors that are not users. They contain a space, which slugs cannot.
const (
	ByCommandLine = "command line"
	BySystem      = "the server"
	ByStranger    = "not signed in"
)

// AuditTarget is the object of an action. Label is its name at the time.
type AuditTarget struct {
	Kind  string // such as User, Group, Channel, Block, Token; "" for the site
	ID    int64
	Label string
}

// AboutUser returns an account as a target.
func AboutUser(u User) AuditTarget { return AuditTarget{string(TypeUser), int64(u.ID), u.Slug} }

// AuditEntry is an entry of the audit log.
type AuditEntry struct {
	ID      AuditID
	At      time.Time
	ActorID UserID // 0 if not a user
	Actor   string // the user's slug at the time, or ByCommandLine etc.
	Act     Act
	About   AuditTarget
	Details map[string]any // further information, without secrets; nil for none
	Address string         // of the client; "" if unknown
	Request string         // request ID, or ""
}

// AuditFilter filters the audit log. Empty fields match everything.
type AuditFilter struct {
	ActorID UserID
	Actor   string // name at the time
	Act     Act
	About   AuditTarget // by Kind and ID, or by Label
	From    time.Time   // inclusive
	To      time.Time   // exclusive
}

// Validate checks the filter. Faults are about `actor`, `act`, `about` and `to`.
func (f AuditFilter) Validate() error {
	var faults Faults
	faults.Text("actor", f.Actor, MaxAuditLabel)
	faults.Text("about", f.About.Label, MaxAuditLabel)
	if f.Act != "" && !slices.Contains(Acts, f.Act) {
		faults.Add("act", FieldUnknown, "is no act of the audit log")
	}
	if !f.From.IsZero() && !f.To.IsZero() && f.To.Before(f.From) {
		faults.Add("to", FieldOutOfRange, "must not be before the beginning")
	}
	return faults.Err()
}

// AuditPlace is the position of an entry in the log, from which the next page continues.
type AuditPlace struct {
	At time.Time
	ID AuditID
}

// auditLabel returns the label to store: on one line, and truncated.
func auditLabel(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "�")), " ")
	if runes := []rune(s); len(runes) > MaxAuditLabel {
		return string(runes[:MaxAuditLabel])
	}
	return s
}

// Kept returns the target to store.
func (t AuditTarget) Kept() AuditTarget {
	t.Label = auditLabel(t.Label)
	return t
}

// AboutSession returns a session as a target.
func AboutSession(id SessionID) AuditTarget { return AuditTarget{Kind: "Session", ID: int64(id)} }

// AboutToken returns a token as a target.
func AboutToken(t Token) AuditTarget { return AuditTarget{"Token", int64(t.ID), t.Name} }

// AboutApplication returns an application as a target.
func AboutApplication(a Application) AuditTarget {
	return AuditTarget{"Application", int64(a.ID), a.Name}
}

// AboutWebhook returns a webhook as a target. Its address may contain a secret, so only the host is recorded.
func AboutWebhook(w Webhook) AuditTarget { return AuditTarget{"Webhook", int64(w.ID), w.Label()} }

package app_test

import (
	"go/ast"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// audited maps each write of the store that grants or removes access, or is reserved to operators, to the act that its
// use case records. If a write serves several acts, one of them is given.
var audited = map[string]string{
	"CreateUser": "ActAccountCreated", "AnonymizeAccount": "ActAccountDeleted", "SetSuspended": "ActAccountSuspended ActAccountRestored",
	"SetTier": "ActTierChanged", "SetEmail": "ActEmailChanged", "SetPassword": "ActPasswordChanged", "SetOffice": "ActOperatorGiven",
	"CreateSession": "ActSignedIn", "EndSession": "ActSignedOut", "EndSessionByHash": "ActSignedOut",
	"EndSessions": "ActSignedOutAll ActAccountSuspended ActPasswordChanged", "ConnectIdentity": "ActConnected", "DisconnectIdentity": "ActDisconnected",
	"AddPasskey": "ActPasskeyAdded", "DeletePasskey": "ActPasskeyRemoved", "PutRecoveryCodes": "ActCodesMade", "TakeRecoveryCode": "ActCodeUsed",
	"EndSecondFactor": "ActFactorEnded",
	"CreateToken":     "ActTokenCreated", "CreateApplicationToken": "ActTokenCreated", "RevokeToken": "ActTokenRevoked", "RevokeOwnToken": "ActTokenRevoked",
	"DeleteApplicationToken": "auditRevoked", "RevokeCode": "auditRevoked", "DeleteRefreshToken": "ActTokenReused auditRevoked", "RevokeTokensOf": "ActSignedOutAll", "RenewFeeds": "ActFeedsRenewed",
	"Grant": "ActAccessGiven", "DeleteGrant": "ActAccessTaken", "DeleteGrantsOf": "ActSignedOutAll",
	"CreateApplication": "ActAppCreated", "RestoreApplication": "ActAppCreated", "UpdateApplication": "ActAppChanged", "SetApplicationSecret": "ActAppSecret", "DeleteApplication": "ActAppDeleted",
	"AddMember": "MemberAdded", "RemoveMember": "MemberRemoved", "HandGroupOver": "ActGroupHandedOver",
	"CreateSignUpLink": "ActSignUpLinkCreated ActAccountInvited", "EndSignUpLink": "ActSignUpLinkEnded ActAccountInvited",
	"PutSetting": "ActSignUpMode", "UpdateSite": "ActSiteChanged ActAnnounced ActAnnouncementEnded", "PutLegalPage": "ActPageSaved", "DeleteLegalPage": "ActPageDeleted", "RetryJob": "ActJobRetried",
	"AddReport": "ActReported", "CloseCase": "ActCaseClosed", "AddNotice": "ActWarned", "RecordHidden": "ActHidden",
	"AddBlocked": "ActBlocked", "RemoveBlocked": "ActUnblocked",
}

// unaudited maps the other writes on the same topics to the reason why they need no entry.
var unaudited = map[string]string{
	"steps on the way to an act, and what only asks": `AttemptFailed Attempt BeginHalfSignIn ClaimFirstAccount CountApplications CountSignUpLinks CreateCode CreateMailLink
		CreateSignup ForgetAttempts LockOperators LockUser MarkMailLink MarkSignup MayAct RenewSignUpLink ShareApplication ShareGrant TakeBackAttempt
		TakeHalfSignIn TakeMailLink TakeSignup UseCode UseSignUpLink PutStep TakeStep Job LockSite LockCase LockHidden LockRefreshToken RotateRefreshToken EndPreviousRefreshToken`,
	"what an act brings with it":   `EndAccess EndMailLinks ForgetSignUpLinks ForgetSignups RememberBrowser EndAdminTokens MarkMapped AnswerReporters ForgetJob SetHidden CreateRefreshToken`,
	"what other acts bring about":  `RenewSession ForgetProofs EndHalfSignIns`,
	"when something was last used": `PasskeyUsed SessionSeen TokenUsed IdentityUsed`,
	"what has run out":             `SweepAttempts SweepCodes SweepHalfSignIns SweepKnownBrowsers SweepMailLinks SweepRefreshTokens SweepTokens SweepSessions SweepSignUpLinks SweepSignups SweepSteps`,
	"what is only the reader's":    `ReadNotices ForgetNotices WantCaseMail NoteCaseMail TakeFreshCases`,
	"what follows a thing":         `DropKept ForgetHidden ForgetHiddenIn ForgetHiddenOf KeepCommentFor KeepConnection KeepFor`,
	"the program's own":            `DeleteSecret Enqueue EnsureSecret PutFeatured PutReadOnly PutSecret PutSite`,
}

// auditedElsewhere are functions that write and leave the entry to their callers.
var auditedElsewhere = map[string]string{
	"allow":           "Allow notes it",
	"PutEmail":        "its callers note it",
	"PutPassword":     "its callers note it",
	"retryProcessing": "retryJob notes it",
	"settleIn":        "enter and FollowMapping publish MemberAdded, which is noted",
	"bequeath":        "the group is handed over, which is noted",
	"leave":           "the account is deleted, which is noted",
	"hideChannels":    "the person whose channels they are is hidden, which is noted",
}

// auditTopics are the topics of unpublished whose writes must be in audited or unaudited.
var auditTopics = []string{"accounts, and who acts for them", "who people are elsewhere", "jobs, secrets and settings", "what the site says of itself",
	"reports, and what operators decide about them", "what operators hide, whose connections and comments are published one by one"}

// Every write that grants or removes access, or is reserved to operators, is in the audit log. Each use case records its
// writes, or they are listed as unaudited.
func TestEveryWriteIsAudited(t *testing.T) {
	t.Parallel()
	none := strings.Fields(strings.Join(slices.Collect(maps.Values(unaudited)), " "))
	for _, topic := range auditTopics {
		if unpublished[topic] == "" {
			t.Errorf("there is no topic %q", topic)
		}
		for name := range strings.FieldsSeq(unpublished[topic]) {
			if noted := audited[name] != ""; noted == slices.Contains(none, name) {
				t.Errorf("Tx.%s: say by which act it is noted, or that it is by none", name)
			}
		}
	}
	seen := map[string]bool{}
	for file, f := range sources(t) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				checkAudits(t, file, fn, seen)
			}
		}
	}
	for name := range audited {
		if !seen[name] {
			t.Errorf("no use case calls tx.%s", name)
		}
	}
}

// checkAudits compares the writes of a function with the acts that it records.
func checkAudits(t *testing.T, file string, fn *ast.FuncDecl, seen map[string]bool) {
	writes, named := map[string]bool{}, map[string]bool{}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if inTransaction(s.X) {
				writes[s.Sel.Name] = true
			}
			named[s.Sel.Name] = true
		}
		return true
	})
	for write := range writes {
		acts := strings.Fields(audited[write])
		seen[write] = true
		if len(acts) > 0 && auditedElsewhere[fn.Name.Name] == "" && !slices.ContainsFunc(acts, func(act string) bool { return named[act] }) {
			t.Errorf("%s: %s calls tx.%s and notes none of %v", filepath.ToSlash(file), fn.Name.Name, write, acts)
		}
	}
}

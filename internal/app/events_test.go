package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"vitrine/internal/store"
)

// published maps each write of the store to the event by which use cases publish it, or to the reason why they publish
// none. A write without an entry fails the test.
var published = map[string]string{
	"CreateBlockIn": "BlockCreated", "UpdateBlock": "BlockChanged", "FillBlock": "BlockChanged", "DeleteBlock": "BlockDeleted",
	"Connect": "Connected", "Disconnect": "Disconnected", "Move": "ConnectionChanged", "SetConnectionMetadata": "ConnectionChanged",
	"SetConnectionPinned": "ConnectionChanged", "ReplaceBlock": "ConnectionChanged", "Arrange": "ContentsArranged",
	"CreateChannel": "ChannelCreated", "UpdateChannel": "ChannelChanged", "DeleteChannel": "ChannelDeleted",
	"AddCollaborator": "CollaboratorAdded", "RemoveCollaborator": "CollaboratorRemoved",
	"CreateGroup": "GroupCreated", "UpdateGroup": "GroupChanged", "DeleteGroup": "GroupDeleted",
	"AddMember": "MemberAdded", "RemoveMember": "MemberRemoved",
	"Follow": "Followed", "Unfollow": "Unfollowed",
	"CreateComment": "CommentCreated", "UpdateComment": "CommentChanged", "DeleteComment": "CommentDeleted",
	"Touch":   "BlockChanged",
	"PutAway": "Disconnected", "PutBack": "Connected", "KeepComment": "CommentDeleted", "PutCommentBack": "CommentCreated",
	"RestoreConnections": "Connected", "RestoreBlock": "BlockRestored", "RestoreChannel": "ChannelRestored", "RestoreComment": "CommentCreated",
	"CreateUser": "UserCreated", "AnonymizeAccount": "UserDeleted",
	"UpdateProfile": "UserChanged", "SetAvatar": "UserChanged",
}

// unpublished lists writes that change nothing visible to others, by topic.
var unpublished = map[string]string{
	"accounts, and who acts for them": `AddPasskey Attempt AttemptFailed BeginHalfSignIn ClaimFirstAccount CountApplications CountSignUpLinks CreateApplication
		CreateApplicationToken CreateCode CreateMailLink CreateSession CreateSignUpLink CreateSignup CreateToken
		DeleteApplication DeleteApplicationToken DeleteGrant DeleteGrantsOf DeletePasskey EndAccess EndMailLinks EndSecondFactor EndSession EndSessionByHash
		EndSessions EndSignUpLink ForgetAttempts ForgetSignUpLinks ForgetSignups Grant LockOperators LockUser MarkMailLink MarkSignup MayAct PasskeyUsed PutRecoveryCodes
		RememberBrowser RenewSession RenewSignUpLink ForgetProofs EndHalfSignIns EndAdminTokens RestoreApplication RevokeCode RevokeOwnToken RevokeToken RevokeTokensOf SessionSeen SetApplicationSecret SetEmail SetOffice SetPassword
		SetSuspended SetTier ShareApplication ShareGrant SweepAttempts SweepCodes SweepHalfSignIns SweepKnownBrowsers SweepMailLinks SweepSessions
		SweepSignUpLinks SweepSignups TakeBackAttempt TakeHalfSignIn TakeMailLink TakeRecoveryCode TakeSignup TokenUsed UpdateApplication UseCode UseSignUpLink
		CreateRefreshToken DeleteRefreshToken EndPreviousRefreshToken LockRefreshToken RotateRefreshToken SweepRefreshTokens SweepTokens`,
	"who people are elsewhere": `ConnectIdentity DisconnectIdentity IdentityUsed MarkMapped PutStep SweepSteps TakeStep`,
	"invitations, which end in a member": `AcceptInvitation AcceptInvitations AdoptInvitations ClaimInvitationMail CreateGroupInvite
		CreateInvitation DeleteGroupInvite EndInvitation ExpireInvitations ForgetInvitations ReleaseInvitationMail`,
	"files, and the wait for content": `AddFile AddUpload AvatarGranted BeginAttempt BlobStored ClaimBlob DoomObject DropUpload
		EndProcessing EndReservation ExtendReservation FillUpload KeepMetadata KeepUpload LockAvatarRequest LockByteUsage MeasureUpload ObjectRemoved
		ObjectStays RecountBytes Reserve RestartProcessing SetCleaned StartProcessing SweepBlobs SweepReservations SweepUploads UndoAttempt
		UseUpload RequestAvatar`,
	"saved copies, which are published with their block": `AddSnapshot DeletePictures DeleteSnapshot SetSnapshotPolicy SharePictures ShareSnapshot`,
	"how far this server is with a copy":                 `BeginSnapshot EndSnapshotRequest NoteSnapshotFailure RequestSnapshot UndoSnapshotAttempt`,
	"batches, whose blocks are published one by one":     `AddBatch BatchItemFailed BatchItemMade BeginBatch EndBatch LockBatchItem SweepBatches UndoBatchAttempt`,
	"the rest of a change that was published, or of an account's end": `ApplySome CreateBlock DeleteComments MoveComments MoveSnapshots EmptyInbox EndFollows
		EndGroupItems EndSomeFollows ForgetActivities ForgetBlock DeleteUserActivities ForgetNotifications HandGroupOver`,
	"what events are told by, and what the reader has read": `ForgetChanges ForgetDetails MarkAllRead MarkRead Record RecordAll RecordChanges`,
	"when links are checked, and what that found":           `ScheduleLinks ClaimLinks NoteLink CheckSoon`,
	"feeds of channels, whose entries are published as blocks": `AddFeed DeleteFeed DeleteFeedsOf ForgetFeeds LockFeed MoveFeed PostponeFeed PruneEntries
		SaveFeed SeeEntries`,
	"addresses for mails, which are published as blocks": `AddMailbox DeleteMailbox DeleteMailboxesOf ForgetMailboxes LockMailbox PruneMails ReceiveMail`,
	"earlier texts, whose changes are published":         `DropVersions ForgetVersions KeepVersion`,
	"whether changes wait that were written earlier":     `Waits`,
	"webhooks, and what is sent to them": `AddDelivery AddDeliveries AddWebhook AdvanceWebhooks DeleteWebhook EndDeliveries ForgetWebhooks HastenDeliveries LeaseWebhook LockAt LockLeased MarkCrowded
		LockWebhook ReleaseWebhook SaveDelivery SaveWebhook SweepDeliveries TrimDeliveries WakeWebhooks`,
	"vectors, which are computed from what was published": `Begin Extend Failed Lease Put Stop Walk`,
	"locks, and slugs": `BindSlug ClaimSlug LockBlock LockBlockInChannels LockChannelOf LockChannels LockFollowed LockGroup
		LockGroupWithChannels LockOwners LockSource LockSources LockToAdd LockWithParents LockedBlock Locks SlugFor SuffixedSlugFor`,
	"bulk loads and repair": `AddDocuments FinishDocuments FinishFollows FinishLoad FinishTexts CountTexts IndexPending LoadActivities LoadBlocks LoadChannels LoadConnections
		LoadFollows LoadNotifications LoadUsers Rebuild RecountFollowers`,
	"exports, which their owner alone sees": `AddExport BeginExport DeleteExport EndExport ForgetExports NoteExport SweepExports UndoExportAttempt`,
	"imports, whose things are published one by one": `AddImport AddLeftOut BeginImportStep ChooseSteps EndImport EndImportStep ForgetImports
		ForgetLeftOut ListImport NoteImportStep SealImport SweepImports UndoImportAttempt`,
	"what may be sent again, brought in again or taken back": `AddRemoval ChangeOrigin ClaimOnce ClaimOrigins ForgetOrigins KeepAnswer KeepOnce KeepOrigins PlaceOrigins SweepOnceKeys SweepRemovals TakeRemoval`,
	"jobs, secrets and settings":                             `DeleteSecret Enqueue EnsureSecret ForgetJob Job PutSecret PutSetting RetryJob`,
	"the audit log":                                          `AddAuditEntry Origin SweepAudit`,
	"reports, and what operators decide about them":          `AddBlocked AddNotice AddReport AnswerReporters CloseCase ForgetNotices LockCase NoteCaseMail ReadNotices RemoveBlocked TakeFreshCases WantCaseMail`,
	"what operators hide, whose connections and comments are published one by one": `DropKept ForgetHidden ForgetHiddenIn ForgetHiddenOf
		KeepCommentFor KeepConnection KeepFor LockHidden RecordHidden SetHidden`,
	"receipts of exports and erasures, which their person and operators see": `AddReceipt ErasureDone SweepReceipts`,
	"backups":                      `RequestBackup BeginBackup BeginWords ClaimBackup EndBackup EndWords HoldBackup LoadWords`,
	"what the site says of itself": `DeleteLegalPage LockSite PutReadOnly PutFeatured PutLegalPage PutSite UpdateSite`,
	"how much an account has written, for replicas": `CountWrite WrittenBy`,
	"how many bytes of text count towards a quota":  `EachUsage`,
	"what jobs find out about rows that exist":      `RefreshDocuments SetAnimated SetLook`,
	"saved searches, which their owner alone sees": `AddFound AddSearch Advance DeleteSearch ForgetSearches LockSearch LockWatermark MoveWatermark
		Postpone ReadFind ReadFinds StopMails TakeMail UpdateSearch`,
	"highlights, which only their reader sees": `AddHighlight DeleteHighlight ForgetReading KeepPlace LockHighlight UpdateHighlight`,
	"Trash, which only owners see; deletions, which move things there, are published": `EmptyTrash ExpireTrash FollowSomeAgain ForgetTrash ForgetTrashedComments ForgetTrashedFollows
		LockTrashed PurgeSome PurgeSubject PurgeTrashed PurgeVersions RestoreVersions TrashVersions TrashBlock TrashChannel TrashComment
		ForgetConnectionsOf LockConnections TrashConnections`,
	"what only its reader sees": `ForgetUser Pin RenewFeeds TrimPins Unpin`,
}

// publishedElsewhere are functions that write and leave publishing to their callers.
var publishedElsewhere = map[string]string{
	"addCollaborator":    "its callers publish",
	"SetCollaborators":   "changeCollaborators publishes what it gives",
	"RequestAvatar":      "the change of a profile or group that it belongs to is published",
	"GrantAvatar":        "the change of a group is published as such",
	"createChannel":      "CreateChannel publishes",
	"move":               "it publishes ContentsArranged for all items",
	"takeBack":           "a comment that is deleted in the same transaction, which removeComment publishes",
	"bringItem":          "items publishes all of a batch",
	"makeBlock":          "items and ImportOrphan publish all of a batch",
	"followInto":         "FollowMapping publishes what it gives",
	"settleIn":           "enter and FollowMapping publish",
	"restore":            "UndoRemoval publishes",
	"fromTrash":          "it publishes the events of what Trash restored",
	"restoreBlock":       "RestoreTrashed publishes",
	"restoreConnections": "RestoreTrashed publishes",
	"restoreChannel":     "RestoreTrashed publishes",
	"restoreComment":     "RestoreTrashed publishes",
	"UpdateChannel":      "the change of the channel is published; its new owner collaborates no more",
}

func TestEveryWriteIsPublished(t *testing.T) {
	t.Parallel()
	none := map[string]bool{}
	for _, names := range unpublished {
		for _, name := range strings.Fields(names) {
			if none[name] {
				t.Errorf("Tx.%s is listed twice", name)
			}
			none[name] = true
		}
	}
	reads, all := statements(reflect.TypeFor[store.Queries]()), statements(reflect.TypeFor[*store.Tx]())
	for name := range all {
		if !reads[name] && published[name] == "" && !none[name] {
			t.Errorf("Tx: add %s to published or unpublished", name)
		}
	}
	for name := range published {
		if !all[name] {
			t.Errorf("Tx has no %s", name)
		}
	}
	for file, f := range sources(t) {
		if filepath.Base(file) == "clear_account.go" {
			continue // what is deleted with an account gets no event of its own
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && publishedElsewhere[fn.Name.Name] == "" {
				checkPublishes(t, file, fn)
			}
		}
	}
}

// statements returns the names of the methods of a type and of its topics.
func statements(of reflect.Type) map[string]bool {
	all := map[string]bool{}
	for m := range of.Methods() {
		f := m.Type
		if f.NumIn() != 1 || f.NumOut() != 1 || !strings.HasPrefix(f.Out(0).PkgPath(), "vitrine/internal/store") {
			all[m.Name] = true
			continue
		}
		for m := range f.Out(0).Methods() { // of a topic
			all[m.Name] = true
		}
	}
	return all
}

// inTransaction reports whether an expression is tx or a topic of it, such as tx.Comments().
func inTransaction(e ast.Expr) bool {
	if call, ok := e.(*ast.CallExpr); ok {
		if topic, ok := call.Fun.(*ast.SelectorExpr); ok {
			e = topic.X
		}
	}
	of, ok := e.(*ast.Ident)
	return ok && of.Name == "tx"
}

// checkPublishes compares the writes of a function with the events that it publishes.
func checkPublishes(t *testing.T, file string, fn *ast.FuncDecl) {
	writes, events := map[string]bool{}, map[string]bool{}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if inTransaction(s.X) {
				writes[s.Sel.Name] = true
			}
			events[s.Sel.Name] = true
		}
		return true
	})
	for write := range writes {
		if event := published[write]; event != "" && !(events[event] && events["Publish"]) {
			t.Errorf("%s: %s calls tx.%s and does not publish %s", file, fn.Name.Name, write, event)
		}
	}
}

// sources returns the files of the use cases, without tests.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			files[path], err = parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

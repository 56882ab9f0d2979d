// Code generated from api/ext.yaml by internal/oas/clients. DO NOT EDIT.

package ext

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"time"
	"vitrine/client"
	"vitrine/client/internal/rest"
)

// AddChannelFeedRequest is the body of AddChannelFeed.
type AddChannelFeedRequest struct {
	// The name of the feed until it is read.
	Title client.Optional[string] `json:"title,omitzero"`
	URL   string                  `json:"url"`
}

// AddCollaboratorRequest is the body of AddCollaborator.
type AddCollaboratorRequest struct {
	GroupID *int64 `json:"group_id,omitzero"`
	UserID  *int64 `json:"user_id,omitzero"`
}

// AdminAccount is an account as operators see it.
type AdminAccount struct {
	CreatedAt time.Time `json:"created_at"`
	Email     string    `json:"email"`
	ID        int64     `json:"id"`
	Name      string    `json:"name"`
	Role      string    `json:"role"`
	Slug      string    `json:"slug"`
	Suspended bool      `json:"suspended"`
	Tier      string    `json:"tier"`
}

// AdminAccountDetails is an account with details.
type AdminAccountDetails struct {
	Account AdminAccount `json:"account"`
	// That may act for the account.
	Applications int64         `json:"applications"`
	Blocks       int64         `json:"blocks"`
	Channels     int64         `json:"channels"`
	Deletion     AdminDeletion `json:"deletion"`
	HasPassword  bool          `json:"has_password"`
	// Connected accounts of sign-on providers.
	Identities int64      `json:"identities"`
	LastSeenAt *time.Time `json:"last_seen_at"`
	Passkeys   int64      `json:"passkeys"`
	// 0 is unlimited.
	QuotaBytes int64 `json:"quota_bytes"`
	// Unused ones.
	RecoveryCodes int64 `json:"recovery_codes"`
	Sessions      int64 `json:"sessions"`
	StoredBytes   int64 `json:"stored_bytes"`
	Tokens        int64 `json:"tokens"`
}

// AdminAccountList: part of a list.
type AdminAccountList struct {
	Data []AdminAccount `json:"data"`
	// For the next part; null at the end.
	NextCursor *string `json:"next_cursor"`
}

// AdminAddress is a link.
type AdminAddress struct {
	// Null if it was mailed.
	Address *string `json:"address"`
}

// AdminAnnounceRequest is the body of AdminAnnounce.
type AdminAnnounceRequest struct {
	// Markdown.
	Announcement string  `json:"announcement"`
	Seen         *int64  `json:"seen,omitzero"`
	Severity     *string `json:"severity,omitzero"`
	// When it disappears; without it, when an operator removes it.
	Until *time.Time `json:"until,omitzero"`
}

// AdminApplication is an OAuth application.
type AdminApplication struct {
	ClientID string `json:"client_id"`
	// Only in the response that creates it.
	ClientSecret *string   `json:"client_secret"`
	CreatedAt    time.Time `json:"created_at"`
	ID           int64     `json:"id"`
	Name         string    `json:"name"`
	// Slug of the account that registered it.
	Owner        *string  `json:"owner"`
	Public       bool     `json:"public"`
	RedirectUris []string `json:"redirect_uris"`
}

// AdminApplicationList: part of a list.
type AdminApplicationList struct {
	Data []AdminApplication `json:"data"`
	// For the next part; null at the end.
	NextCursor *string `json:"next_cursor"`
}

// AdminAuditEntry is an entry of the audit log.
type AdminAuditEntry struct {
	About     *AdminSubject   `json:"about"`
	Act       string          `json:"act"`
	Actor     string          `json:"actor"`
	ActorID   *int64          `json:"actor_id"`
	Address   *string         `json:"address"`
	At        time.Time       `json:"at"`
	Details   json.RawMessage `json:"details"`
	ID        int64           `json:"id"`
	RequestID *string         `json:"request_id"`
}

// AdminAuditList: part of the log.
type AdminAuditList struct {
	Data       []AdminAuditEntry `json:"data"`
	NextCursor *string           `json:"next_cursor"`
}

// AdminBackfill: remaining work of a job after an upgrade.
type AdminBackfill struct {
	// Whether `rows` is an upper bound.
	AtMost bool   `json:"at_most"`
	Kind   string `json:"kind"`
	Rows   int64  `json:"rows"`
}

// AdminBackfillList: all backfills.
type AdminBackfillList struct {
	Data []AdminBackfill `json:"data"`
}

// AdminBackup is a backup.
type AdminBackup struct {
	Bytes   int64      `json:"bytes"`
	EndedAt *time.Time `json:"ended_at"`
	Error   *string    `json:"error"`
	Files   int64      `json:"files"`
	// Files that the storage did not have.
	Missing int64 `json:"missing"`
	// Its name where it is stored.
	Name      *string   `json:"name"`
	Rows      int64     `json:"rows"`
	Scheduled bool      `json:"scheduled"`
	StartedAt time.Time `json:"started_at"`
	State     string    `json:"state"`
	// Bytes of files that were new.
	Written int64 `json:"written"`
}

// AdminBackupList: part of a list.
type AdminBackupList struct {
	Data []AdminBackup `json:"data"`
	// For the next part; null at the end.
	NextCursor *string `json:"next_cursor"`
}

// AdminBeginReadOnlyRequest is the body of AdminBeginReadOnly.
type AdminBeginReadOnlyRequest struct {
	// Shown to everybody.
	Reason client.Optional[string] `json:"reason,omitzero"`
	// When it is expected to end. It does not end by itself.
	Until *time.Time `json:"until,omitzero"`
}

// AdminBlockRequest is the body of AdminBlock.
type AdminBlockRequest struct {
	Kind string                  `json:"kind"`
	Note client.Optional[string] `json:"note,omitzero"`
	// A domain, the domain of a mail provider, the SHA-256 of a file, or a network.
	Value string `json:"value"`
}

// AdminBlocked is an entry of the blocklist.
type AdminBlocked struct {
	CreatedAt time.Time `json:"created_at"`
	ID        int64     `json:"id"`
	Kind      string    `json:"kind"`
	Note      string    `json:"note"`
	Value     string    `json:"value"`
}

// AdminBlockedList: part of a list.
type AdminBlockedList struct {
	Data []AdminBlocked `json:"data"`
	// For the next part; null at the end.
	NextCursor *string `json:"next_cursor"`
}

// AdminCreateAccountRequest is the body of AdminCreateAccount.
type AdminCreateAccountRequest struct {
	Email string `json:"email"`
	Name  string `json:"name"`
	// 8 to 200 bytes.
	Password client.Optional[string] `json:"password,omitzero"`
	// By default derived from the name.
	Slug client.Optional[string] `json:"slug,omitzero"`
	// By default that of the setting `default-tier`.
	Tier *string `json:"tier,omitzero"`
}

// AdminCreateApplicationRequest is the body of AdminCreateApplication.
type AdminCreateApplicationRequest struct {
	// Id or slug of the account that it belongs to.
	Account string `json:"account"`
	// Whether its tokens expire and are refreshed.
	Expiring *bool  `json:"expiring,omitzero"`
	Name     string `json:"name"`
	// Whether it has no secret.
	Public       *bool    `json:"public,omitzero"`
	RedirectUris []string `json:"redirect_uris,omitzero"`
	// Whether it was written for version 2 of the API.
	Version2 *bool `json:"version_2,omitzero"`
}

// AdminCreateSignUpLinkRequest is the body of AdminCreateSignUpLink.
type AdminCreateSignUpLinkRequest struct {
	Days *int64 `json:"days,omitzero"`
	// Id or slug of a group to join.
	Group  client.Optional[string] `json:"group,omitzero"`
	Note   client.Optional[string] `json:"note,omitzero"`
	Places int64                   `json:"places"`
	// Whether addresses need no confirmation.
	Vouched *bool `json:"vouched,omitzero"`
}

// AdminDecideReportRequest is the body of AdminDecideReport.
type AdminDecideReportRequest struct {
	// With `suspended`, also hide everything that they created.
	Hide    *bool  `json:"hide,omitzero"`
	Outcome string `json:"outcome"`
	// Reasons for the owner; required if the outcome is `warned`.
	Text client.Optional[string] `json:"text,omitzero"`
}

// AdminDeletion: what deleting an account would do.
type AdminDeletion struct {
	// Deleted, in no channel of others.
	Blocks int64 `json:"blocks"`
	// Deleted.
	Channels int64 `json:"channels"`
	// Deleted.
	Comments int64 `json:"comments"`
	// Slugs.
	GroupsDeleted []string `json:"groups_deleted"`
	// Slugs.
	GroupsHandedOver []string `json:"groups_handed_over"`
	// Whether it is not the only operator.
	Possible bool `json:"possible"`
	// Kept without an author, in channels of others.
	SharedBlocks int64 `json:"shared_blocks"`
}

// AdminDisk: free space of a disk.
type AdminDisk struct {
	FreeBytes  int64  `json:"free_bytes"`
	Path       string `json:"path"`
	TotalBytes int64  `json:"total_bytes"`
}

// AdminHidden: hidden content.
type AdminHidden struct {
	About     AdminSubject `json:"about"`
	CreatedAt time.Time    `json:"created_at"`
	ID        int64        `json:"id"`
	Owner     *string      `json:"owner"`
	OwnerID   *int64       `json:"owner_id"`
}

// AdminHiddenList: part of a list.
type AdminHiddenList struct {
	Data []AdminHidden `json:"data"`
	// For the next part; null at the end.
	NextCursor *string `json:"next_cursor"`
}

// AdminHideRequest is the body of AdminHide.
type AdminHideRequest struct {
	ID int64 `json:"id"`
	// Reasons for the owner.
	Text client.Optional[string] `json:"text,omitzero"`
	Type string                  `json:"type"`
}

// AdminInviteRequest is the body of AdminInvite.
type AdminInviteRequest struct {
	Again *bool  `json:"again,omitzero"`
	Days  *int64 `json:"days,omitzero"`
	Email string `json:"email"`
	// Id or slug of a group to join.
	Group client.Optional[string] `json:"group,omitzero"`
	Mail  bool                    `json:"mail"`
	Name  client.Optional[string] `json:"name,omitzero"`
	Slug  client.Optional[string] `json:"slug,omitzero"`
}

// AdminInvited is the result of inviting a person.
type AdminInvited struct {
	// Slug of the account that has the address.
	Account *string `json:"account"`
	// The link, if it was created and not mailed.
	Address      *string `json:"address"`
	InvitationID *int64  `json:"invitation_id"`
	Outcome      string  `json:"outcome"`
}

// AdminJob is a job.
type AdminJob struct {
	Args json.RawMessage `json:"args"`
	// When it ended, started its attempt, or is due.
	At          time.Time `json:"at"`
	Attempts    int64     `json:"attempts"`
	Error       *string   `json:"error"`
	ID          int64     `json:"id"`
	Kind        string    `json:"kind"`
	MaxAttempts int64     `json:"max_attempts"`
	Process     *string   `json:"process"`
	State       string    `json:"state"`
}

// AdminJobClass: jobs of a class.
type AdminJobClass struct {
	Failed      int64      `json:"failed"`
	Name        string     `json:"name"`
	OldestDueAt *time.Time `json:"oldest_due_at"`
	Running     int64      `json:"running"`
	Waiting     int64      `json:"waiting"`
}

// AdminJobList: part of a list.
type AdminJobList struct {
	Data []AdminJob `json:"data"`
	// For the next part; null at the end.
	NextCursor *string `json:"next_cursor"`
}

// AdminLink is a link for signing up.
type AdminLink struct {
	// Only in the response that creates it.
	Address   *string   `json:"address"`
	CreatedAt time.Time `json:"created_at"`
	// The only address that may use it.
	Email     *string   `json:"email"`
	ExpiresAt time.Time `json:"expires_at"`
	// Slug of the group to join.
	Group *string `json:"group"`
	ID    int64   `json:"id"`
	// Whether it can still be used.
	Live   bool    `json:"live"`
	Name   *string `json:"name"`
	Note   *string `json:"note"`
	Places int64   `json:"places"`
	Slug   *string `json:"slug"`
	Taken  int64   `json:"taken"`
	// Slugs of the accounts that used it.
	UsedBy []string `json:"used_by"`
}

// AdminLinkList: part of a list.
type AdminLinkList struct {
	Data []AdminLink `json:"data"`
	// For the next part; null at the end.
	NextCursor *string `json:"next_cursor"`
}

// AdminLook: reported or hidden content.
type AdminLook struct {
	About AdminSubject `json:"about"`
	// Of a channel, as in `/v3`.
	Contents []json.RawMessage `json:"contents"`
	Excerpt  string            `json:"excerpt"`
	HiddenID *int64            `json:"hidden_id"`
	// As in `/v3`.
	Item       json.RawMessage `json:"item"`
	NextCursor *string         `json:"next_cursor"`
	OwnerID    *int64          `json:"owner_id"`
}

// AdminPage is a page of the site.
type AdminPage struct {
	// Markdown; null in lists.
	Body      *string   `json:"body"`
	CreatedAt time.Time `json:"created_at"`
	Slug      string    `json:"slug"`
	Title     string    `json:"title"`
	UpdatedAt time.Time `json:"updated_at"`
	Version   int64     `json:"version"`
}

// AdminPageList: all pages.
type AdminPageList struct {
	Data []AdminPage `json:"data"`
}

// AdminReadOnly: whether the site is read-only.
type AdminReadOnly struct {
	ReadOnly bool       `json:"read_only"`
	Reason   *string    `json:"reason"`
	Since    *time.Time `json:"since"`
	// When it is expected to end.
	Until *time.Time `json:"until"`
}

// AdminReceipt is a receipt with the number of its account.
type AdminReceipt struct {
	AccountID int64   `json:"account_id"`
	ID        int64   `json:"id"`
	Receipt   Receipt `json:"receipt"`
}

// AdminReceiptList: part of the receipts.
type AdminReceiptList struct {
	Data       []AdminReceipt `json:"data"`
	NextCursor *string        `json:"next_cursor"`
}

// AdminReport is a report.
type AdminReport struct {
	About    AdminSubject `json:"about"`
	ClosedAt *time.Time   `json:"closed_at"`
	// A slug; null for the command line.
	ClosedBy *string   `json:"closed_by"`
	ID       int64     `json:"id"`
	LastAt   time.Time `json:"last_at"`
	OpenedAt time.Time `json:"opened_at"`
	Outcome  *string   `json:"outcome"`
	// Their slug.
	Owner *string `json:"owner"`
	// The person responsible for it.
	OwnerID *int64 `json:"owner_id"`
	Reports int64  `json:"reports"`
	// The message to the owner.
	Text *string `json:"text"`
}

// AdminReportDetails is a report with details.
type AdminReportDetails struct {
	Entries []AdminReportEntry `json:"entries"`
	// Of the content as it is now; null if it was deleted.
	Excerpt *string `json:"excerpt"`
	// Of the entry in the list of hidden content.
	HiddenID   *int64      `json:"hidden_id"`
	NextCursor *string     `json:"next_cursor"`
	Report     AdminReport `json:"report"`
}

// AdminReportEntry: one person's report.
type AdminReportEntry struct {
	CreatedAt  time.Time `json:"created_at"`
	ID         int64     `json:"id"`
	Reason     string    `json:"reason"`
	Reporter   *string   `json:"reporter"`
	ReporterID *int64    `json:"reporter_id"`
	Text       string    `json:"text"`
}

// AdminReportList: part of a list.
type AdminReportList struct {
	Data []AdminReport `json:"data"`
	// For the next part; null at the end.
	NextCursor *string `json:"next_cursor"`
}

// AdminResetPasswordRequest is the body of AdminResetPassword.
type AdminResetPasswordRequest struct {
	Mail bool `json:"mail"`
}

// AdminRetryJobRequest is the body of AdminRetryJob.
type AdminRetryJobRequest struct {
	Force bool `json:"force"`
}

// AdminSavePageRequest is the body of AdminSavePage.
type AdminSavePageRequest struct {
	// Markdown.
	Body  string `json:"body"`
	Seen  *int64 `json:"seen,omitzero"`
	Title string `json:"title"`
}

// AdminServer is the state of the server.
type AdminServer struct {
	Blocks         int64           `json:"blocks"`
	Channels       int64           `json:"channels"`
	Connections    int64           `json:"connections"`
	CountedAt      time.Time       `json:"counted_at"`
	Database       string          `json:"database"`
	Disks          []AdminDisk     `json:"disks"`
	FailedBackupAt *time.Time      `json:"failed_backup_at"`
	Groups         int64           `json:"groups"`
	Jobs           []AdminJobClass `json:"jobs"`
	LastBackupAt   *time.Time      `json:"last_backup_at"`
	MailError      *string         `json:"mail_error"`
	MailSentAt     *time.Time      `json:"mail_sent_at"`
	StoredBytes    int64           `json:"stored_bytes"`
	Users          int64           `json:"users"`
	Version        string          `json:"version"`
}

// AdminSetEmailRequest is the body of AdminSetEmail.
type AdminSetEmailRequest struct {
	Email string `json:"email"`
}

// AdminSetPasswordRequest is the body of AdminSetPassword.
type AdminSetPasswordRequest struct {
	// 8 to 200 bytes.
	Password string `json:"password"`
}

// AdminSetSignUpRequest is the body of AdminSetSignUp.
type AdminSetSignUpRequest struct {
	Mode string `json:"mode"`
}

// AdminSignOutRequest is the body of AdminSignOut.
type AdminSignOutRequest struct {
	Tokens bool `json:"tokens"`
}

// AdminSite: settings of the site.
type AdminSite struct {
	// Markdown.
	About *string `json:"about"`
	// When the announcement disappears.
	AnnouncedUntil *time.Time `json:"announced_until"`
	// Markdown.
	Announcement *string `json:"announcement"`
	// Ids of channels.
	Featured []int64 `json:"featured"`
	Name     string  `json:"name"`
	// That of the announcement.
	Severity string `json:"severity"`
	SignUp   string `json:"sign_up"`
	// Whether a setting of the server fixes it.
	SignUpFixed bool      `json:"sign_up_fixed"`
	UpdatedAt   time.Time `json:"updated_at"`
	Version     int64     `json:"version"`
}

// AdminStorage is the storage of an account.
type AdminStorage struct {
	Blocks int64 `json:"blocks"`
	ID     int64 `json:"id"`
	// 0 is unlimited.
	QuotaBytes  int64  `json:"quota_bytes"`
	Slug        string `json:"slug"`
	StoredBytes int64  `json:"stored_bytes"`
}

// AdminStorageList: part of a list.
type AdminStorageList struct {
	Data []AdminStorage `json:"data"`
	// For the next part; null at the end.
	NextCursor *string `json:"next_cursor"`
}

// AdminSubject: what something is about.
type AdminSubject struct {
	ID    int64  `json:"id"`
	Label string `json:"label"`
	Type  string `json:"type"`
}

// AdminToken is a personal access token without its secret.
type AdminToken struct {
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"`
	// Its first characters.
	Hint       string     `json:"hint"`
	ID         int64      `json:"id"`
	LastUsedAt *time.Time `json:"last_used_at"`
	Name       string     `json:"name"`
	RevokedAt  *time.Time `json:"revoked_at"`
	// Its scopes, separated by spaces.
	Scope string `json:"scope"`
}

// AdminTokenList: part of a list.
type AdminTokenList struct {
	Data []AdminToken `json:"data"`
	// For the next part; null at the end.
	NextCursor *string `json:"next_cursor"`
}

// AdminUpdateAccountRequest is the body of AdminUpdateAccount.
type AdminUpdateAccountRequest struct {
	// Also hide everything that the suspended account created, until the suspension is lifted.
	Hide      *bool   `json:"hide,omitzero"`
	Role      *string `json:"role,omitzero"`
	Suspended *bool   `json:"suspended,omitzero"`
	Tier      *string `json:"tier,omitzero"`
}

// AdminUpdateSiteRequest is the body of AdminUpdateSite.
type AdminUpdateSiteRequest struct {
	// Markdown.
	About client.Optional[string] `json:"about,omitzero"`
	// Slugs of channels on the start page, in order.
	Featured []string `json:"featured,omitzero"`
	Name     *string  `json:"name,omitzero"`
	// The key or address of one of your uploads.
	Picture client.Optional[string] `json:"picture,omitzero"`
	Seen    *int64                  `json:"seen,omitzero"`
}

// Annotation is a highlight in the W3C's Web Annotation Data Model. Positions count characters of Unicode.
type Annotation struct {
	Context    *string          `json:"@context,omitzero"`
	Body       *AnnotationBody  `json:"body,omitzero"`
	Created    time.Time        `json:"created"`
	ID         string           `json:"id"`
	Modified   time.Time        `json:"modified"`
	Motivation string           `json:"motivation"`
	Target     AnnotationTarget `json:"target"`
	Type       string           `json:"type"`
}

// AnnotationBody is a part of requests and responses.
type AnnotationBody struct {
	Format  string `json:"format"`
	Purpose string `json:"purpose"`
	Type    string `json:"type"`
	Value   string `json:"value"`
}

// AnnotationNote is the note about a highlight, as plain text of at most 5,000 characters.
type AnnotationNote struct {
	Type  *string `json:"type,omitzero"`
	Value string  `json:"value"`
}

// AnnotationPage is a page of annotations.
type AnnotationPage struct {
	Context    string               `json:"@context"`
	ID         string               `json:"id"`
	Items      []Annotation         `json:"items"`
	Next       *string              `json:"next,omitzero"`
	PartOf     AnnotationPagePartOf `json:"partOf"`
	Prev       *string              `json:"prev,omitzero"`
	StartIndex int64                `json:"startIndex"`
	Type       string               `json:"type"`
}

// AnnotationPagePartOf is a part of requests and responses.
type AnnotationPagePartOf struct {
	ID    string `json:"id"`
	Total int64  `json:"total"`
	Type  string `json:"type"`
}

// AnnotationTarget is a part of requests and responses.
type AnnotationTarget struct {
	Selector []TextSelector `json:"selector"`
	// The address of the block's page.
	Source string `json:"source"`
}

// BlockProcessing is the processing state of a block.
type BlockProcessing struct {
	// The number of attempts so far.
	Attempts int64 `json:"attempts"`
	// Why the last attempt failed.
	Reason    *string   `json:"reason"`
	State     string    `json:"state"`
	UpdatedAt time.Time `json:"updated_at"`
}

// BulkOperation is a request.
type BulkOperation struct {
	// The body, if the request has one.
	Body any `json:"body,omitzero"`
	// As the header `If-Match`.
	IfMatch *string `json:"if_match,omitzero"`
	Method  string  `json:"method"`
	// From the root of the API, such as `/v3/blocks`.
	Path string `json:"path"`
}

// BulkResults is the results of operations, in their order.
type BulkResults struct {
	// False if `atomic` was given and an operation failed, so nothing has changed.
	Committed bool                `json:"committed"`
	Results   []BulkResultsResult `json:"results"`
}

// BulkResultsResult is a part of requests and responses.
type BulkResultsResult struct {
	// The response, or the error. Absent if the response has no body.
	Body json.RawMessage `json:"body,omitzero"`
	// The status of the response.
	Status int64 `json:"status"`
}

// ByteUsage is the number of bytes used, and the limit.
type ByteUsage struct {
	Bytes int64  `json:"bytes"`
	Limit *int64 `json:"limit"`
}

// Change is a change of one thing.
type Change struct {
	// Id of the user who created, connected or followed it; null otherwise.
	ActorID *int64    `json:"actor_id"`
	At      time.Time `json:"at"`
	// The channel of a connection.
	ChannelID *int64 `json:"channel_id"`
	// Continues after this change.
	Cursor string `json:"cursor"`
	// The fields that changed, if they are known.
	Fields []string `json:"fields"`
	// Id of the thing.
	ID int64 `json:"id"`
	// The item of a connection, the block of a comment, or the user who joined or left a group.
	Item *ChangeItem `json:"item"`
	// What happened, as the viewer sees it: a thing that is now hidden from them is `deleted`, and one that they
	// can now see is `created`. `moved` is about the place of a connection, or the order of all contents of a
	// channel. `joined` and `left` are about the member `item` of a group; only its members get them.
	Kind string `json:"kind"`
	Type string `json:"type"`
}

// ChangeItem is a thing that a change refers to.
type ChangeItem struct {
	ID   int64  `json:"id"`
	Type string `json:"type"`
}

// ChangeList is a page of changes.
type ChangeList struct {
	// Continues after this page.
	Cursor string   `json:"cursor"`
	Data   []Change `json:"data"`
	// Whether to request the next page at once.
	More bool `json:"more"`
}

// ChannelChoice is the parts of a channel that are needed to choose it.
type ChannelChoice struct {
	ID int64 `json:"id"`
	// The name of the user or group that owns it.
	Owner      string `json:"owner"`
	Slug       string `json:"slug"`
	Title      string `json:"title"`
	Type       string `json:"type"`
	Visibility string `json:"visibility"`
	// The address of its page on the website.
	WebURL string `json:"web_url"`
}

// ChannelChoiceList: channels to which the viewer may add.
type ChannelChoiceList struct {
	Data []ChannelChoice `json:"data"`
}

// ChannelFeed is the subscription of a channel to a feed.
type ChannelFeed struct {
	CheckedAt *time.Time `json:"checked_at"`
	CreatedAt time.Time  `json:"created_at"`
	// Number of checks that have failed since the last one that succeeded.
	Failures    int64      `json:"failures"`
	ID          int64      `json:"id"`
	NextCheckAt *time.Time `json:"next_check_at"`
	// Why the last check failed, in words.
	Problem *string `json:"problem"`
	// `waiting` before the first check; `stopped` if it is no longer checked.
	State       string     `json:"state"`
	SucceededAt *time.Time `json:"succeeded_at"`
	// The name that the feed gives itself; null before it is read.
	Title *string      `json:"title"`
	URL   string       `json:"url"`
	User  EmbeddedUser `json:"user"`
}

// ChannelFeedList is the feeds to which a channel is subscribed.
type ChannelFeedList struct {
	Data []ChannelFeed `json:"data"`
}

// Collaborator is a user or group who may add to a channel.
type Collaborator struct {
	Type          string // of the variant
	EmbeddedUser  *EmbeddedUser
	EmbeddedGroup *EmbeddedGroup
}

// UnmarshalJSON decodes the variant that the field "type" names. A variant of a later version sets only Type.
func (u *Collaborator) UnmarshalJSON(data []byte) (err error) {
	if u.Type, err = rest.TypeOf(data); err != nil {
		return err
	}
	switch u.Type {
	case "User":
		return json.Unmarshal(data, &u.EmbeddedUser)
	case "Group":
		return json.Unmarshal(data, &u.EmbeddedGroup)
	}
	return nil
}

// MarshalJSON encodes the variant.
func (u Collaborator) MarshalJSON() ([]byte, error) {
	switch {
	case u.EmbeddedUser != nil:
		return json.Marshal(u.EmbeddedUser)
	case u.EmbeddedGroup != nil:
		return json.Marshal(u.EmbeddedGroup)
	}
	return []byte("null"), nil
}

// CollaboratorList is the collaborators of a channel.
type CollaboratorList struct {
	Data []Collaborator `json:"data"`
}

// Comment is a comment on a block, as in `/v3`, with the address of the page.
type Comment struct {
	Links     map[string]Link `json:"_links"`
	Body      Markdown        `json:"body"`
	CreatedAt time.Time       `json:"created_at"`
	ID        int64           `json:"id"`
	Type      string          `json:"type"`
	UpdatedAt time.Time       `json:"updated_at"`
	User      EmbeddedUser    `json:"user"`
	// The address of its block's page on the website.
	WebURL string `json:"web_url"`
}

// CreateHighlightRequest is the body of CreateHighlight.
type CreateHighlightRequest struct {
	Body   *AnnotationNote              `json:"body,omitzero"`
	Target CreateHighlightRequestTarget `json:"target"`
}

// CreateHighlightRequestTarget is a part of requests and responses.
type CreateHighlightRequestTarget struct {
	Selector []TextSelector `json:"selector"`
}

// CreateReportRequest is the body of CreateReport.
type CreateReportRequest struct {
	ID     int64  `json:"id"`
	Reason string `json:"reason"`
	// A short description of the problem; required if the reason is `other`.
	Text client.Optional[string] `json:"text,omitzero"`
	Type string                  `json:"type"`
}

// CreateWebhookRequest is the body of CreateWebhook.
type CreateWebhookRequest struct {
	// Whether it is on.
	Active *bool `json:"active,omitzero"`
	// Only changes of this channel and its contents are sent; null for all.
	ChannelID client.Optional[int64] `json:"channel_id,omitzero"`
	// The types of events to send; empty for all.
	Events []WebhookEvent `json:"events,omitzero"`
	// A name of your choice, shown in Settings.
	Name    client.Optional[string] `json:"name,omitzero"`
	Payload *WebhookPayload         `json:"payload,omitzero"`
	// An http or https address. It must be public, unless the operator allows its host.
	URL string `json:"url"`
}

// EmbeddedGroup is a group inside another resource, as in `/v3`, with the address of the page.
type EmbeddedGroup struct {
	Avatar   *string `json:"avatar"`
	ID       int64   `json:"id"`
	Initials string  `json:"initials"`
	Name     string  `json:"name"`
	Slug     string  `json:"slug"`
	Type     string  `json:"type"`
	// The address of its page on the website.
	WebURL string `json:"web_url"`
}

// EmbeddedUser is a user inside another resource, as in `/v3`, with the address of the page.
type EmbeddedUser struct {
	Avatar   *string `json:"avatar"`
	ID       int64   `json:"id"`
	Initials string  `json:"initials"`
	Name     string  `json:"name"`
	Slug     string  `json:"slug"`
	Type     string  `json:"type"`
	// The address of its page on the website.
	WebURL string `json:"web_url"`
}

// Export is an archive of a user's content.
type Export struct {
	Links map[string]Link `json:"_links"`
	// Counts of the contents so far.
	Counts    ExportCounts `json:"counts"`
	CreatedAt time.Time    `json:"created_at"`
	EndedAt   *time.Time   `json:"ended_at"`
	// The time at which it will be removed.
	ExpiresAt time.Time `json:"expires_at"`
	// The address to download it from, with a token; null until it is done.
	FileURL *string `json:"file_url"`
	ID      int64   `json:"id"`
	// The number of items of channels, in all and finished.
	Progress ExportProgress `json:"progress"`
	// The size of the archive in bytes; 0 until it is done.
	Size   int64  `json:"size"`
	State  string `json:"state"`
	Type   string `json:"type"`
	WebURL string `json:"web_url"`
}

// ExportCounts: counts of the contents so far.
type ExportCounts struct {
	Blocks int64 `json:"blocks"`
	// The size of the files.
	Bytes    int64 `json:"bytes"`
	Channels int64 `json:"channels"`
	Files    int64 `json:"files"`
	// The number of items that could not be read; the archive lists them in `json/left-out.jsonl`.
	LeftOut int64 `json:"left_out"`
}

// ExportList is a part of requests and responses.
type ExportList struct {
	Data []Export `json:"data"`
}

// ExportProgress is the number of items of channels, in all and finished.
type ExportProgress struct {
	Items     int64 `json:"items"`
	ItemsDone int64 `json:"items_done"`
}

// FileMetadata: whether the files of a block show their metadata.
type FileMetadata struct {
	// Whether the author chose to show the metadata to everyone.
	Keep bool `json:"keep"`
	// The file that other people get. `removed`: the file without its metadata. `none`: the original file, because
	// it has no metadata. `kept`: the original file with its metadata, because its author or the operator of the
	// server chose this. `irremovable`: the metadata cannot be removed, because the file is damaged or is a
	// camera's raw file; others get the largest resized version of an image, and 404 for other files. `pending`:
	// not examined yet; the file is examined when it is requested.
	State string `json:"state"`
}

// FollowState: whether the signed-in user follows something.
type FollowState struct {
	Following bool `json:"following"`
}

// FoundList is a page of results, each as `GET /v3/search` shows it, with the address of its page as
// `web_url`.
type FoundList struct {
	Data []Item   `json:"data"`
	Meta PageMeta `json:"meta"`
}

// Import is an import of a collection. `channels` and `left_out` are only present if a single import is read.
type Import struct {
	Links map[string]Link `json:"_links"`
	// The address of the server.
	Address   *string         `json:"address"`
	Channels  []ImportChannel `json:"channels,omitzero"`
	Counts    ImportCounts    `json:"counts"`
	CreatedAt time.Time       `json:"created_at"`
	// The character encoding in which the file was read; only if a single import is read.
	Encoding *string    `json:"encoding,omitzero"`
	EndedAt  *time.Time `json:"ended_at"`
	// The name of the file.
	File *string `json:"file"`
	// The recognized format of the file, such as `Pocket`; only if a single import is read.
	Format *string `json:"format,omitzero"`
	ID     int64   `json:"id"`
	// Whether the import also adds to channels that everyone can see, even if it or its source asks for private
	// channels.
	IntoVisible bool            `json:"into_visible"`
	LeftOut     []ImportLeftOut `json:"left_out,omitzero"`
	Progress    ImportProgress  `json:"progress"`
	// Why the import failed.
	Reason    *string    `json:"reason"`
	Source    string     `json:"source"`
	StartedAt *time.Time `json:"started_at"`
	// `choosing`: started on the website, where the user still has to choose the channels.
	State string `json:"state"`
	// A report of the import in English that names the first skipped items, once it has ended; only if a single
	// import is read.
	Summary *string `json:"summary,omitzero"`
	Type    string  `json:"type"`
	// Visibility of the channels that the import creates, unless the source defines one.
	Visibility string `json:"visibility"`
	// The address of its page on the website.
	WebURL string   `json:"web_url"`
	What   []string `json:"what"`
}

// ImportChannel is a channel of an import.
type ImportChannel struct {
	Counts ImportCounts `json:"counts"`
	// The name of the channel at its source.
	Name  string `json:"name"`
	State string `json:"state"`
	Title string `json:"title"`
}

// ImportCounts: counts of the items that an import created or found.
type ImportCounts struct {
	Blocks int64 `json:"blocks"`
	// The size of the files.
	Bytes int64 `json:"bytes"`
	// Items that existed here and were updated from the source.
	Changed     int64 `json:"changed"`
	Channels    int64 `json:"channels"`
	Comments    int64 `json:"comments"`
	Connections int64 `json:"connections"`
	Files       int64 `json:"files"`
	// Items that could not be imported.
	LeftOut int64 `json:"left_out"`
	// Items whose position in their channel changed.
	Moved int64 `json:"moved"`
	// Items that already existed here.
	Unchanged int64 `json:"unchanged"`
}

// ImportLeftOut is an item that could not be imported.
type ImportLeftOut struct {
	What string `json:"what"`
	// The address of the item, or its line in the file.
	Where string `json:"where"`
	Why   string `json:"why"`
}

// ImportList is a page of imports.
type ImportList struct {
	Data []Import `json:"data"`
	Meta PageMeta `json:"meta"`
}

// ImportProgress is the progress of an import.
type ImportProgress struct {
	// The number of channels to import, as far as it is known; a file counts as one.
	Channels     int64 `json:"channels"`
	ChannelsDone int64 `json:"channels_done"`
	// The number of items to import, as far as it is known.
	Items     int64 `json:"items"`
	ItemsDone int64 `json:"items_done"`
}

// ItemList is a page of blocks and channels, each as `GET /v3/channels/{id}/contents` shows it, with the
// address of its page as `web_url`.
type ItemList struct {
	Data []Item   `json:"data"`
	Meta PageMeta `json:"meta"`
}

// Link is a part of requests and responses.
type Link struct {
	Href string `json:"href"`
}

// ListedTextVersion is a version of the texts of a block, channel, group or profile, without the texts.
type ListedTextVersion struct {
	// When the user last changed it.
	At time.Time `json:"at"`
	// Whether this is the current version.
	Current bool         `json:"current"`
	Number  int64        `json:"number"`
	User    EmbeddedUser `json:"user"`
}

// Markdown is a text in three forms.
type Markdown struct {
	HTML     string `json:"html"`
	Markdown string `json:"markdown"`
	Plain    string `json:"plain"`
}

// PageMeta is the position of a page in its list.
type PageMeta struct {
	CurrentPage  int64  `json:"current_page"`
	HasMorePages bool   `json:"has_more_pages"`
	NextPage     *int64 `json:"next_page"`
	PerPage      int64  `json:"per_page"`
	PrevPage     *int64 `json:"prev_page"`
	TotalCount   int64  `json:"total_count"`
	TotalPages   int64  `json:"total_pages"`
}

// PartOfList: part of a list. The items have the fields of `/v3`, and blocks, channels, users, groups and
// comments also `web_url`.
type PartOfList struct {
	Data []Item `json:"data"`
	// Continues after this part; null at the end.
	NextCursor *string `json:"next_cursor"`
}

// Profile is the profile of the signed-in user.
type Profile struct {
	Links     map[string]Link `json:"_links"`
	Avatar    *string         `json:"avatar"`
	Bio       *Markdown       `json:"bio"`
	ID        int64           `json:"id"`
	Name      string          `json:"name"`
	Slug      string          `json:"slug"`
	Type      string          `json:"type"`
	UpdatedAt time.Time       `json:"updated_at"`
	// The address of its page on the website.
	WebURL string `json:"web_url"`
}

// Receipt is a confirmation of an export or an erasure.
type Receipt struct {
	AskedAt time.Time `json:"asked_at"`
	// Whether an operator did it for the person.
	ByOperator bool   `json:"by_operator"`
	Code       string `json:"code"`
	// Counts of the exported or erased things, such as `channels` and `blocks`.
	Counts json.RawMessage `json:"counts"`
	// Null while the rest is being erased.
	DoneAt *time.Time `json:"done_at"`
	Kind   string     `json:"kind"`
}

// RunBulkRequest is the body of RunBulk.
type RunBulkRequest struct {
	// Whether to commit all operations or none.
	Atomic     *bool           `json:"atomic,omitzero"`
	Operations []BulkOperation `json:"operations"`
}

// SavedBlock is a block of a page, and the channels that contain it.
type SavedBlock struct {
	Channels  []SavedChannel `json:"channels"`
	CreatedAt time.Time      `json:"created_at"`
	ID        int64          `json:"id"`
	// Whether the viewer created it, and so may change and delete it.
	Own   bool    `json:"own"`
	Title *string `json:"title"`
	Type  string  `json:"type"`
	// The address of its page on the website.
	WebURL string `json:"web_url"`
}

// SavedChannel is a channel that contains a block.
type SavedChannel struct {
	Channel ChannelChoice `json:"channel"`
	// Whether the viewer may remove the block from the channel.
	Removable bool `json:"removable"`
}

// SavedList is the blocks of a page.
type SavedList struct {
	Data []SavedBlock `json:"data"`
}

// SetBlockFileMetadataRequest is the body of SetBlockFileMetadata.
type SetBlockFileMetadataRequest struct {
	Keep bool `json:"keep"`
}

// SetBlockSnapshotPolicyRequest is the body of SetBlockSnapshotPolicy.
type SetBlockSnapshotPolicyRequest struct {
	Policy string `json:"policy"`
}

// SetChannelSnapshotPolicyRequest is the body of SetChannelSnapshotPolicy.
type SetChannelSnapshotPolicyRequest struct {
	Policy string `json:"policy"`
}

// ShareSnapshotRequest is the body of ShareSnapshot.
type ShareSnapshotRequest struct {
	Shared bool `json:"shared"`
}

// Site is the name and texts of a site.
type Site struct {
	Announcement *Markdown `json:"announcement"`
	Description  *Markdown `json:"description"`
	// Whether people who are not signed in can see anything.
	Guests  string  `json:"guests"`
	Name    string  `json:"name"`
	Picture *string `json:"picture"`
	// The address of the website.
	WebURL string `json:"web_url"`
}

// Snapshot is a saved copy of the page of a block.
type Snapshot struct {
	BlockID   int64     `json:"block_id"`
	CreatedAt time.Time `json:"created_at"`
	ID        int64     `json:"id"`
	Kind      string    `json:"kind"`
	// These parts, at most 100. Lists of copies omit them.
	Missing []SnapshotMissing `json:"missing,omitzero"`
	// The number of parts of the page that the copy lacks. Only known for copies by this server.
	MissingCount int64 `json:"missing_count"`
	// Whether everyone who sees the block sees the copy.
	Shared bool `json:"shared"`
	// In bytes.
	Size int64 `json:"size"`
	// Whether the browser of the block's author or this server took it, or whether it shows the mail that the
	// block came by, with its images.
	Source  string    `json:"source"`
	TakenAt time.Time `json:"taken_at"`
	Title   string    `json:"title"`
	Type    string    `json:"type"`
	// Address of the page.
	URL string `json:"url"`
	// The address at which the website shows the copy.
	WebURL string `json:"web_url"`
}

// SnapshotList: saved copies of a page.
type SnapshotList struct {
	Data []Snapshot `json:"data"`
}

// SnapshotMissing is a part of requests and responses.
type SnapshotMissing struct {
	Reason string `json:"reason"`
	// Address of the part; long ones are shortened.
	URL string `json:"url"`
}

// SnapshotPolicy: when the server copies pages.
type SnapshotPolicy struct {
	// The policy that applies. A `never` of the operator always does.
	Effective string `json:"effective"`
	Policy    string `json:"policy"`
	Type      string `json:"type"`
}

// SnapshotRequest is a copy that the server is taking or failed to take.
type SnapshotRequest struct {
	// The number of attempts so far.
	Attempts int64 `json:"attempts"`
	// Why the last attempt failed.
	Reason    *string   `json:"reason"`
	State     string    `json:"state"`
	UpdatedAt time.Time `json:"updated_at"`
}

// StartImportRequest is the body of StartImport.
type StartImportRequest struct {
	// The address of the server.
	Address client.Optional[string] `json:"address,omitzero"`
	// Character encoding of the file, by a name that browsers accept, such as `shift_jis` or `windows-1251`; by
	// default it is detected.
	Encoding client.Optional[string] `json:"encoding,omitzero"`
	// Also add to channels that everyone can see, even if the import or its source asks for private channels;
	// `false` by default.
	IntoVisible *bool  `json:"into_visible,omitzero"`
	Source      string `json:"source"`
	// The token for the server; without one, only content that guests can see there is imported.
	Token client.Optional[string] `json:"token,omitzero"`
	// The key or address of one of your uploads.
	UploadKey client.Optional[string] `json:"upload_key,omitzero"`
	// Visibility of the channels that the import creates, unless the source defines one; `private` by default.
	Visibility *string  `json:"visibility,omitzero"`
	What       []string `json:"what,omitzero"`
}

// TextSelector is a selector of a passage by its words or by its characters. The first selector by words
// counts.
type TextSelector struct {
	End    *int64                  `json:"end,omitzero"`
	Exact  client.Optional[string] `json:"exact,omitzero"`
	Prefix client.Optional[string] `json:"prefix,omitzero"`
	Start  *int64                  `json:"start,omitzero"`
	Suffix client.Optional[string] `json:"suffix,omitzero"`
	Type   string                  `json:"type"`
}

// TextVersion is a version of the texts of a block, channel, group or profile. Texts that the thing lacks are
// null.
type TextVersion struct {
	AltText *string `json:"alt_text"`
	// When the user last changed it.
	At time.Time `json:"at"`
	// Markdown, of a Text block.
	Content *string `json:"content"`
	// Whether this is the current version.
	Current bool `json:"current"`
	// Markdown. The biography of a profile.
	Description *string `json:"description"`
	Number      int64   `json:"number"`
	// The name of a group or profile.
	Title *string      `json:"title"`
	User  EmbeddedUser `json:"user"`
}

// TextVersionList is the versions of the texts of a block, channel, group or profile, without the texts.
type TextVersionList struct {
	Data []ListedTextVersion `json:"data"`
}

// UpdateCommentRequest is the body of UpdateComment.
type UpdateCommentRequest struct {
	Body string `json:"body"`
}

// UpdateHighlightRequest is the body of UpdateHighlight.
type UpdateHighlightRequest struct {
	Body *AnnotationNote `json:"body,omitzero"`
}

// UpdateMeRequest is the body of UpdateMe.
type UpdateMeRequest struct {
	// Address of a picture, or an upload as in the `value` of a block; null or an empty text clears it. The
	// picture is shown once it has been fetched.
	AvatarURL client.Optional[string] `json:"avatar_url,omitzero"`
	// Markdown; null or an empty text clears it.
	Bio  client.Optional[string] `json:"bio,omitzero"`
	Name *string                 `json:"name,omitzero"`
}

// UpdateWebhookRequest is the body of UpdateWebhook.
type UpdateWebhookRequest struct {
	// Whether it is on.
	Active *bool `json:"active,omitzero"`
	// Only changes of this channel and its contents are sent; null for all.
	ChannelID client.Optional[int64] `json:"channel_id,omitzero"`
	// The types of events to send; empty for all.
	Events []WebhookEvent `json:"events,omitzero"`
	// A name of your choice, shown in Settings.
	Name    client.Optional[string] `json:"name,omitzero"`
	Payload *WebhookPayload         `json:"payload,omitzero"`
	// An http or https address. It must be public, unless the operator allows its host.
	URL *string `json:"url,omitzero"`
}

// Usage is the storage use and quota of a user.
type Usage struct {
	// Bytes of block files and pictures; part of `total`.
	Files     int64     `json:"files"`
	Snapshots ByteUsage `json:"snapshots"`
	// Bytes of texts; part of `total`. Each byte of UTF-8 counts twice, to account for the search index.
	Texts   int64        `json:"texts"`
	Total   ByteUsage    `json:"total"`
	Unused  ByteUsage    `json:"unused"`
	Uploads UsageUploads `json:"uploads"`
}

// UsageUploads is a part of requests and responses.
type UsageUploads struct {
	// How many can be sent at the same time; others have to wait.
	AtOnce int64 `json:"at_once"`
	// The maximum number of open uploads.
	Limit int64 `json:"limit"`
	// The maximum size of a file, in bytes.
	MaxBytes int64 `json:"max_bytes"`
	// The number of uploads, complete or not, from which blocks can still be created.
	Open int64 `json:"open"`
}

// Webhook is an address to which changes are sent.
type Webhook struct {
	Active bool `json:"active"`
	// The OAuth application that created it.
	ApplicationID *int64 `json:"application_id"`
	// Only changes of this channel and its contents are sent.
	ChannelID *int64    `json:"channel_id"`
	CreatedAt time.Time `json:"created_at"`
	// The types of events to send; empty for all.
	Events []WebhookEvent `json:"events"`
	// The first failed attempt since the last success.
	FailingSince *time.Time `json:"failing_since"`
	ID           int64      `json:"id"`
	Name         string     `json:"name"`
	// Until when the former secret also signs.
	OldSecretUntil *time.Time     `json:"old_secret_until"`
	Payload        WebhookPayload `json:"payload"`
	// Only in the responses that create or replace it.
	Secret *string `json:"secret"`
	// Why it is off. `gone`: the receiver responded 410. `failing`: no attempt succeeded for three days.
	// `restored`: a backup of the site was restored. `no-grant`: the application may no longer act for you.
	Stopped     *string    `json:"stopped"`
	SucceededAt *time.Time `json:"succeeded_at"`
	UpdatedAt   time.Time  `json:"updated_at"`
	URL         string     `json:"url"`
}

// WebhookDelivery is an event that is, or was, sent to a webhook.
type WebhookDelivery struct {
	AttemptedAt *time.Time `json:"attempted_at"`
	Attempts    int64      `json:"attempts"`
	CreatedAt   time.Time  `json:"created_at"`
	ID          int64      `json:"id"`
	// The `webhook-id`, the same in each attempt.
	MessageID     string     `json:"message_id"`
	NextAttemptAt *time.Time `json:"next_attempt_at"`
	// Why the last attempt failed.
	Problem *string `json:"problem"`
	// The beginning of the last response, 1 KiB at most.
	Response *string `json:"response"`
	// `skipped`: you may not see it any more.
	State string `json:"state"`
	// The status of the last response.
	Status *int64 `json:"status"`
	TookMs *int64 `json:"took_ms"`
	// The type of the event, or `ping`.
	Type string `json:"type"`
}

// WebhookDeliveryList is a part of requests and responses.
type WebhookDeliveryList struct {
	Data []WebhookDelivery `json:"data"`
	// Whether there are older ones.
	More bool `json:"more"`
}

// WebhookEvent is the type of an event, after the type and the kind of a change.
type WebhookEvent string

// The values of WebhookEvent.
const (
	WebhookEventBlockCreated           WebhookEvent = "block.created"
	WebhookEventBlockUpdated           WebhookEvent = "block.updated"
	WebhookEventBlockDeleted           WebhookEvent = "block.deleted"
	WebhookEventChannelCreated         WebhookEvent = "channel.created"
	WebhookEventChannelUpdated         WebhookEvent = "channel.updated"
	WebhookEventChannelDeleted         WebhookEvent = "channel.deleted"
	WebhookEventChannelMoved           WebhookEvent = "channel.moved"
	WebhookEventChannelFollowed        WebhookEvent = "channel.followed"
	WebhookEventChannelUnfollowed      WebhookEvent = "channel.unfollowed"
	WebhookEventCommentCreated         WebhookEvent = "comment.created"
	WebhookEventCommentUpdated         WebhookEvent = "comment.updated"
	WebhookEventCommentDeleted         WebhookEvent = "comment.deleted"
	WebhookEventConnectionConnected    WebhookEvent = "connection.connected"
	WebhookEventConnectionDisconnected WebhookEvent = "connection.disconnected"
	WebhookEventConnectionMoved        WebhookEvent = "connection.moved"
	WebhookEventConnectionUpdated      WebhookEvent = "connection.updated"
	WebhookEventGroupCreated           WebhookEvent = "group.created"
	WebhookEventGroupUpdated           WebhookEvent = "group.updated"
	WebhookEventGroupDeleted           WebhookEvent = "group.deleted"
	WebhookEventGroupJoined            WebhookEvent = "group.joined"
	WebhookEventGroupLeft              WebhookEvent = "group.left"
	WebhookEventGroupFollowed          WebhookEvent = "group.followed"
	WebhookEventGroupUnfollowed        WebhookEvent = "group.unfollowed"
	WebhookEventUserCreated            WebhookEvent = "user.created"
	WebhookEventUserUpdated            WebhookEvent = "user.updated"
	WebhookEventUserDeleted            WebhookEvent = "user.deleted"
	WebhookEventUserFollowed           WebhookEvent = "user.followed"
	WebhookEventUserUnfollowed         WebhookEvent = "user.unfollowed"
)

// WebhookList is a part of requests and responses.
type WebhookList struct {
	Data []Webhook `json:"data"`
}

// WebhookPayload: what events contain, `thin` for what changed, or `full` for the thing as it is now as well.
type WebhookPayload string

// The values of WebhookPayload.
const (
	WebhookPayloadThin WebhookPayload = "thin"
	WebhookPayloadFull WebhookPayload = "full"
)

// AddChannelFeed: subscribe a channel to a feed
func (c *Client) AddChannelFeed(ctx context.Context, id client.Ref, body *AddChannelFeedRequest) (*ChannelFeed, error) {
	var out ChannelFeed
	if err := c.call(ctx, http.MethodPost, "/ext/v1/channels/%v/feeds", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AddCollaborator: add a collaborator to a channel
func (c *Client) AddCollaborator(ctx context.Context, id client.Ref, body *AddCollaboratorRequest) (*Collaborator, error) {
	var out Collaborator
	if err := c.call(ctx, http.MethodPost, "/ext/v1/channels/%v/collaborators", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AddSnapshotParams are the parameters of AddSnapshot. Zero values are not sent.
type AddSnapshotParams struct {
	// Title of the page; by default that in the page.
	Title string `query:"title"`
	// Address of the page; by default that of the block.
	URL string `query:"url"`
	// When the copy was taken; by default now.
	TakenAt time.Time `query:"taken_at"`
	// Whether everyone who sees the block sees the copy. Otherwise only its author does.
	Shared *bool `query:"shared"`
}

// AddSnapshot: save a copy of a block's page
func (c *Client) AddSnapshot(ctx context.Context, id int64, body string, params *AddSnapshotParams) (*Snapshot, error) {
	var out Snapshot
	if err := c.call(ctx, http.MethodPost, "/ext/v1/blocks/%v/snapshots", []any{id}, params, client.Encoded{Type: "text/html", Data: []byte(body)}, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminAnnounce: announce something on every page
func (c *Client) AdminAnnounce(ctx context.Context, body *AdminAnnounceRequest) (*AdminSite, error) {
	var out AdminSite
	if err := c.call(ctx, http.MethodPut, "/ext/v1/admin/site/announcement", []any{}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminBeginReadOnly: make the site read-only
func (c *Client) AdminBeginReadOnly(ctx context.Context, body *AdminBeginReadOnlyRequest) (*AdminReadOnly, error) {
	var out AdminReadOnly
	if err := c.call(ctx, http.MethodPut, "/ext/v1/admin/read-only", []any{}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminBlock: add to the blocklist
func (c *Client) AdminBlock(ctx context.Context, body *AdminBlockRequest) (*AdminBlocked, error) {
	var out AdminBlocked
	if err := c.call(ctx, http.MethodPost, "/ext/v1/admin/blocklist", []any{}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminCreateAccount: create an account
func (c *Client) AdminCreateAccount(ctx context.Context, body *AdminCreateAccountRequest) (*AdminAccount, error) {
	var out AdminAccount
	if err := c.call(ctx, http.MethodPost, "/ext/v1/admin/accounts", []any{}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminCreateApplication: register an OAuth application for an account
func (c *Client) AdminCreateApplication(ctx context.Context, body *AdminCreateApplicationRequest) (*AdminApplication, error) {
	var out AdminApplication
	if err := c.call(ctx, http.MethodPost, "/ext/v1/admin/applications", []any{}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminCreateSignUpLink: create a sign-up link
func (c *Client) AdminCreateSignUpLink(ctx context.Context, body *AdminCreateSignUpLinkRequest) (*AdminLink, error) {
	var out AdminLink
	if err := c.call(ctx, http.MethodPost, "/ext/v1/admin/sign-up-links", []any{}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminDecideReport: decide about a report
func (c *Client) AdminDecideReport(ctx context.Context, id int64, body *AdminDecideReportRequest) (*AdminReport, error) {
	var out AdminReport
	if err := c.call(ctx, http.MethodPost, "/ext/v1/admin/reports/%v/decision", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminDeleteAccountParams are the parameters of AdminDeleteAccount. Zero values are not sent.
type AdminDeleteAccountParams struct {
	// The slug of the account, as a confirmation.
	Slug string `query:"slug"`
}

// AdminDeleteAccount: delete an account
func (c *Client) AdminDeleteAccount(ctx context.Context, id client.Ref, params *AdminDeleteAccountParams) (*Receipt, error) {
	var out Receipt
	if err := c.call(ctx, http.MethodDelete, "/ext/v1/admin/accounts/%v", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminDeleteApplication: delete an OAuth application
func (c *Client) AdminDeleteApplication(ctx context.Context, clientID string) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/admin/applications/%v", []any{clientID}, nil, nil, nil)
}

// AdminDeletePage: delete a page of the site
func (c *Client) AdminDeletePage(ctx context.Context, slug string) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/admin/pages/%v", []any{slug}, nil, nil, nil)
}

// AdminEndAnnouncement: remove the announcement
func (c *Client) AdminEndAnnouncement(ctx context.Context) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/admin/site/announcement", []any{}, nil, nil, nil)
}

// AdminEndInvitation: withdraw an invitation
func (c *Client) AdminEndInvitation(ctx context.Context, id int64) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/admin/invitations/%v", []any{id}, nil, nil, nil)
}

// AdminEndReadOnly: make the site writable again
func (c *Client) AdminEndReadOnly(ctx context.Context) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/admin/read-only", []any{}, nil, nil, nil)
}

// AdminEndSignUpLink: end a sign-up link
func (c *Client) AdminEndSignUpLink(ctx context.Context, id int64) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/admin/sign-up-links/%v", []any{id}, nil, nil, nil)
}

// AdminGetAccount: read an account
func (c *Client) AdminGetAccount(ctx context.Context, id client.Ref) (*AdminAccountDetails, error) {
	var out AdminAccountDetails
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/accounts/%v", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminGetPage: read a page of the site
func (c *Client) AdminGetPage(ctx context.Context, slug string) (*AdminPage, error) {
	var out AdminPage
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/pages/%v", []any{slug}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminGetReadOnly: read whether the site is read-only
func (c *Client) AdminGetReadOnly(ctx context.Context) (*AdminReadOnly, error) {
	var out AdminReadOnly
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/read-only", []any{}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminGetReportParams are the parameters of AdminGetReport. Zero values are not sent.
type AdminGetReportParams struct {
	// The `next_cursor` of the previous response to the same request.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
}

// AdminGetReport: read a report
func (c *Client) AdminGetReport(ctx context.Context, id int64, params *AdminGetReportParams) (*AdminReportDetails, error) {
	var out AdminReportDetails
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/reports/%v", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminGetServer: read the state of the server
func (c *Client) AdminGetServer(ctx context.Context) (*AdminServer, error) {
	var out AdminServer
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/server", []any{}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminGetSite: read the settings of the site
func (c *Client) AdminGetSite(ctx context.Context) (*AdminSite, error) {
	var out AdminSite
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/site", []any{}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminHide: hide content
func (c *Client) AdminHide(ctx context.Context, body *AdminHideRequest) (*AdminHidden, error) {
	var out AdminHidden
	if err := c.call(ctx, http.MethodPost, "/ext/v1/admin/hidden", []any{}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminInvite: invite a person
func (c *Client) AdminInvite(ctx context.Context, body *AdminInviteRequest) (*AdminInvited, error) {
	var out AdminInvited
	if err := c.call(ctx, http.MethodPost, "/ext/v1/admin/invitations", []any{}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminListAccountsParams are the parameters of AdminListAccounts. Zero values are not sent.
type AdminListAccountsParams struct {
	// The beginning of a name, slug or address.
	Query string `query:"query"`
	// The `next_cursor` of the previous response to the same request.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
}

// AdminListAccounts: list accounts
func (c *Client) AdminListAccounts(ctx context.Context, params *AdminListAccountsParams) (*AdminAccountList, error) {
	var out AdminAccountList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/accounts", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllAdminListAccounts returns all items of AdminListAccounts, page by page.
func (c *Client) AllAdminListAccounts(ctx context.Context, params *AdminListAccountsParams) iter.Seq2[AdminAccount, error] {
	var p AdminListAccountsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []AdminAccount, more bool, err error) {
		list, err := c.AdminListAccounts(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// AdminListApplicationsParams are the parameters of AdminListApplications. Zero values are not sent.
type AdminListApplicationsParams struct {
	// The `next_cursor` of the previous response to the same request.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
}

// AdminListApplications: list OAuth applications
func (c *Client) AdminListApplications(ctx context.Context, params *AdminListApplicationsParams) (*AdminApplicationList, error) {
	var out AdminApplicationList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/applications", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllAdminListApplications returns all items of AdminListApplications, page by page.
func (c *Client) AllAdminListApplications(ctx context.Context, params *AdminListApplicationsParams) iter.Seq2[AdminApplication, error] {
	var p AdminListApplicationsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []AdminApplication, more bool, err error) {
		list, err := c.AdminListApplications(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// AdminListAuditParams are the parameters of AdminListAudit. Zero values are not sent.
type AdminListAuditParams struct {
	// Id or slug of a user, or another name of an actor.
	Actor string `query:"actor"`
	// A kind of action, such as `account.suspended`.
	Act string `query:"act"`
	// A name, or a type and an id such as `User 7`.
	About string `query:"about"`
	// The earliest time.
	From time.Time `query:"from"`
	// The time before which entries are listed.
	To time.Time `query:"to"`
	// The `next_cursor` of the previous response to the same request.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
}

// AdminListAudit: list the audit log
func (c *Client) AdminListAudit(ctx context.Context, params *AdminListAuditParams) (*AdminAuditList, error) {
	var out AdminAuditList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/audit", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllAdminListAudit returns all items of AdminListAudit, page by page.
func (c *Client) AllAdminListAudit(ctx context.Context, params *AdminListAuditParams) iter.Seq2[AdminAuditEntry, error] {
	var p AdminListAuditParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []AdminAuditEntry, more bool, err error) {
		list, err := c.AdminListAudit(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// AdminListBackfills: list backfills
func (c *Client) AdminListBackfills(ctx context.Context) (*AdminBackfillList, error) {
	var out AdminBackfillList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/backfills", []any{}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminListBackupsParams are the parameters of AdminListBackups. Zero values are not sent.
type AdminListBackupsParams struct {
	// The `next_cursor` of the previous response to the same request.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
}

// AdminListBackups: list backups
func (c *Client) AdminListBackups(ctx context.Context, params *AdminListBackupsParams) (*AdminBackupList, error) {
	var out AdminBackupList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/backups", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllAdminListBackups returns all items of AdminListBackups, page by page.
func (c *Client) AllAdminListBackups(ctx context.Context, params *AdminListBackupsParams) iter.Seq2[AdminBackup, error] {
	var p AdminListBackupsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []AdminBackup, more bool, err error) {
		list, err := c.AdminListBackups(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// AdminListBlocklistParams are the parameters of AdminListBlocklist. Zero values are not sent.
type AdminListBlocklistParams struct {
	// The `next_cursor` of the previous response to the same request.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
}

// AdminListBlocklist: list the blocklist
func (c *Client) AdminListBlocklist(ctx context.Context, params *AdminListBlocklistParams) (*AdminBlockedList, error) {
	var out AdminBlockedList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/blocklist", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllAdminListBlocklist returns all items of AdminListBlocklist, page by page.
func (c *Client) AllAdminListBlocklist(ctx context.Context, params *AdminListBlocklistParams) iter.Seq2[AdminBlocked, error] {
	var p AdminListBlocklistParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []AdminBlocked, more bool, err error) {
		list, err := c.AdminListBlocklist(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// AdminListHiddenParams are the parameters of AdminListHidden. Zero values are not sent.
type AdminListHiddenParams struct {
	// The `next_cursor` of the previous response to the same request.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
}

// AdminListHidden: list hidden content
func (c *Client) AdminListHidden(ctx context.Context, params *AdminListHiddenParams) (*AdminHiddenList, error) {
	var out AdminHiddenList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/hidden", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllAdminListHidden returns all items of AdminListHidden, page by page.
func (c *Client) AllAdminListHidden(ctx context.Context, params *AdminListHiddenParams) iter.Seq2[AdminHidden, error] {
	var p AdminListHiddenParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []AdminHidden, more bool, err error) {
		list, err := c.AdminListHidden(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// AdminListInvitationsParams are the parameters of AdminListInvitations. Zero values are not sent.
type AdminListInvitationsParams struct {
	// The `next_cursor` of the previous response to the same request.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
}

// AdminListInvitations: list invitations of people
func (c *Client) AdminListInvitations(ctx context.Context, params *AdminListInvitationsParams) (*AdminLinkList, error) {
	var out AdminLinkList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/invitations", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllAdminListInvitations returns all items of AdminListInvitations, page by page.
func (c *Client) AllAdminListInvitations(ctx context.Context, params *AdminListInvitationsParams) iter.Seq2[AdminLink, error] {
	var p AdminListInvitationsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []AdminLink, more bool, err error) {
		list, err := c.AdminListInvitations(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// AdminListJobsParams are the parameters of AdminListJobs. Zero values are not sent.
type AdminListJobsParams struct {
	// By default failed jobs.
	State string `query:"state"`
	// The `next_cursor` of the previous response to the same request.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
}

// AdminListJobs: list jobs
func (c *Client) AdminListJobs(ctx context.Context, params *AdminListJobsParams) (*AdminJobList, error) {
	var out AdminJobList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/jobs", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllAdminListJobs returns all items of AdminListJobs, page by page.
func (c *Client) AllAdminListJobs(ctx context.Context, params *AdminListJobsParams) iter.Seq2[AdminJob, error] {
	var p AdminListJobsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []AdminJob, more bool, err error) {
		list, err := c.AdminListJobs(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// AdminListPages: list the pages of the site
func (c *Client) AdminListPages(ctx context.Context) (*AdminPageList, error) {
	var out AdminPageList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/pages", []any{}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminListReceiptsParams are the parameters of AdminListReceipts. Zero values are not sent.
type AdminListReceiptsParams struct {
	// The `next_cursor` of the previous response to the same request.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
}

// AdminListReceipts: list receipts
func (c *Client) AdminListReceipts(ctx context.Context, params *AdminListReceiptsParams) (*AdminReceiptList, error) {
	var out AdminReceiptList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/receipts", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllAdminListReceipts returns all items of AdminListReceipts, page by page.
func (c *Client) AllAdminListReceipts(ctx context.Context, params *AdminListReceiptsParams) iter.Seq2[AdminReceipt, error] {
	var p AdminListReceiptsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []AdminReceipt, more bool, err error) {
		list, err := c.AdminListReceipts(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// AdminListReportsParams are the parameters of AdminListReports. Zero values are not sent.
type AdminListReportsParams struct {
	// By default the open ones.
	State string `query:"state"`
	// The `next_cursor` of the previous response to the same request.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
}

// AdminListReports: list reports
func (c *Client) AdminListReports(ctx context.Context, params *AdminListReportsParams) (*AdminReportList, error) {
	var out AdminReportList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/reports", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllAdminListReports returns all items of AdminListReports, page by page.
func (c *Client) AllAdminListReports(ctx context.Context, params *AdminListReportsParams) iter.Seq2[AdminReport, error] {
	var p AdminListReportsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []AdminReport, more bool, err error) {
		list, err := c.AdminListReports(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// AdminListSignUpLinks: list sign-up links
func (c *Client) AdminListSignUpLinks(ctx context.Context) (*AdminLinkList, error) {
	var out AdminLinkList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/sign-up-links", []any{}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminListStorageParams are the parameters of AdminListStorage. Zero values are not sent.
type AdminListStorageParams struct {
	// The `next_cursor` of the previous response to the same request.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
}

// AdminListStorage: list the storage of accounts
func (c *Client) AdminListStorage(ctx context.Context, params *AdminListStorageParams) (*AdminStorageList, error) {
	var out AdminStorageList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/storage", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllAdminListStorage returns all items of AdminListStorage, page by page.
func (c *Client) AllAdminListStorage(ctx context.Context, params *AdminListStorageParams) iter.Seq2[AdminStorage, error] {
	var p AdminListStorageParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []AdminStorage, more bool, err error) {
		list, err := c.AdminListStorage(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// AdminListTokensParams are the parameters of AdminListTokens. Zero values are not sent.
type AdminListTokensParams struct {
	// The `next_cursor` of the previous response to the same request.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
}

// AdminListTokens: list the personal access tokens of an account
func (c *Client) AdminListTokens(ctx context.Context, id client.Ref, params *AdminListTokensParams) (*AdminTokenList, error) {
	var out AdminTokenList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/accounts/%v/tokens", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllAdminListTokens returns all items of AdminListTokens, page by page.
func (c *Client) AllAdminListTokens(ctx context.Context, id client.Ref, params *AdminListTokensParams) iter.Seq2[AdminToken, error] {
	var p AdminListTokensParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []AdminToken, more bool, err error) {
		list, err := c.AdminListTokens(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// AdminLookParams are the parameters of AdminLook. Zero values are not sent.
type AdminLookParams struct {
	// The `next_cursor` of the previous response to the same request.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
}

// AdminLook: read reported or hidden content
func (c *Client) AdminLook(ctx context.Context, kind string, id int64, params *AdminLookParams) (*AdminLook, error) {
	var out AdminLook
	if err := c.call(ctx, http.MethodGet, "/ext/v1/admin/content/%v/%v", []any{kind, id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminRemoveSecondFactor: remove the second factor of an account
func (c *Client) AdminRemoveSecondFactor(ctx context.Context, id client.Ref) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/admin/accounts/%v/second-factor", []any{id}, nil, nil, nil)
}

// AdminResetPassword: send a link for choosing a password
func (c *Client) AdminResetPassword(ctx context.Context, id client.Ref, body *AdminResetPasswordRequest) (*AdminAddress, error) {
	var out AdminAddress
	if err := c.call(ctx, http.MethodPost, "/ext/v1/admin/accounts/%v/password-reset", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminRetryJob: run a job again
func (c *Client) AdminRetryJob(ctx context.Context, id int64, body *AdminRetryJobRequest) error {
	return c.call(ctx, http.MethodPost, "/ext/v1/admin/jobs/%v/retry", []any{id}, nil, body, nil)
}

// AdminRevokeToken: revoke a personal access token
func (c *Client) AdminRevokeToken(ctx context.Context, id int64) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/admin/tokens/%v", []any{id}, nil, nil, nil)
}

// AdminSavePage: create or replace a page of the site
func (c *Client) AdminSavePage(ctx context.Context, slug string, body *AdminSavePageRequest) (*AdminPage, error) {
	var out AdminPage
	if err := c.call(ctx, http.MethodPut, "/ext/v1/admin/pages/%v", []any{slug}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminSetEmail: change the address of an account
func (c *Client) AdminSetEmail(ctx context.Context, id client.Ref, body *AdminSetEmailRequest) (*AdminAccount, error) {
	var out AdminAccount
	if err := c.call(ctx, http.MethodPut, "/ext/v1/admin/accounts/%v/email", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminSetPassword: set the password of an account
func (c *Client) AdminSetPassword(ctx context.Context, id client.Ref, body *AdminSetPasswordRequest) (*AdminAccount, error) {
	var out AdminAccount
	if err := c.call(ctx, http.MethodPut, "/ext/v1/admin/accounts/%v/password", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminSetSignUp: choose who may sign up
func (c *Client) AdminSetSignUp(ctx context.Context, body *AdminSetSignUpRequest) error {
	return c.call(ctx, http.MethodPut, "/ext/v1/admin/site/sign-up", []any{}, nil, body, nil)
}

// AdminShowParams are the parameters of AdminShow. Zero values are not sent.
type AdminShowParams struct {
	// A message to the owner.
	Text string `query:"text"`
}

// AdminShow: show hidden content again
func (c *Client) AdminShow(ctx context.Context, id int64, params *AdminShowParams) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/admin/hidden/%v", []any{id}, params, nil, nil)
}

// AdminSignOut: sign an account out everywhere
func (c *Client) AdminSignOut(ctx context.Context, id client.Ref, body *AdminSignOutRequest) (*AdminAccount, error) {
	var out AdminAccount
	if err := c.call(ctx, http.MethodPost, "/ext/v1/admin/accounts/%v/sign-out", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminStartBackup: start a backup
func (c *Client) AdminStartBackup(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, "/ext/v1/admin/backups", []any{}, nil, nil, nil)
}

// AdminStartExport: start an export of an account
func (c *Client) AdminStartExport(ctx context.Context, id client.Ref) error {
	return c.call(ctx, http.MethodPost, "/ext/v1/admin/accounts/%v/exports", []any{id}, nil, nil, nil)
}

// AdminUnblock: remove from the blocklist
func (c *Client) AdminUnblock(ctx context.Context, id int64) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/admin/blocklist/%v", []any{id}, nil, nil, nil)
}

// AdminUpdateAccount: change an account
func (c *Client) AdminUpdateAccount(ctx context.Context, id client.Ref, body *AdminUpdateAccountRequest) (*AdminAccount, error) {
	var out AdminAccount
	if err := c.call(ctx, http.MethodPatch, "/ext/v1/admin/accounts/%v", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AdminUpdateSite: change the settings of the site
func (c *Client) AdminUpdateSite(ctx context.Context, body *AdminUpdateSiteRequest) (*AdminSite, error) {
	var out AdminSite
	if err := c.call(ctx, http.MethodPatch, "/ext/v1/admin/site", []any{}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// CreateHighlight: highlight a passage of a block
func (c *Client) CreateHighlight(ctx context.Context, id int64, body *CreateHighlightRequest) (*Annotation, error) {
	var out Annotation
	if err := c.call(ctx, http.MethodPost, "/ext/v1/blocks/%v/highlights", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// CreateReport: report content or a user to the operators
func (c *Client) CreateReport(ctx context.Context, body *CreateReportRequest) error {
	return c.call(ctx, http.MethodPost, "/ext/v1/reports", []any{}, nil, body, nil)
}

// CreateWebhook: create a webhook
func (c *Client) CreateWebhook(ctx context.Context, body *CreateWebhookRequest) (*Webhook, error) {
	var out Webhook
	if err := c.call(ctx, http.MethodPost, "/ext/v1/webhooks", []any{}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// DeleteBlock: delete a block
func (c *Client) DeleteBlock(ctx context.Context, id int64) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/blocks/%v", []any{id}, nil, nil, nil)
}

// DeleteExport: delete an export
func (c *Client) DeleteExport(ctx context.Context, id int64) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/exports/%v", []any{id}, nil, nil, nil)
}

// DeleteHighlight: delete a highlight
func (c *Client) DeleteHighlight(ctx context.Context, id int64) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/highlights/%v", []any{id}, nil, nil, nil)
}

// DeleteSnapshot: delete a saved copy
func (c *Client) DeleteSnapshot(ctx context.Context, id int64) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/snapshots/%v", []any{id}, nil, nil, nil)
}

// DeleteWebhook: delete a webhook and its log
func (c *Client) DeleteWebhook(ctx context.Context, id int64) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/webhooks/%v", []any{id}, nil, nil, nil)
}

// DisconnectBlock: remove a block from a channel
func (c *Client) DisconnectBlock(ctx context.Context, id client.Ref, blockID int64) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/channels/%v/blocks/%v", []any{id, blockID}, nil, nil, nil)
}

// ExportChannelParams are the parameters of ExportChannel. Zero values are not sent.
type ExportChannelParams struct {
	// The format of the export.
	Format string `query:"format"`
}

// ExportChannel: export a channel
//
// The caller closes the file.
func (c *Client) ExportChannel(ctx context.Context, id client.Ref, params *ExportChannelParams) (io.ReadCloser, error) {
	var out io.ReadCloser
	err := c.call(ctx, http.MethodGet, "/ext/v1/channels/%v/export", []any{id}, params, nil, &out)
	return out, err
}

// FilterChannelContentsParams are the parameters of FilterChannelContents. Zero values are not sent.
type FilterChannelContentsParams struct {
	// The search query. `q` is accepted too.
	Query string `query:"query"`
	// Kinds of items, comma-joined or repeated. `Block` includes all kinds of blocks.
	Type []string `query:"type"`
	// Page number, from 1. A page past the end is empty.
	Page int64 `query:"page"`
	// Items per page.
	Per int64 `query:"per"`
}

// FilterChannelContents: filter the contents of a channel
func (c *Client) FilterChannelContents(ctx context.Context, id client.Ref, params *FilterChannelContentsParams) (*ItemList, error) {
	var out ItemList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/channels/%v/contents", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllFilterChannelContents returns all items of FilterChannelContents, page by page.
func (c *Client) AllFilterChannelContents(ctx context.Context, id client.Ref, params *FilterChannelContentsParams) iter.Seq2[Item, error] {
	var p FilterChannelContentsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Item, more bool, err error) {
		list, err := c.FilterChannelContents(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		p.Page = list.Meta.CurrentPage + 1
		return list.Data, list.Meta.HasMorePages, nil
	})
}

// FollowChannel: follow a channel
func (c *Client) FollowChannel(ctx context.Context, id client.Ref) (*FollowState, error) {
	var out FollowState
	if err := c.call(ctx, http.MethodPut, "/ext/v1/channels/%v/follow", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// FollowGroup: follow a group
func (c *Client) FollowGroup(ctx context.Context, id client.Ref) (*FollowState, error) {
	var out FollowState
	if err := c.call(ctx, http.MethodPut, "/ext/v1/groups/%v/follow", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// FollowUser: follow a user
func (c *Client) FollowUser(ctx context.Context, id client.Ref) (*FollowState, error) {
	var out FollowState
	if err := c.call(ctx, http.MethodPut, "/ext/v1/users/%v/follow", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetBlockFileMetadata: read whether the files of a block show their metadata
func (c *Client) GetBlockFileMetadata(ctx context.Context, id int64) (*FileMetadata, error) {
	var out FileMetadata
	if err := c.call(ctx, http.MethodGet, "/ext/v1/blocks/%v/file-metadata", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetBlockProcessing: read the processing state of a block
func (c *Client) GetBlockProcessing(ctx context.Context, id int64) (*BlockProcessing, error) {
	var out BlockProcessing
	if err := c.call(ctx, http.MethodGet, "/ext/v1/blocks/%v/processing", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetBlockSnapshotPolicy: read when the server copies a block's page
func (c *Client) GetBlockSnapshotPolicy(ctx context.Context, id int64) (*SnapshotPolicy, error) {
	var out SnapshotPolicy
	if err := c.call(ctx, http.MethodGet, "/ext/v1/blocks/%v/snapshot-policy", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetBlockVersion: read a version of the texts of a block
func (c *Client) GetBlockVersion(ctx context.Context, id int64, number int64) (*TextVersion, error) {
	var out TextVersion
	if err := c.call(ctx, http.MethodGet, "/ext/v1/blocks/%v/versions/%v", []any{id, number}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetChannelFollow: check whether you follow a channel
func (c *Client) GetChannelFollow(ctx context.Context, id client.Ref) (*FollowState, error) {
	var out FollowState
	if err := c.call(ctx, http.MethodGet, "/ext/v1/channels/%v/follow", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetChannelSnapshotPolicy: read when the server copies the pages of a channel
func (c *Client) GetChannelSnapshotPolicy(ctx context.Context, id client.Ref) (*SnapshotPolicy, error) {
	var out SnapshotPolicy
	if err := c.call(ctx, http.MethodGet, "/ext/v1/channels/%v/snapshot-policy", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetChannelVersion: read a version of the texts of a channel
func (c *Client) GetChannelVersion(ctx context.Context, id client.Ref, number int64) (*TextVersion, error) {
	var out TextVersion
	if err := c.call(ctx, http.MethodGet, "/ext/v1/channels/%v/versions/%v", []any{id, number}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetCollaborators: list the collaborators of a channel
func (c *Client) GetCollaborators(ctx context.Context, id client.Ref) (*CollaboratorList, error) {
	var out CollaboratorList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/channels/%v/collaborators", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetExport: read an export
func (c *Client) GetExport(ctx context.Context, id int64) (*Export, error) {
	var out Export
	if err := c.call(ctx, http.MethodGet, "/ext/v1/exports/%v", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetExportFile: download an export
//
// The caller closes the file.
func (c *Client) GetExportFile(ctx context.Context, id int64) (io.ReadCloser, error) {
	var out io.ReadCloser
	err := c.call(ctx, http.MethodGet, "/ext/v1/exports/%v/file", []any{id}, nil, nil, &out)
	return out, err
}

// GetGroupFollow: check whether you follow a group
func (c *Client) GetGroupFollow(ctx context.Context, id client.Ref) (*FollowState, error) {
	var out FollowState
	if err := c.call(ctx, http.MethodGet, "/ext/v1/groups/%v/follow", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetGroupVersion: read a version of the texts of a group
func (c *Client) GetGroupVersion(ctx context.Context, id client.Ref, number int64) (*TextVersion, error) {
	var out TextVersion
	if err := c.call(ctx, http.MethodGet, "/ext/v1/groups/%v/versions/%v", []any{id, number}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetHighlight: read a highlight
func (c *Client) GetHighlight(ctx context.Context, id int64) (*Annotation, error) {
	var out Annotation
	if err := c.call(ctx, http.MethodGet, "/ext/v1/highlights/%v", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetImport: read an import
func (c *Client) GetImport(ctx context.Context, id int64) (*Import, error) {
	var out Import
	if err := c.call(ctx, http.MethodGet, "/ext/v1/imports/%v", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetMyUsage: read your storage use and quota
func (c *Client) GetMyUsage(ctx context.Context) (*Usage, error) {
	var out Usage
	if err := c.call(ctx, http.MethodGet, "/ext/v1/me/usage", []any{}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetMyVersion: read a version of the own profile
func (c *Client) GetMyVersion(ctx context.Context, number int64) (*TextVersion, error) {
	var out TextVersion
	if err := c.call(ctx, http.MethodGet, "/ext/v1/me/versions/%v", []any{number}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetReceipt: read a receipt
func (c *Client) GetReceipt(ctx context.Context, code string) (*Receipt, error) {
	var out Receipt
	if err := c.call(ctx, http.MethodGet, "/ext/v1/receipts/%v", []any{code}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetSite: read the name and texts of this site
func (c *Client) GetSite(ctx context.Context) (*Site, error) {
	var out Site
	if err := c.call(ctx, http.MethodGet, "/ext/v1/site", []any{}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetSnapshot: read a saved copy's details
func (c *Client) GetSnapshot(ctx context.Context, id int64) (*Snapshot, error) {
	var out Snapshot
	if err := c.call(ctx, http.MethodGet, "/ext/v1/snapshots/%v", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetSnapshotRequest: read the state of a requested copy
func (c *Client) GetSnapshotRequest(ctx context.Context, id int64) (*SnapshotRequest, error) {
	var out SnapshotRequest
	if err := c.call(ctx, http.MethodGet, "/ext/v1/blocks/%v/snapshot-request", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetUserFollow: check whether you follow a user
func (c *Client) GetUserFollow(ctx context.Context, id client.Ref) (*FollowState, error) {
	var out FollowState
	if err := c.call(ctx, http.MethodGet, "/ext/v1/users/%v/follow", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// GetWebhook: read a webhook
func (c *Client) GetWebhook(ctx context.Context, id int64) (*Webhook, error) {
	var out Webhook
	if err := c.call(ctx, http.MethodGet, "/ext/v1/webhooks/%v", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ListBlockCommentsParams are the parameters of ListBlockComments. Zero values are not sent.
type ListBlockCommentsParams struct {
	// The order.
	Sort string `query:"sort"`
	// The `next_cursor` of the previous response to the same request. Only `limit`, `fields` and `expand` may
	// change.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
	// What to add to each item, comma-joined: `user`, the complete author of a block; `owner`, the complete owner
	// of a channel; `channels`, the newest 10 channels that a block or channel is in; `contents`, the first 10
	// items of a channel, from the top.
	Expand string `query:"expand"`
}

// ListBlockComments: list the comments on a block
func (c *Client) ListBlockComments(ctx context.Context, id int64, params *ListBlockCommentsParams) (*PartOfList, error) {
	var out PartOfList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/lists/blocks/%v/comments", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllBlockComments returns all items of ListBlockComments, page by page.
func (c *Client) AllBlockComments(ctx context.Context, id int64, params *ListBlockCommentsParams) iter.Seq2[Item, error] {
	var p ListBlockCommentsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Item, more bool, err error) {
		list, err := c.ListBlockComments(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// ListBlockConnectionsParams are the parameters of ListBlockConnections. Zero values are not sent.
type ListBlockConnectionsParams struct {
	// The order.
	Sort string `query:"sort"`
	// The `next_cursor` of the previous response to the same request. Only `limit`, `fields` and `expand` may
	// change.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
	// What to add to each item, comma-joined: `user`, the complete author of a block; `owner`, the complete owner
	// of a channel; `channels`, the newest 10 channels that a block or channel is in; `contents`, the first 10
	// items of a channel, from the top.
	Expand string `query:"expand"`
}

// ListBlockConnections: list the channels that a block is in
func (c *Client) ListBlockConnections(ctx context.Context, id int64, params *ListBlockConnectionsParams) (*PartOfList, error) {
	var out PartOfList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/lists/blocks/%v/connections", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllBlockConnections returns all items of ListBlockConnections, page by page.
func (c *Client) AllBlockConnections(ctx context.Context, id int64, params *ListBlockConnectionsParams) iter.Seq2[Item, error] {
	var p ListBlockConnectionsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Item, more bool, err error) {
		list, err := c.ListBlockConnections(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// ListBlockHighlights: list your highlights of a block
func (c *Client) ListBlockHighlights(ctx context.Context, id int64) (*AnnotationPage, error) {
	var out AnnotationPage
	if err := c.call(ctx, http.MethodGet, "/ext/v1/blocks/%v/highlights", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ListBlockVersions: list the versions of the texts of a block
func (c *Client) ListBlockVersions(ctx context.Context, id int64) (*TextVersionList, error) {
	var out TextVersionList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/blocks/%v/versions", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ListChangesParams are the parameters of ListChanges. Zero values are not sent.
type ListChangesParams struct {
	// The cursor of an earlier response. Without one, the response contains no changes and a cursor that starts
	// now.
	Cursor string `query:"cursor"`
	// The id of a channel. Only changes of it and its contents are listed. Changes of other channels are read
	// over, so use the cursor as without it.
	Channel int64 `query:"channel"`
	// How many seconds to wait until there is a change. An account can have 16 waiting requests and streams per
	// server.
	Wait int64 `query:"wait"`
}

// ListChanges: list what changed
func (c *Client) ListChanges(ctx context.Context, params *ListChangesParams) (*ChangeList, error) {
	var out ChangeList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/changes", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ListChannelChoicesParams are the parameters of ListChannelChoices. Zero values are not sent.
type ListChannelChoicesParams struct {
	// The beginning of a title.
	Query string `query:"query"`
	// The maximum number of channels.
	Per int64 `query:"per"`
}

// ListChannelChoices: find a channel to add to
func (c *Client) ListChannelChoices(ctx context.Context, params *ListChannelChoicesParams) (*ChannelChoiceList, error) {
	var out ChannelChoiceList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/me/channels", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ListChannelConnectionsParams are the parameters of ListChannelConnections. Zero values are not sent.
type ListChannelConnectionsParams struct {
	// The order.
	Sort string `query:"sort"`
	// The `next_cursor` of the previous response to the same request. Only `limit`, `fields` and `expand` may
	// change.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
	// What to add to each item, comma-joined: `user`, the complete author of a block; `owner`, the complete owner
	// of a channel; `channels`, the newest 10 channels that a block or channel is in; `contents`, the first 10
	// items of a channel, from the top.
	Expand string `query:"expand"`
}

// ListChannelConnections: list the channels that a channel is in
func (c *Client) ListChannelConnections(ctx context.Context, id client.Ref, params *ListChannelConnectionsParams) (*PartOfList, error) {
	var out PartOfList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/lists/channels/%v/connections", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllChannelConnections returns all items of ListChannelConnections, page by page.
func (c *Client) AllChannelConnections(ctx context.Context, id client.Ref, params *ListChannelConnectionsParams) iter.Seq2[Item, error] {
	var p ListChannelConnectionsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Item, more bool, err error) {
		list, err := c.ListChannelConnections(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// ListChannelContentsParams are the parameters of ListChannelContents. Zero values are not sent.
type ListChannelContentsParams struct {
	// The order.
	Sort string `query:"sort"`
	// The `next_cursor` of the previous response to the same request. Only `limit`, `fields` and `expand` may
	// change.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
	// What to add to each item, comma-joined: `user`, the complete author of a block; `owner`, the complete owner
	// of a channel; `channels`, the newest 10 channels that a block or channel is in; `contents`, the first 10
	// items of a channel, from the top.
	Expand string `query:"expand"`
}

// ListChannelContents: list the contents of a channel
func (c *Client) ListChannelContents(ctx context.Context, id client.Ref, params *ListChannelContentsParams) (*PartOfList, error) {
	var out PartOfList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/lists/channels/%v/contents", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllChannelContents returns all items of ListChannelContents, page by page.
func (c *Client) AllChannelContents(ctx context.Context, id client.Ref, params *ListChannelContentsParams) iter.Seq2[Item, error] {
	var p ListChannelContentsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Item, more bool, err error) {
		list, err := c.ListChannelContents(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// ListChannelFeeds: list the feeds to which a channel is subscribed
func (c *Client) ListChannelFeeds(ctx context.Context, id client.Ref) (*ChannelFeedList, error) {
	var out ChannelFeedList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/channels/%v/feeds", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ListChannelFollowersParams are the parameters of ListChannelFollowers. Zero values are not sent.
type ListChannelFollowersParams struct {
	// The order.
	Sort string `query:"sort"`
	// The `next_cursor` of the previous response to the same request. Only `limit`, `fields` and `expand` may
	// change.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
	// What to add to each item, comma-joined: `user`, the complete author of a block; `owner`, the complete owner
	// of a channel; `channels`, the newest 10 channels that a block or channel is in; `contents`, the first 10
	// items of a channel, from the top.
	Expand string `query:"expand"`
}

// ListChannelFollowers: list the followers of a channel
func (c *Client) ListChannelFollowers(ctx context.Context, id client.Ref, params *ListChannelFollowersParams) (*PartOfList, error) {
	var out PartOfList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/lists/channels/%v/followers", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllChannelFollowers returns all items of ListChannelFollowers, page by page.
func (c *Client) AllChannelFollowers(ctx context.Context, id client.Ref, params *ListChannelFollowersParams) iter.Seq2[Item, error] {
	var p ListChannelFollowersParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Item, more bool, err error) {
		list, err := c.ListChannelFollowers(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// ListChannelVersions: list the versions of the texts of a channel
func (c *Client) ListChannelVersions(ctx context.Context, id client.Ref) (*TextVersionList, error) {
	var out TextVersionList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/channels/%v/versions", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ListExports: list your exports
func (c *Client) ListExports(ctx context.Context) (*ExportList, error) {
	var out ExportList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/exports", []any{}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ListGroupContentsParams are the parameters of ListGroupContents. Zero values are not sent.
type ListGroupContentsParams struct {
	// Kinds of items, comma-joined or repeated. `Block` includes all kinds of blocks.
	Type []string `query:"type"`
	// The order.
	Sort string `query:"sort"`
	// The `next_cursor` of the previous response to the same request. Only `limit`, `fields` and `expand` may
	// change.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
	// What to add to each item, comma-joined: `user`, the complete author of a block; `owner`, the complete owner
	// of a channel; `channels`, the newest 10 channels that a block or channel is in; `contents`, the first 10
	// items of a channel, from the top.
	Expand string `query:"expand"`
}

// ListGroupContents: list the contents of a group
func (c *Client) ListGroupContents(ctx context.Context, id client.Ref, params *ListGroupContentsParams) (*PartOfList, error) {
	var out PartOfList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/lists/groups/%v/contents", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllGroupContents returns all items of ListGroupContents, page by page.
func (c *Client) AllGroupContents(ctx context.Context, id client.Ref, params *ListGroupContentsParams) iter.Seq2[Item, error] {
	var p ListGroupContentsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Item, more bool, err error) {
		list, err := c.ListGroupContents(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// ListGroupFollowersParams are the parameters of ListGroupFollowers. Zero values are not sent.
type ListGroupFollowersParams struct {
	// The order.
	Sort string `query:"sort"`
	// The `next_cursor` of the previous response to the same request. Only `limit`, `fields` and `expand` may
	// change.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
	// What to add to each item, comma-joined: `user`, the complete author of a block; `owner`, the complete owner
	// of a channel; `channels`, the newest 10 channels that a block or channel is in; `contents`, the first 10
	// items of a channel, from the top.
	Expand string `query:"expand"`
}

// ListGroupFollowers: list the followers of a group
func (c *Client) ListGroupFollowers(ctx context.Context, id client.Ref, params *ListGroupFollowersParams) (*PartOfList, error) {
	var out PartOfList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/lists/groups/%v/followers", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllGroupFollowers returns all items of ListGroupFollowers, page by page.
func (c *Client) AllGroupFollowers(ctx context.Context, id client.Ref, params *ListGroupFollowersParams) iter.Seq2[Item, error] {
	var p ListGroupFollowersParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Item, more bool, err error) {
		list, err := c.ListGroupFollowers(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// ListGroupMembersParams are the parameters of ListGroupMembers. Zero values are not sent.
type ListGroupMembersParams struct {
	// The order.
	Sort string `query:"sort"`
	// The `next_cursor` of the previous response to the same request. Only `limit`, `fields` and `expand` may
	// change.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
	// What to add to each item, comma-joined: `user`, the complete author of a block; `owner`, the complete owner
	// of a channel; `channels`, the newest 10 channels that a block or channel is in; `contents`, the first 10
	// items of a channel, from the top.
	Expand string `query:"expand"`
}

// ListGroupMembers: list the members of a group
func (c *Client) ListGroupMembers(ctx context.Context, id client.Ref, params *ListGroupMembersParams) (*PartOfList, error) {
	var out PartOfList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/lists/groups/%v/members", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllGroupMembers returns all items of ListGroupMembers, page by page.
func (c *Client) AllGroupMembers(ctx context.Context, id client.Ref, params *ListGroupMembersParams) iter.Seq2[Item, error] {
	var p ListGroupMembersParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Item, more bool, err error) {
		list, err := c.ListGroupMembers(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// ListGroupVersions: list the versions of the texts of a group
func (c *Client) ListGroupVersions(ctx context.Context, id client.Ref) (*TextVersionList, error) {
	var out TextVersionList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/groups/%v/versions", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ListHighlightsParams are the parameters of ListHighlights. Zero values are not sent.
type ListHighlightsParams struct {
	// Page number, from 1. A page past the end is empty.
	Page int64 `query:"page"`
	// Items per page.
	Per int64 `query:"per"`
}

// ListHighlights: list your highlights
func (c *Client) ListHighlights(ctx context.Context, params *ListHighlightsParams) (*AnnotationPage, error) {
	var out AnnotationPage
	if err := c.call(ctx, http.MethodGet, "/ext/v1/highlights", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllHighlights returns all items of ListHighlights, page by page.
func (c *Client) AllHighlights(ctx context.Context, params *ListHighlightsParams) iter.Seq2[Annotation, error] {
	var p ListHighlightsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Annotation, more bool, err error) {
		list, err := c.ListHighlights(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		p.Page = max(p.Page, 1) + 1
		return list.Items, list.Next != nil, nil
	})
}

// ListImportsParams are the parameters of ListImports. Zero values are not sent.
type ListImportsParams struct {
	// Page number, from 1. A page past the end is empty.
	Page int64 `query:"page"`
	// Items per page.
	Per int64 `query:"per"`
}

// ListImports: list your imports
func (c *Client) ListImports(ctx context.Context, params *ListImportsParams) (*ImportList, error) {
	var out ImportList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/imports", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllImports returns all items of ListImports, page by page.
func (c *Client) AllImports(ctx context.Context, params *ListImportsParams) iter.Seq2[Import, error] {
	var p ListImportsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Import, more bool, err error) {
		list, err := c.ListImports(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		p.Page = list.Meta.CurrentPage + 1
		return list.Data, list.Meta.HasMorePages, nil
	})
}

// ListMyVersions: list the versions of the own profile
func (c *Client) ListMyVersions(ctx context.Context) (*TextVersionList, error) {
	var out TextVersionList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/me/versions", []any{}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ListSavedParams are the parameters of ListSaved. Zero values are not sent.
type ListSavedParams struct {
	// The absolute http or https address of the page.
	URL string `query:"url"`
}

// ListSaved: find out where a page is saved
func (c *Client) ListSaved(ctx context.Context, params *ListSavedParams) (*SavedList, error) {
	var out SavedList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/me/saved", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ListSearchParams are the parameters of ListSearch. Zero values are not sent.
type ListSearchParams struct {
	// The search query. `q` is accepted too.
	Query string `query:"query"`
	// A condition such as `year>=1970`; can be repeated. `metadata.year=1972` is short for `metadata=year=1972`.
	Metadata []string `query:"metadata,repeat"`
	// Kinds of results, comma-joined or repeated. `Block` includes all kinds of blocks, `All` everything.
	Type []string `query:"type"`
	// As in `/v3/search`.
	Scope string `query:"scope"`
	// Only items that this user created.
	UserID int64 `query:"user_id"`
	// Only channels of this group, and blocks in them.
	GroupID int64 `query:"group_id"`
	// Only items in this channel.
	ChannelID int64 `query:"channel_id"`
	// The order.
	Sort string `query:"sort"`
	// The `next_cursor` of the previous response to the same request. Only `limit`, `fields` and `expand` may
	// change.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
	// What to add to each item, comma-joined: `user`, the complete author of a block; `owner`, the complete owner
	// of a channel; `channels`, the newest 10 channels that a block or channel is in; `contents`, the first 10
	// items of a channel, from the top.
	Expand string `query:"expand"`
}

// ListSearch: list the results of a search
func (c *Client) ListSearch(ctx context.Context, params *ListSearchParams) (*PartOfList, error) {
	var out PartOfList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/lists/search", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllSearch returns all items of ListSearch, page by page.
func (c *Client) AllSearch(ctx context.Context, params *ListSearchParams) iter.Seq2[Item, error] {
	var p ListSearchParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Item, more bool, err error) {
		list, err := c.ListSearch(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// ListSnapshots: list the saved copies of a block's page
func (c *Client) ListSnapshots(ctx context.Context, id int64) (*SnapshotList, error) {
	var out SnapshotList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/blocks/%v/snapshots", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ListUserContentsParams are the parameters of ListUserContents. Zero values are not sent.
type ListUserContentsParams struct {
	// Kinds of items, comma-joined or repeated. `Block` includes all kinds of blocks.
	Type []string `query:"type"`
	// The order.
	Sort string `query:"sort"`
	// The `next_cursor` of the previous response to the same request. Only `limit`, `fields` and `expand` may
	// change.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
	// What to add to each item, comma-joined: `user`, the complete author of a block; `owner`, the complete owner
	// of a channel; `channels`, the newest 10 channels that a block or channel is in; `contents`, the first 10
	// items of a channel, from the top.
	Expand string `query:"expand"`
}

// ListUserContents: list what a user created
func (c *Client) ListUserContents(ctx context.Context, id client.Ref, params *ListUserContentsParams) (*PartOfList, error) {
	var out PartOfList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/lists/users/%v/contents", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllUserContents returns all items of ListUserContents, page by page.
func (c *Client) AllUserContents(ctx context.Context, id client.Ref, params *ListUserContentsParams) iter.Seq2[Item, error] {
	var p ListUserContentsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Item, more bool, err error) {
		list, err := c.ListUserContents(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// ListUserFollowersParams are the parameters of ListUserFollowers. Zero values are not sent.
type ListUserFollowersParams struct {
	// The order.
	Sort string `query:"sort"`
	// The `next_cursor` of the previous response to the same request. Only `limit`, `fields` and `expand` may
	// change.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
	// What to add to each item, comma-joined: `user`, the complete author of a block; `owner`, the complete owner
	// of a channel; `channels`, the newest 10 channels that a block or channel is in; `contents`, the first 10
	// items of a channel, from the top.
	Expand string `query:"expand"`
}

// ListUserFollowers: list the followers of a user
func (c *Client) ListUserFollowers(ctx context.Context, id client.Ref, params *ListUserFollowersParams) (*PartOfList, error) {
	var out PartOfList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/lists/users/%v/followers", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllUserFollowers returns all items of ListUserFollowers, page by page.
func (c *Client) AllUserFollowers(ctx context.Context, id client.Ref, params *ListUserFollowersParams) iter.Seq2[Item, error] {
	var p ListUserFollowersParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Item, more bool, err error) {
		list, err := c.ListUserFollowers(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// ListUserFollowingParams are the parameters of ListUserFollowing. Zero values are not sent.
type ListUserFollowingParams struct {
	// Only things of this kind.
	Type string `query:"type"`
	// The order.
	Sort string `query:"sort"`
	// The `next_cursor` of the previous response to the same request. Only `limit`, `fields` and `expand` may
	// change.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
	// What to add to each item, comma-joined: `user`, the complete author of a block; `owner`, the complete owner
	// of a channel; `channels`, the newest 10 channels that a block or channel is in; `contents`, the first 10
	// items of a channel, from the top.
	Expand string `query:"expand"`
}

// ListUserFollowing: list what a user follows
func (c *Client) ListUserFollowing(ctx context.Context, id client.Ref, params *ListUserFollowingParams) (*PartOfList, error) {
	var out PartOfList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/lists/users/%v/following", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllUserFollowing returns all items of ListUserFollowing, page by page.
func (c *Client) AllUserFollowing(ctx context.Context, id client.Ref, params *ListUserFollowingParams) iter.Seq2[Item, error] {
	var p ListUserFollowingParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Item, more bool, err error) {
		list, err := c.ListUserFollowing(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// ListUserGroupsParams are the parameters of ListUserGroups. Zero values are not sent.
type ListUserGroupsParams struct {
	// The order.
	Sort string `query:"sort"`
	// The `next_cursor` of the previous response to the same request. Only `limit`, `fields` and `expand` may
	// change.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
	// What to add to each item, comma-joined: `user`, the complete author of a block; `owner`, the complete owner
	// of a channel; `channels`, the newest 10 channels that a block or channel is in; `contents`, the first 10
	// items of a channel, from the top.
	Expand string `query:"expand"`
}

// ListUserGroups: list the groups that a user belongs to
func (c *Client) ListUserGroups(ctx context.Context, id client.Ref, params *ListUserGroupsParams) (*PartOfList, error) {
	var out PartOfList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/lists/users/%v/groups", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllUserGroups returns all items of ListUserGroups, page by page.
func (c *Client) AllUserGroups(ctx context.Context, id client.Ref, params *ListUserGroupsParams) iter.Seq2[Item, error] {
	var p ListUserGroupsParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Item, more bool, err error) {
		list, err := c.ListUserGroups(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// ListUsersParams are the parameters of ListUsers. Zero values are not sent.
type ListUsersParams struct {
	// The order.
	Sort string `query:"sort"`
	// The `next_cursor` of the previous response to the same request. Only `limit`, `fields` and `expand` may
	// change.
	Cursor string `query:"cursor"`
	// How many items to return at most.
	Limit int64 `query:"limit"`
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
	// What to add to each item, comma-joined: `user`, the complete author of a block; `owner`, the complete owner
	// of a channel; `channels`, the newest 10 channels that a block or channel is in; `contents`, the first 10
	// items of a channel, from the top.
	Expand string `query:"expand"`
}

// ListUsers: list the users
func (c *Client) ListUsers(ctx context.Context, params *ListUsersParams) (*PartOfList, error) {
	var out PartOfList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/lists/users", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllUsers returns all items of ListUsers, page by page.
func (c *Client) AllUsers(ctx context.Context, params *ListUsersParams) iter.Seq2[Item, error] {
	var p ListUsersParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Item, more bool, err error) {
		list, err := c.ListUsers(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		if list.NextCursor != nil {
			p.Cursor = *list.NextCursor
		}
		return list.Data, list.NextCursor != nil, nil
	})
}

// ListWebhookDeliveriesParams are the parameters of ListWebhookDeliveries. Zero values are not sent.
type ListWebhookDeliveriesParams struct {
	// The id of a delivery. Only older ones are listed.
	Before int64 `query:"before"`
}

// ListWebhookDeliveries: list what was sent to a webhook
func (c *Client) ListWebhookDeliveries(ctx context.Context, id int64, params *ListWebhookDeliveriesParams) (*WebhookDeliveryList, error) {
	var out WebhookDeliveryList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/webhooks/%v/deliveries", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllWebhookDeliveries returns all items of ListWebhookDeliveries, page by page.
func (c *Client) AllWebhookDeliveries(ctx context.Context, id int64, params *ListWebhookDeliveriesParams) iter.Seq2[WebhookDelivery, error] {
	var p ListWebhookDeliveriesParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []WebhookDelivery, more bool, err error) {
		list, err := c.ListWebhookDeliveries(ctx, id, &p)
		if err != nil {
			return nil, false, err
		}
		if n := len(list.Data); n > 0 {
			p.Before = list.Data[n-1].ID
		}
		return list.Data, list.More, nil
	})
}

// ListWebhooks: list your webhooks
func (c *Client) ListWebhooks(ctx context.Context) (*WebhookList, error) {
	var out WebhookList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/webhooks", []any{}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// PingWebhook: test a webhook
func (c *Client) PingWebhook(ctx context.Context, id int64) (*WebhookDelivery, error) {
	var out WebhookDelivery
	if err := c.call(ctx, http.MethodPost, "/ext/v1/webhooks/%v/ping", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// RedeliverWebhook: send a delivery again
func (c *Client) RedeliverWebhook(ctx context.Context, id int64, deliveryID int64) (*WebhookDelivery, error) {
	var out WebhookDelivery
	if err := c.call(ctx, http.MethodPost, "/ext/v1/webhooks/%v/deliveries/%v/redelivery", []any{id, deliveryID}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// RemoveChannelFeed: unsubscribe a channel from a feed
func (c *Client) RemoveChannelFeed(ctx context.Context, id client.Ref, feedID int64) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/channels/%v/feeds/%v", []any{id, feedID}, nil, nil, nil)
}

// RemoveCollaborator: end a collaboration
func (c *Client) RemoveCollaborator(ctx context.Context, id client.Ref, kind string, collaboratorID int64) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/channels/%v/collaborators/%v/%v", []any{id, kind, collaboratorID}, nil, nil, nil)
}

// ReprocessBlock: process a block again
func (c *Client) ReprocessBlock(ctx context.Context, id int64) (*BlockProcessing, error) {
	var out BlockProcessing
	if err := c.call(ctx, http.MethodPost, "/ext/v1/blocks/%v/reprocess", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// RequestSnapshot: request a copy of a block's page from the server
func (c *Client) RequestSnapshot(ctx context.Context, id int64) (*SnapshotRequest, error) {
	var out SnapshotRequest
	if err := c.call(ctx, http.MethodPost, "/ext/v1/blocks/%v/snapshot-request", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// RotateWebhookSecret: give a webhook a new secret
func (c *Client) RotateWebhookSecret(ctx context.Context, id int64) (*Webhook, error) {
	var out Webhook
	if err := c.call(ctx, http.MethodPost, "/ext/v1/webhooks/%v/secret", []any{id}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// RunBulk: carry out up to 100 operations
func (c *Client) RunBulk(ctx context.Context, body *RunBulkRequest) (*BulkResults, error) {
	var out BulkResults
	if err := c.call(ctx, http.MethodPost, "/ext/v1/bulk", []any{}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// SearchByMetadataParams are the parameters of SearchByMetadata. Zero values are not sent.
type SearchByMetadataParams struct {
	// The search query. `q` is accepted too.
	Query string `query:"query"`
	// A condition such as `year>=1970`; can be repeated. `metadata.year=1972` is short for `metadata=year=1972`.
	Metadata []string `query:"metadata,repeat"`
	// Kinds of results, comma-joined or repeated. `Block` includes all kinds of blocks, `All` everything.
	Type []string `query:"type"`
	// As in `/v3/search`.
	Scope string `query:"scope"`
	// Only items that this user created.
	UserID int64 `query:"user_id"`
	// Only channels of this group, and blocks in them.
	GroupID int64 `query:"group_id"`
	// Only items in this channel.
	ChannelID int64 `query:"channel_id"`
	// An order of `/v3/search` except `random`, or `metadata.` with a key and `_asc` or `_desc`.
	Sort string `query:"sort"`
	// Page number, from 1. A page past the end is empty.
	Page int64 `query:"page"`
	// Items per page.
	Per int64 `query:"per"`
}

// SearchByMetadata: search with conditions on metadata
func (c *Client) SearchByMetadata(ctx context.Context, params *SearchByMetadataParams) (*FoundList, error) {
	var out FoundList
	if err := c.call(ctx, http.MethodGet, "/ext/v1/search", []any{}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AllSearchByMetadata returns all items of SearchByMetadata, page by page.
func (c *Client) AllSearchByMetadata(ctx context.Context, params *SearchByMetadataParams) iter.Seq2[Item, error] {
	var p SearchByMetadataParams
	if params != nil {
		p = *params
	}
	return rest.Pages(func() (data []Item, more bool, err error) {
		list, err := c.SearchByMetadata(ctx, &p)
		if err != nil {
			return nil, false, err
		}
		p.Page = list.Meta.CurrentPage + 1
		return list.Data, list.Meta.HasMorePages, nil
	})
}

// SetBlockFileMetadata: choose whether the files of a block show their metadata
func (c *Client) SetBlockFileMetadata(ctx context.Context, id int64, body *SetBlockFileMetadataRequest) (*FileMetadata, error) {
	var out FileMetadata
	if err := c.call(ctx, http.MethodPut, "/ext/v1/blocks/%v/file-metadata", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// SetBlockSnapshotPolicy: choose when the server copies a block's page
func (c *Client) SetBlockSnapshotPolicy(ctx context.Context, id int64, body *SetBlockSnapshotPolicyRequest) (*SnapshotPolicy, error) {
	var out SnapshotPolicy
	if err := c.call(ctx, http.MethodPut, "/ext/v1/blocks/%v/snapshot-policy", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// SetChannelSnapshotPolicy: choose when the server copies the pages of a channel
func (c *Client) SetChannelSnapshotPolicy(ctx context.Context, id client.Ref, body *SetChannelSnapshotPolicyRequest) (*SnapshotPolicy, error) {
	var out SnapshotPolicy
	if err := c.call(ctx, http.MethodPut, "/ext/v1/channels/%v/snapshot-policy", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ShareSnapshot: choose who sees a saved copy
func (c *Client) ShareSnapshot(ctx context.Context, id int64, body *ShareSnapshotRequest) (*Snapshot, error) {
	var out Snapshot
	if err := c.call(ctx, http.MethodPut, "/ext/v1/snapshots/%v", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ShowBlockParams are the parameters of ShowBlock. Zero values are not sent.
type ShowBlockParams struct {
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
	// What to add to each item, comma-joined: `user`, the complete author of a block; `owner`, the complete owner
	// of a channel; `channels`, the newest 10 channels that a block or channel is in; `contents`, the first 10
	// items of a channel, from the top.
	Expand string `query:"expand"`
}

// ShowBlock: read a block
func (c *Client) ShowBlock(ctx context.Context, id int64, params *ShowBlockParams) (*Item, error) {
	var out Item
	if err := c.call(ctx, http.MethodGet, "/ext/v1/blocks/%v", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ShowChannelParams are the parameters of ShowChannel. Zero values are not sent.
type ShowChannelParams struct {
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
	// What to add to each item, comma-joined: `user`, the complete author of a block; `owner`, the complete owner
	// of a channel; `channels`, the newest 10 channels that a block or channel is in; `contents`, the first 10
	// items of a channel, from the top.
	Expand string `query:"expand"`
}

// ShowChannel: read a channel
func (c *Client) ShowChannel(ctx context.Context, id client.Ref, params *ShowChannelParams) (*Item, error) {
	var out Item
	if err := c.call(ctx, http.MethodGet, "/ext/v1/channels/%v", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ShowCommentParams are the parameters of ShowComment. Zero values are not sent.
type ShowCommentParams struct {
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
}

// ShowComment: read a comment
func (c *Client) ShowComment(ctx context.Context, id int64, params *ShowCommentParams) (*Item, error) {
	var out Item
	if err := c.call(ctx, http.MethodGet, "/ext/v1/comments/%v", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ShowConnectionParams are the parameters of ShowConnection. Zero values are not sent.
type ShowConnectionParams struct {
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
}

// ShowConnection: read a connection
func (c *Client) ShowConnection(ctx context.Context, id int64, params *ShowConnectionParams) (*Connection, error) {
	var out Connection
	if err := c.call(ctx, http.MethodGet, "/ext/v1/connections/%v", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ShowGroupParams are the parameters of ShowGroup. Zero values are not sent.
type ShowGroupParams struct {
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
}

// ShowGroup: read a group
func (c *Client) ShowGroup(ctx context.Context, id client.Ref, params *ShowGroupParams) (*Item, error) {
	var out Item
	if err := c.call(ctx, http.MethodGet, "/ext/v1/groups/%v", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ShowUserParams are the parameters of ShowUser. Zero values are not sent.
type ShowUserParams struct {
	// Names of the fields to return, comma-joined, such as `id,title,user.slug`. A name selects everything below
	// it. Without it, all fields are returned. At most 50 names.
	Fields string `query:"fields"`
}

// ShowUser: read a user
func (c *Client) ShowUser(ctx context.Context, id client.Ref, params *ShowUserParams) (*Item, error) {
	var out Item
	if err := c.call(ctx, http.MethodGet, "/ext/v1/users/%v", []any{id}, params, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// StartExport: export all your content
func (c *Client) StartExport(ctx context.Context) (*Export, error) {
	var out Export
	if err := c.call(ctx, http.MethodPost, "/ext/v1/exports", []any{}, nil, nil, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// StartImport: import a collection
func (c *Client) StartImport(ctx context.Context, body *StartImportRequest) (*Import, error) {
	var out Import
	if err := c.call(ctx, http.MethodPost, "/ext/v1/imports", []any{}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// StopImport: stop an import
func (c *Client) StopImport(ctx context.Context, id int64) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/imports/%v", []any{id}, nil, nil, nil)
}

// UnfollowChannel: unfollow a channel
func (c *Client) UnfollowChannel(ctx context.Context, id client.Ref) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/channels/%v/follow", []any{id}, nil, nil, nil)
}

// UnfollowGroup: unfollow a group
func (c *Client) UnfollowGroup(ctx context.Context, id client.Ref) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/groups/%v/follow", []any{id}, nil, nil, nil)
}

// UnfollowUser: unfollow a user
func (c *Client) UnfollowUser(ctx context.Context, id client.Ref) error {
	return c.call(ctx, http.MethodDelete, "/ext/v1/users/%v/follow", []any{id}, nil, nil, nil)
}

// UpdateComment: change a comment
func (c *Client) UpdateComment(ctx context.Context, id int64, body *UpdateCommentRequest) (*Comment, error) {
	var out Comment
	if err := c.call(ctx, http.MethodPatch, "/ext/v1/comments/%v", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// UpdateHighlight: change the note about a highlight
func (c *Client) UpdateHighlight(ctx context.Context, id int64, body *UpdateHighlightRequest) (*Annotation, error) {
	var out Annotation
	if err := c.call(ctx, http.MethodPut, "/ext/v1/highlights/%v", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// UpdateMe: update your own profile
func (c *Client) UpdateMe(ctx context.Context, body *UpdateMeRequest) (*Profile, error) {
	var out Profile
	if err := c.call(ctx, http.MethodPatch, "/ext/v1/me", []any{}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// UpdateWebhook: change a webhook
func (c *Client) UpdateWebhook(ctx context.Context, id int64, body *UpdateWebhookRequest) (*Webhook, error) {
	var out Webhook
	if err := c.call(ctx, http.MethodPatch, "/ext/v1/webhooks/%v", []any{id}, nil, body, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

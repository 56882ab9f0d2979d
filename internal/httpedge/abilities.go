package httpedge

import (
	"strings"

	"vitrine/internal/domain"
)

// operation is what a call of an operation needs of the limits of a token.
type operation struct {
	ability domain.Ability // "" for reading
	inside  bool           // tokens that are limited to channels may call it, and the store keeps it within them
	reads   bool           // of those of operators: admin:read is enough
}

// operations lists all operations of the descriptions, and all tools of MCP with the prefix mcp_. A test checks that none is
// missing. A token that is limited to channels may only call the operations of the lists Inside: those that read only
// content of channels, besides what everyone sees of users and groups, and those whose changes the store checks
// (docs/design/tokens.md).
var operations = listed(
	reading(true, `getPing getReceipt getOpenapiSpec getOpenapiSpecJson getOpenapi getExtOpenapiSpecJson getSite
		getCurrentUser getMe getUser getGroup getGroupMembers getUserGroups
		getChannel getChannelContents getChannelConnections getChannelFollowers getChannelThumb getChannelChannels getCollaborators
		getBlock getBlockComments getBlockConnections getBlockChannels getComments getConnection
		getBlockProcessing getChannelFollow getUserFollow getGroupFollow listChanges streamChanges
		listChannelContents listChannelConnections listChannelFollowers listBlockConnections listBlockComments listGroupMembers listUserGroups
		showBlock showChannel showConnection showComment showUser showGroup
		mcp_read_block mcp_read_channel mcp_list_contents mcp_list_comments mcp_read_user`),
	reading(false, `search searchBlocks searchChannels searchUsers searchByMetadata filterChannelContents
		listUsers listUserContents listUserFollowers listUserFollowing listGroupContents listGroupFollowers listSearch
		getUserContents getUserChannels getUserChannel getUserFeed getUserFollowers getUserFollowing getUserNetwork
		getGroupContents getGroupChannels getGroupFollowers getGroupInvitations getGroupInvite
		getMyFeed getMyNotifications getMyUsage getAccounts getAccountChannels getFeed getGlobalFeed getNotifications getUnreadCount
		getChannelFeed listChannels getBatchStatus listChannelChoices listSaved listChannelFeeds
		getBlockFileMetadata getBlockSnapshotPolicy getChannelSnapshotPolicy listSnapshots getSnapshot getSnapshotRequest
		getBlockVersion listBlockVersions getChannelVersion listChannelVersions getMyVersion listMyVersions
		getGroupVersion listGroupVersions
		listWebhooks getWebhook listWebhookDeliveries listHighlights listBlockHighlights getHighlight listExports getExport getExportFile exportChannel listImports getImport
		mcp_search mcp_find_channels mcp_find_saved`),
	changing(domain.MaySave, true, `createBlock updateBlock presignUpload mcp_save mcp_update_block`),
	changing(domain.MaySave, false, `batchCreateBlocks savePage deleteBlock reprocessBlock setBlockFileMetadata setBlockSnapshotPolicy
		addSnapshot deleteSnapshot requestSnapshot shareSnapshot`),
	changing(domain.MayArrange, true, `createConnection updateConnection deleteConnection moveConnection disconnectBlock removeBlock
		removeConnection selectBlock selectConnection sortChannel mcp_connect mcp_disconnect mcp_move`),
	changing(domain.MayChannels, true, `updateChannel deleteChannel mcp_update_channel`),
	changing(domain.MayChannels, false, `createChannel addChannelFeed removeChannelFeed setChannelSnapshotPolicy mcp_create_channel`),
	changing(domain.MayComment, true, `createBlockComment createComment updateComment deleteComment mcp_comment`),
	changing(domain.MayFollow, true, `followChannel unfollowChannel`),
	changing(domain.MayFollow, false, `followUser unfollowUser followGroup unfollowGroup`),
	changing(domain.MayPeople, true, `addCollaborator addCollaborators removeCollaborator removeCollaborators setCollaborators`),
	changing(domain.MayPeople, false, `createGroup updateGroup deleteGroup joinGroup leaveGroup removeGroupMember
		createGroupInvitation revokeGroupInvitation createGroupInvite deleteGroupInvite`),
	changing(domain.MayAccount, false, `updateMe markAllMyNotificationsRead markMyNotificationRead clearNotifications
		createHighlight updateHighlight deleteHighlight createWebhook updateWebhook deleteWebhook rotateWebhookSecret pingWebhook redeliverWebhook createReport startExport deleteExport startImport stopImport`),
	operating(domain.AdminAccounts, `adminListAccounts adminGetAccount adminListStorage adminListInvitations adminListSignUpLinks
		adminListTokens adminListApplications adminListReceipts`,
		`adminCreateAccount adminStartExport adminUpdateAccount adminDeleteAccount adminSetEmail adminSetPassword adminResetPassword adminSignOut
		adminRemoveSecondFactor adminInvite adminEndInvitation adminCreateSignUpLink adminEndSignUpLink
		adminRevokeToken adminCreateApplication adminDeleteApplication`),
	operating(domain.AdminModeration, ``, `adminListReports adminGetReport adminDecideReport adminListHidden adminHide adminShow adminLook
		adminListBlocklist adminBlock adminUnblock`),
	operating(domain.AdminJobs, `adminListJobs adminListBackfills adminListBackups`, `adminRetryJob adminStartBackup`),
	operating(domain.AdminSite, `adminGetSite adminListPages adminGetPage adminGetReadOnly`, `adminUpdateSite adminAnnounce adminEndAnnouncement adminBeginReadOnly adminEndReadOnly adminSetSignUp adminSavePage adminDeletePage`),
	operating(domain.AdminRead, `adminGetServer adminListAudit`, ``),
	map[string]operation{
		"createOAuthToken": {inside: true}, // has no token
		"runBulk":          {inside: true}, // each of its operations is checked
	},
)

func listed(parts ...map[string]operation) map[string]operation {
	all := map[string]operation{}
	for _, part := range parts {
		for name, o := range part {
			if _, twice := all[name]; twice {
				panic("httpedge: the operation " + name + " is listed twice")
			}
			all[name] = o
		}
	}
	return all
}

func reading(inside bool, names string) map[string]operation { return changing("", inside, names) }

func changing(ability domain.Ability, inside bool, names string) map[string]operation {
	part := map[string]operation{}
	for name := range strings.FieldsSeq(names) {
		part[name] = operation{ability: ability, inside: inside}
	}
	return part
}

// operating lists the operations of operators that read, for which admin:read is enough, and the others.
func operating(ability domain.Ability, reads, others string) map[string]operation {
	part := changing(ability, false, others)
	for name := range strings.FieldsSeq(reads) {
		part[name] = operation{ability: ability, reads: true}
	}
	return part
}

// ErrAdmin refuses an operation of operators to other tokens.
var ErrAdmin = domain.NewForbidden("The token may not operate the server: an operator can create one that may")

// ErrLimits refuses an operation that the limits of a token do not allow.
var ErrLimits = domain.NewForbidden("The token does not allow this kind of change")

// ErrChannels refuses an operation that is not possible within channels.
var ErrChannels = domain.NewForbidden("The token is limited to channels, and this operation is not")

// WithinLimits refuses an operation that the limits of the token do not allow. An operation that is not listed needs a token
// without limits, and one of operators a token that names its ability.
func WithinLimits(name string, limits *domain.TokenLimits) error {
	o, known := operations[name]
	if o.ability.Admin() || strings.HasPrefix(name, "admin") {
		if !limits.Allows(o.ability) && !(o.reads && limits.Allows(domain.AdminRead)) || !known {
			return ErrAdmin
		}
	}
	if limits == nil {
		return nil
	}
	switch {
	case !known || o.ability != "" && !o.ability.Admin() && !limits.Allows(o.ability):
		return ErrLimits
	case limits.InChannels() && !o.inside:
		return ErrChannels
	}
	return nil
}

package store

import (
	"vitrine/internal/domain"
	"vitrine/internal/store/account"
	"vitrine/internal/store/activity"
	"vitrine/internal/store/blobs"
	"vitrine/internal/store/bulk"
	"vitrine/internal/store/changes"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/derived"
	"vitrine/internal/store/membership"
	"vitrine/internal/store/moderation"
	"vitrine/internal/store/reading"
	"vitrine/internal/store/redo"
	"vitrine/internal/store/saved"
	"vitrine/internal/store/search"
	"vitrine/internal/store/transfer"
	"vitrine/internal/store/vectors"
	"vitrine/internal/store/webhooks"
)

// The topics of the store. Each is a package with Reads, which every connection has, and often Writes, which only a
// transaction has, and Lists, which count and read a page from one state and which only a snapshot has. Writes and Lists
// contain the Reads of their topic.

// Account returns the statements of package account.
func (q Queries) Account() account.Reads { return account.NewReads(q.db) }

// Activity returns the statements of package activity.
func (q Queries) Activity() activity.Reads { return activity.NewReads(q.db) }

// Audit returns the statements of package activity.
func (q Queries) Audit() activity.AuditReads { return activity.NewAuditReads(q.db) }

// Backfills returns the statements of package derived.
func (q Queries) Backfills() derived.BackfillReads { return derived.NewBackfillReads(q.db) }

// Backups returns the statements of package blobs.
func (q Queries) Backups() blobs.BackupReads { return blobs.NewBackupReads(q.db) }

// Blobs returns the statements of package blobs.
func (q Queries) Blobs() blobs.Reads { return blobs.NewReads(q.db) }

// Bulk returns the statements of package bulk.
func (q Queries) Bulk() bulk.Reads { return bulk.NewReads(q.db) }

// Changes returns the statements of package changes.
func (q Queries) Changes() changes.Reads { return changes.NewReads(q.db) }

// Comments returns the statements of package contents.
func (q Queries) Comments() contents.CommentReads { return contents.NewCommentReads(q.db) }

// Contents returns the statements of package contents.
func (q Queries) Contents() contents.Reads { return contents.NewReads(q.db) }

// Counters returns the statements of package counters.
func (q Queries) Counters() counters.Reads { return counters.NewReads(q.db) }

// Exports returns the statements of package transfer.
func (q Queries) Exports() transfer.ExportReads { return transfer.NewExportReads(q.db) }

// Feeds returns the statements of package transfer about feeds of channels.
func (q Queries) Feeds() transfer.FeedReads { return transfer.NewFeedReads(q.db) }

// Hiding returns the statements of package moderation.
func (q Queries) Hiding() moderation.HidingReads { return moderation.NewHidingReads(q.db) }

// Identity returns the statements of package account.
func (q Queries) Identity() account.IdentityReads { return account.NewIdentityReads(q.db) }

// Imports returns the statements of package transfer.
func (q Queries) Imports() transfer.ImportReads { return transfer.NewImportReads(q.db) }

// Membership returns the statements of package membership.
func (q Queries) Membership() membership.Reads { return membership.NewReads(q.db) }

// Moderation returns the statements of package moderation.
func (q Queries) Moderation() moderation.Reads { return moderation.NewReads(q.db) }

// Mailboxes returns the statements of package transfer about addresses for mails.
func (q Queries) Mailboxes() transfer.MailboxReads { return transfer.NewMailboxReads(q.db) }

// Nearby returns the statements of package contents.
func (q Queries) Nearby() contents.NearbyReads { return contents.NewNearbyReads(q.db) }

// Origins returns the statements of package transfer.
func (q Queries) Origins() transfer.OriginReads { return transfer.NewOriginReads(q.db) }

// Reading returns the statements of package reading.
func (q Queries) Reading() reading.Reads { return reading.NewReads(q.db) }

// Redo returns the statements of package redo.
func (q Queries) Redo() redo.Reads { return redo.NewReads(q.db) }

// Saved returns the statements of package saved.
func (q Queries) Saved() saved.Reads { return saved.NewReads(q.db) }

// Vectors returns the statements of package vectors.
func (q Queries) Vectors() vectors.Reads { return vectors.NewReads(q.db) }

// Versions returns the statements of package contents about earlier texts.
func (q Queries) Versions() contents.VersionReads { return contents.NewVersionReads(q.db) }

// Webhooks returns the statements of package webhooks.
func (q Queries) Webhooks() webhooks.Reads { return webhooks.NewReads(q.db) }

// Account returns the statements of package account for a snapshot.
func (v *Snapshot) Account() account.Lists { return account.NewLists(v.db) }

// Activity returns the statements of package activity for a snapshot.
func (v *Snapshot) Activity() activity.Lists { return activity.NewLists(v.db, v.feeds) }

// Comments returns the statements of package contents for a snapshot.
func (v *Snapshot) Comments() contents.CommentLists { return contents.NewCommentLists(v.db) }

// Contents returns the statements of package contents for a snapshot.
func (v *Snapshot) Contents() contents.Lists { return contents.NewLists(v.db, v.search.Listed) }

// Imports returns the statements of package transfer for a snapshot.
func (v *Snapshot) Imports() transfer.ImportLists { return transfer.NewImportLists(v.db) }

// Membership returns the statements of package membership for a snapshot.
func (v *Snapshot) Membership() membership.Lists { return membership.NewLists(v.db) }

// Account returns the statements of package account for a transaction.
func (tx *Tx) Account() account.Writes { return account.NewWrites(tx.db) }

// Activity returns the statements of package activity for a transaction.
func (tx *Tx) Activity() activity.Writes {
	if tx.sources == nil {
		tx.sources = map[domain.Subject]int64{}
	}
	return activity.NewWrites(tx.db, tx, tx.sources)
}

// Audit returns the statements of package activity for a transaction.
func (tx *Tx) Audit() activity.AuditWrites { return activity.NewAuditWrites(tx.db) }

// Backups returns the statements of package blobs for a transaction.
func (tx *Tx) Backups() blobs.BackupWrites { return blobs.NewBackupWrites(tx.db) }

// Blobs returns the statements of package blobs for a transaction.
func (tx *Tx) Blobs() blobs.Writes { return blobs.NewWrites(tx.db, tx.deltas()) }

// Bulk returns the statements of package bulk for a transaction.
func (tx *Tx) Bulk() bulk.Writes { return bulk.NewWrites(tx.db, tx.deltas(), tx.documents()) }

// Changes returns the statements of package changes for a transaction.
func (tx *Tx) Changes() changes.Writes { return changes.NewWrites(tx.db) }

// Counters returns the statements of package counters for a transaction.
func (tx *Tx) Counters() counters.Writes { return counters.NewWrites(tx.db) }

// Documents returns the statements of package search for a transaction.
func (tx *Tx) Documents() search.DocumentWrites { return search.NewDocumentWrites(tx.documents()) }

// Exports returns the statements of package transfer for a transaction.
func (tx *Tx) Exports() transfer.ExportWrites { return transfer.NewExportWrites(tx.db) }

// Feeds returns the statements of package transfer about feeds of channels for a transaction.
func (tx *Tx) Feeds() transfer.FeedWrites { return transfer.NewFeedWrites(tx.db) }

// Hiding returns the statements of package moderation, and those of this package, for a transaction.
func (tx *Tx) Hiding() HidingWrites { return HidingWrites{moderation.NewHidingWrites(tx.db), tx} }

// Identity returns the statements of package account for a transaction.
func (tx *Tx) Identity() account.IdentityWrites { return account.NewIdentityWrites(tx.db) }

// Imports returns the statements of package transfer for a transaction.
func (tx *Tx) Imports() transfer.ImportWrites { return transfer.NewImportWrites(tx.db) }

// Mailboxes returns the statements of package transfer about addresses for mails for a transaction.
func (tx *Tx) Mailboxes() transfer.MailboxWrites { return transfer.NewMailboxWrites(tx.db) }

// Membership returns the statements of package membership for a transaction.
func (tx *Tx) Membership() membership.Writes { return membership.NewWrites(tx.db) }

// Moderation returns the statements of package moderation for a transaction.
func (tx *Tx) Moderation() moderation.Writes { return moderation.NewWrites(tx.db) }

// Nearby returns the statements of package contents for a transaction.
func (tx *Tx) Nearby() contents.Writes { return contents.NewWrites(tx.db) }

// Origins returns the statements of package transfer for a transaction.
func (tx *Tx) Origins() transfer.OriginWrites { return transfer.NewOriginWrites(tx.db) }

// Reading returns the statements of package reading for a transaction.
func (tx *Tx) Reading() reading.Writes { return reading.NewWrites(tx.db) }

// Redo returns the statements of package redo for a transaction.
func (tx *Tx) Redo() redo.Writes { return redo.NewWrites(tx.db) }

// Saved returns the statements of package saved for a transaction.
func (tx *Tx) Saved() saved.Writes { return saved.NewWrites(tx.db) }

// Vectors returns the statements of package vectors for a transaction.
func (tx *Tx) Vectors() vectors.Writes { return vectors.NewWrites(tx.db) }

// Versions returns the statements of package contents about earlier texts for a transaction.
func (tx *Tx) Versions() contents.VersionWrites { return contents.NewVersionWrites(tx.db) }

// Webhooks returns the statements of package webhooks for a transaction.
func (tx *Tx) Webhooks() webhooks.Writes { return webhooks.NewWrites(tx.db) }

// The topics of package store itself, whose statements lock, index or order rows of several topics.

type (
	// BlockReads reads blocks.
	BlockReads struct{ q Queries }

	// BlockWrites also writes blocks.
	BlockWrites struct {
		BlockReads
		tx *Tx
	}
)

// Blocks returns the statements that read blocks.
func (q Queries) Blocks() BlockReads { return BlockReads{q} }

// Blocks returns the statements of a transaction.
func (tx *Tx) Blocks() BlockWrites { return BlockWrites{BlockReads{tx.Queries}, tx} }

type (
	// ChannelReads reads channels.
	ChannelReads struct{ q Queries }

	// ChannelWrites also writes channels.
	ChannelWrites struct {
		ChannelReads
		tx *Tx
	}
)

// Channels returns the statements that read channels.
func (q Queries) Channels() ChannelReads { return ChannelReads{q} }

// Channels returns the statements of a transaction.
func (tx *Tx) Channels() ChannelWrites { return ChannelWrites{ChannelReads{tx.Queries}, tx} }

type (
	// SlugReads reads slugs.
	SlugReads struct{ q Queries }

	// SlugWrites also writes slugs.
	SlugWrites struct {
		SlugReads
		tx *Tx
	}
)

// Slugs returns the statements that read slugs.
func (q Queries) Slugs() SlugReads { return SlugReads{q} }

// Slugs returns the statements of a transaction.
func (tx *Tx) Slugs() SlugWrites { return SlugWrites{SlugReads{tx.Queries}, tx} }

type (
	// TransitionReads reads changes of a channel's visibility that are applied to its contents in parts.
	TransitionReads struct{ q Queries }

	// TransitionWrites also writes changes of a channel's visibility that are applied to its contents in parts.
	TransitionWrites struct {
		TransitionReads
		tx *Tx
	}
)

// Transitions returns the statements that read changes of a channel's visibility that are applied to its contents in parts.
func (q Queries) Transitions() TransitionReads { return TransitionReads{q} }

// Transitions returns the statements of a transaction.
func (tx *Tx) Transitions() TransitionWrites {
	return TransitionWrites{TransitionReads{tx.Queries}, tx}
}

// ConnectionWrites writes connections.
type ConnectionWrites struct{ tx *Tx }

// Connections returns the statements of a transaction.
func (tx *Tx) Connections() ConnectionWrites { return ConnectionWrites{tx} }

type (
	// UserReads reads users.
	UserReads struct{ q Queries }

	// UserWrites also writes users.
	UserWrites struct {
		UserReads
		tx *Tx
	}

	// UserLists also counts and reads pages of users.
	UserLists struct {
		UserReads
		v *Snapshot
	}
)

// Users returns the statements that read users.
func (q Queries) Users() UserReads { return UserReads{q} }

// Users returns the statements of a transaction.
func (tx *Tx) Users() UserWrites { return UserWrites{UserReads{tx.Queries}, tx} }

// Users returns the statements of a snapshot.
func (v *Snapshot) Users() UserLists { return UserLists{UserReads{v.Queries}, v} }

type (
	// PrincipalReads reads users and groups as owners.
	PrincipalReads struct{ q Queries }

	// PrincipalWrites also writes users and groups as owners.
	PrincipalWrites struct {
		PrincipalReads
		tx *Tx
	}
)

// Principals returns the statements that read users and groups as owners.
func (q Queries) Principals() PrincipalReads { return PrincipalReads{q} }

// Principals returns the statements of a transaction.
func (tx *Tx) Principals() PrincipalWrites { return PrincipalWrites{PrincipalReads{tx.Queries}, tx} }

type (
	// AvatarReads reads avatars.
	AvatarReads struct{ q Queries }

	// AvatarWrites also writes avatars.
	AvatarWrites struct {
		AvatarReads
		tx *Tx
	}
)

// Avatars returns the statements that read avatars.
func (q Queries) Avatars() AvatarReads { return AvatarReads{q} }

// Avatars returns the statements of a transaction.
func (tx *Tx) Avatars() AvatarWrites { return AvatarWrites{AvatarReads{tx.Queries}, tx} }

type (
	// GroupReads reads groups.
	GroupReads struct{ q Queries }

	// GroupWrites also writes groups.
	GroupWrites struct {
		GroupReads
		tx *Tx
	}

	// GroupLists also counts and reads pages of groups.
	GroupLists struct {
		GroupReads
		v *Snapshot
	}
)

// Groups returns the statements that read groups.
func (q Queries) Groups() GroupReads { return GroupReads{q} }

// Groups returns the statements of a transaction.
func (tx *Tx) Groups() GroupWrites { return GroupWrites{GroupReads{tx.Queries}, tx} }

// Groups returns the statements of a snapshot.
func (v *Snapshot) Groups() GroupLists { return GroupLists{GroupReads{v.Queries}, v} }

// CommentWrites writes comments, and contains the Reads of package contents.
type CommentWrites struct {
	contents.CommentReads
	tx *Tx
}

// Comments returns the statements of a transaction.
func (tx *Tx) Comments() CommentWrites { return CommentWrites{tx.Queries.Comments(), tx} }

// HidingWrites hides and shows subjects, and contains the Writes of package moderation.
type HidingWrites struct {
	moderation.HidingWrites
	tx *Tx
}

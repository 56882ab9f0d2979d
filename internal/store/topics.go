package store

import (
	"vitrine/internal/store/account"
	"vitrine/internal/store/activity"
	"vitrine/internal/store/audit"
	"vitrine/internal/store/backfills"
	"vitrine/internal/store/backups"
	"vitrine/internal/store/blobs"
	"vitrine/internal/store/bulk"
	"vitrine/internal/store/comments"
	"vitrine/internal/store/contents"
	"vitrine/internal/store/counters"
	"vitrine/internal/store/documents"
	"vitrine/internal/store/exports"
	"vitrine/internal/store/hiding"
	"vitrine/internal/store/identity"
	"vitrine/internal/store/imports"
	"vitrine/internal/store/membership"
	"vitrine/internal/store/moderation"
	"vitrine/internal/store/nearby"
	"vitrine/internal/store/origins"
	"vitrine/internal/store/redo"
)

// The topics of the store. Each is a package with Reads, which every connection has, and often Writes, which only a
// transaction has, and Lists, which count and read a page from one state and which only a snapshot has. Writes and Lists
// contain the Reads of their topic.

// Account returns the statements of package account.
func (q Queries) Account() account.Reads { return account.NewReads(q.db) }

// Activity returns the statements of package activity.
func (q Queries) Activity() activity.Reads { return activity.NewReads(q.db) }

// Audit returns the statements of package audit.
func (q Queries) Audit() audit.Reads { return audit.NewReads(q.db) }

// Backfills returns the statements of package backfills.
func (q Queries) Backfills() backfills.Reads { return backfills.NewReads(q.db) }

// Backups returns the statements of package backups.
func (q Queries) Backups() backups.Reads { return backups.NewReads(q.db) }

// Blobs returns the statements of package blobs.
func (q Queries) Blobs() blobs.Reads { return blobs.NewReads(q.db) }

// Bulk returns the statements of package bulk.
func (q Queries) Bulk() bulk.Reads { return bulk.NewReads(q.db) }

// Comments returns the statements of package comments.
func (q Queries) Comments() comments.Reads { return comments.NewReads(q.db) }

// Contents returns the statements of package contents.
func (q Queries) Contents() contents.Reads { return contents.NewReads(q.db) }

// Counters returns the statements of package counters.
func (q Queries) Counters() counters.Reads { return counters.NewReads(q.db) }

// Exports returns the statements of package exports.
func (q Queries) Exports() exports.Reads { return exports.NewReads(q.db) }

// Hiding returns the statements of package hiding.
func (q Queries) Hiding() hiding.Reads { return hiding.NewReads(q.db) }

// Identity returns the statements of package identity.
func (q Queries) Identity() identity.Reads { return identity.NewReads(q.db) }

// Imports returns the statements of package imports.
func (q Queries) Imports() imports.Reads { return imports.NewReads(q.db) }

// Membership returns the statements of package membership.
func (q Queries) Membership() membership.Reads { return membership.NewReads(q.db) }

// Moderation returns the statements of package moderation.
func (q Queries) Moderation() moderation.Reads { return moderation.NewReads(q.db) }

// Nearby returns the statements of package nearby.
func (q Queries) Nearby() nearby.Reads { return nearby.NewReads(q.db) }

// Origins returns the statements of package origins.
func (q Queries) Origins() origins.Reads { return origins.NewReads(q.db) }

// Redo returns the statements of package redo.
func (q Queries) Redo() redo.Reads { return redo.NewReads(q.db) }

// Account returns the statements of package account for a snapshot.
func (v *Snapshot) Account() account.Lists { return account.NewLists(v.db) }

// Activity returns the statements of package activity for a snapshot.
func (v *Snapshot) Activity() activity.Lists { return activity.NewLists(v.db) }

// Comments returns the statements of package comments for a snapshot.
func (v *Snapshot) Comments() comments.Lists { return comments.NewLists(v.db) }

// Contents returns the statements of package contents for a snapshot.
func (v *Snapshot) Contents() contents.Lists { return contents.NewLists(v.db, v.search.Listed) }

// Imports returns the statements of package imports for a snapshot.
func (v *Snapshot) Imports() imports.Lists { return imports.NewLists(v.db) }

// Membership returns the statements of package membership for a snapshot.
func (v *Snapshot) Membership() membership.Lists { return membership.NewLists(v.db) }

// Account returns the statements of package account for a transaction.
func (tx *Tx) Account() account.Writes { return account.NewWrites(tx.db) }

// Activity returns the statements of package activity for a transaction.
func (tx *Tx) Activity() activity.Writes { return activity.NewWrites(tx.db, tx) }

// Audit returns the statements of package audit for a transaction.
func (tx *Tx) Audit() audit.Writes { return audit.NewWrites(tx.db) }

// Backups returns the statements of package backups for a transaction.
func (tx *Tx) Backups() backups.Writes { return backups.NewWrites(tx.db) }

// Blobs returns the statements of package blobs for a transaction.
func (tx *Tx) Blobs() blobs.Writes { return blobs.NewWrites(tx.db, tx.deltas) }

// Bulk returns the statements of package bulk for a transaction.
func (tx *Tx) Bulk() bulk.Writes { return bulk.NewWrites(tx.db, tx.deltas, tx.documents) }

// Counters returns the statements of package counters for a transaction.
func (tx *Tx) Counters() counters.Writes { return counters.NewWrites(tx.db) }

// Documents returns the statements of package documents for a transaction.
func (tx *Tx) Documents() documents.Writes { return documents.NewWrites(tx.documents) }

// Exports returns the statements of package exports for a transaction.
func (tx *Tx) Exports() exports.Writes { return exports.NewWrites(tx.db) }

// Hiding returns the statements of package hiding for a transaction.
func (tx *Tx) Hiding() hiding.Writes { return hiding.NewWrites(tx.db) }

// Identity returns the statements of package identity for a transaction.
func (tx *Tx) Identity() identity.Writes { return identity.NewWrites(tx.db) }

// Imports returns the statements of package imports for a transaction.
func (tx *Tx) Imports() imports.Writes { return imports.NewWrites(tx.db) }

// Membership returns the statements of package membership for a transaction.
func (tx *Tx) Membership() membership.Writes { return membership.NewWrites(tx.db) }

// Moderation returns the statements of package moderation for a transaction.
func (tx *Tx) Moderation() moderation.Writes { return moderation.NewWrites(tx.db) }

// Nearby returns the statements of package nearby for a transaction.
func (tx *Tx) Nearby() nearby.Writes { return nearby.NewWrites(tx.db) }

// Origins returns the statements of package origins for a transaction.
func (tx *Tx) Origins() origins.Writes { return origins.NewWrites(tx.db) }

// Redo returns the statements of package redo for a transaction.
func (tx *Tx) Redo() redo.Writes { return redo.NewWrites(tx.db) }

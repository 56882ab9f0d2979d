// Package membership stores the members of groups, the collaborators of channels, and invitations
// to groups.
package membership

import "vitrine/internal/store/sqlx"

// Reads contains the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// NewReads returns the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Lists contains the statements that count and read a page, which need one consistent state for
// both.
type Lists struct{ Reads }

// NewLists returns the statements on the connection of a snapshot.
func NewLists(db sqlx.Conn) Lists { return Lists{NewReads(db)} }

// Writes contains the statements of a transaction.
type Writes struct{ Reads }

// NewWrites returns the statements on the connection of a transaction.
func NewWrites(db sqlx.Conn) Writes { return Writes{NewReads(db)} }

// Package nearby reads what pages show next to an item: its neighbours in a channel, related
// channels, previews of channels, and the channels that a user is likely to need next.
package nearby

import "vitrine/internal/store/sqlx"

// Reads contains the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// NewReads returns the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Writes contains the statements of a transaction.
type Writes struct{ Reads }

// NewWrites returns the statements on the connection of a transaction.
func NewWrites(db sqlx.Conn) Writes { return Writes{NewReads(db)} }

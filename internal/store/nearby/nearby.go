// Package nearby is what pages show beside a thing: the neighbours of an item in a channel,
// channels that share items with one, a look into channels, and the channels that a user is
// likely to want next.
package nearby

import "vitrine/internal/store/sqlx"

// Reads are the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// NewReads gives the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Writes are the statements of a transaction.
type Writes struct{ db sqlx.Conn }

// NewWrites gives the statements on the connection of a transaction.
func NewWrites(db sqlx.Conn) Writes { return Writes{db} }

// Package membership is who belongs to a group, who helps with a channel, and who is
// invited to a group.
package membership

import "vitrine/internal/store/sqlx"

// Reads are the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// NewReads gives the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Lists are the statements that count and read a page, and so want one state for both.
type Lists struct{ db sqlx.Conn }

// NewLists gives the statements on the connection of a snapshot.
func NewLists(db sqlx.Conn) Lists { return Lists{db} }

// Writes are the statements of a transaction.
type Writes struct{ db sqlx.Conn }

// NewWrites gives the statements on the connection of a transaction.
func NewWrites(db sqlx.Conn) Writes { return Writes{db} }

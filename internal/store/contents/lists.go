// Package contents is what is in a channel, with the position of each connection, and in
// which channels an item is. It reads alone: the store connects and moves.
package contents

import "vitrine/internal/store/sqlx"

// Reads are the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// NewReads gives the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Lists are the statements that count and read a page, and so want one state for both.
type Lists struct {
	db     sqlx.Conn
	listed int64 // private items of a channel at most; more are looked up as they are met
}

// NewLists gives the statements on the connection of a snapshot.
func NewLists(db sqlx.Conn, listed int64) Lists { return Lists{db, listed} }

// Package blobs is where the bytes of files are, and how they come: blobs, the files that
// show them, uploads, and how far the content of a block has been got.
package blobs

import (
	"vitrine/internal/store/counters"
	"vitrine/internal/store/sqlx"
)

// Reads are the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// NewReads gives the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Writes are the statements of a transaction. They count bytes in its deltas.
type Writes struct {
	db     sqlx.Conn
	deltas *counters.Deltas
}

// NewWrites gives the statements on the connection of a transaction.
func NewWrites(db sqlx.Conn, deltas *counters.Deltas) Writes {
	return Writes{db, deltas}
}

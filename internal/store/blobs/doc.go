// Package blobs stores where the bytes of files are and how they arrive: blobs, the files that
// refer to them, uploads, and the processing of a block's content. It also records backups, and
// keeps all files from being removed while one is being made.
package blobs

import (
	"vitrine/internal/store/counters"
	"vitrine/internal/store/sqlx"
)

// Reads contains the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// NewReads returns the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Writes contains the statements of a transaction. They count bytes in its deltas.
type Writes struct {
	Reads
	deltas *counters.Deltas
}

// NewWrites returns the statements on the connection of a transaction.
func NewWrites(db sqlx.Conn, deltas *counters.Deltas) Writes {
	return Writes{NewReads(db), deltas}
}

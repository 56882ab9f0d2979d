// Package contents reads what is in a channel and around an item: the connections of a channel
// with their positions, the channels of an item, the comments on blocks, neighbours in a channel,
// related channels, previews of channels, and the channels that a user is likely to need next. The
// store itself connects and moves items.
package contents

import "vitrine/internal/store/sqlx"

// Reads contains the statements that change nothing.
type Reads struct{ db sqlx.Conn }

// NewReads returns the statements on a connection.
func NewReads(db sqlx.Conn) Reads { return Reads{db} }

// Lists contains the statements that count and read a page, which need one consistent state for
// both.
type Lists struct {
	Reads
	listed int64 // maximum number of private items that are listed; beyond it, they are looked up during the scan
}

// NewLists returns the statements on the connection of a snapshot.
func NewLists(db sqlx.Conn, listed int64) Lists { return Lists{NewReads(db), listed} }

package contents

import "vitrine/internal/store/sqlx"

// NearbyReads contains the statements that change nothing.
type NearbyReads struct{ db sqlx.Conn }

// NewNearbyReads returns the statements on a connection.
func NewNearbyReads(db sqlx.Conn) NearbyReads { return NearbyReads{db} }

// Writes contains the statements of a transaction.
type Writes struct{ NearbyReads }

// NewWrites returns the statements on the connection of a transaction.
func NewWrites(db sqlx.Conn) Writes { return Writes{NewNearbyReads(db)} }

package sqlx

import "fmt"

// Check is a query that returns (id, stored, actual) if a derived value differs from the facts.
// Each package checks the tables that it derives.
type Check struct{ What, Query string }

// Difference is a derived value that differs from the facts.
type Difference struct {
	What   string // table and column
	ID     int64  // of the row; of the channel for nodes of an order
	Stored int64
	Actual int64
}

func (d Difference) String() string {
	return fmt.Sprintf("%s of %d: stored %d, actual %d", d.What, d.ID, d.Stored, d.Actual)
}

package sqlx

import "fmt"

// Check is a query that gives (id, stored, actual) where a derived value is not what the
// facts say. Each room has those of the tables that it derives.
type Check struct{ What, Query string }

// Difference is a derived value that is not what the facts say.
type Difference struct {
	What   string // table and column
	ID     int64  // of the row; of the channel for nodes of an order
	Stored int64
	Actual int64
}

func (d Difference) String() string {
	return fmt.Sprintf("%s of %d: stored %d, actual %d", d.What, d.ID, d.Stored, d.Actual)
}

package sqlx

import (
	"strconv"
	"strings"
)

// Args collects the arguments of a statement that is built in several steps.
type Args []any

// Add appends an argument and returns its placeholder.
func (a *Args) Add(v any) string {
	*a = append(*a, v)
	return "$" + strconv.Itoa(len(*a))
}

// BatchRows is how many rows one statement writes. SQLite's driver looks up the name of each
// parameter among all parameters of the statement, so each row costs more in a larger batch (200
// rows: four times as much). Smaller batches would cost PostgreSQL more round trips.
const BatchRows = 16

// Tuples returns the placeholders of several rows: "($1, $2), ($3, $4)" for 2 rows of 2.
func Tuples(rows, width int) string {
	var b strings.Builder
	for i := range rows * width {
		switch {
		case i == 0:
			b.WriteString("($")
		case i%width == 0:
			b.WriteString("), ($")
		default:
			b.WriteString(", $")
		}
		b.WriteString(strconv.Itoa(i + 1))
	}
	return b.String() + ")"
}

// Direction returns the SQL keyword for an order.
func Direction(desc bool) string {
	if desc {
		return "DESC"
	}
	return "ASC"
}

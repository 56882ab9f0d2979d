package sqlx

import (
	"strconv"
	"strings"
)

// Args are the arguments of a statement that is put together piece by piece.
type Args []any

// Add appends an argument and returns its placeholder.
func (a *Args) Add(v any) string {
	*a = append(*a, v)
	return "$" + strconv.Itoa(len(*a))
}

// BatchRows is how many rows one statement writes. SQLite's driver looks up the name
// of each parameter among all of the statement's, so that more rows cost more a row
// (200 rows: four times as much); fewer would cost PostgreSQL a round trip each.
const BatchRows = 16

// Tuples are the placeholders of many rows: "($1, $2), ($3, $4)" for 2 rows of 2.
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

// Direction is the word of an order, falling or rising.
func Direction(desc bool) string {
	if desc {
		return "DESC"
	}
	return "ASC"
}

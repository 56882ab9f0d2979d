package sqlx

import (
	"slices"
	"strconv"
	"strings"
)

// Use is a set of the statements that use a column, besides those that select it.
type Use uint8

const (
	Insert Use = 1 << iota // creates the entity, one row or many
	Update                 // changes it for a user
	Fill                   // stores processed content
	Hide                   // moves it to the table of hidden rows, and back
	Quota                  // counts its bytes as texts of a user, as the triggers do
)

// Column declares a column of a table. R holds the values of a row.
type Column[R any] struct {
	Name   string // "" for an expression over joined tables
	Use    Use
	Select string // selected expression if it is not the column itself
	target func(*R) any
	value  func(*R) any
}

// Columns are declarations of columns.
type Columns[R any] []Column[R]

// Col declares a column whose value is at a place in the row.
func Col[R, V any](name string, use Use, at func(*R) *V) Columns[R] {
	return Computed(name, use, "", at)
}

// Computed is Col for a column that is selected as another expression.
func Computed[R, V any](name string, use Use, expr string, at func(*R) *V) Columns[R] {
	return Columns[R]{{name, use, expr, func(r *R) any { return at(r) }, func(r *R) any { return *at(r) }}}
}

// Joined declares an expression over joined tables.
func Joined[R, V any](expr string, at func(*R) *V) Columns[R] { return Computed("", 0, expr, at) }

// Unread is Col for a column that is written but not selected.
func Unread[R, V any](name string, use Use, at func(*R) *V) Columns[R] {
	return Columns[R]{{name, use, "", nil, func(r *R) any { return *at(r) }}}
}

// Writing declares another value to write than the one that is read.
func (c Columns[R]) Writing(value func(*R) any) Columns[R] {
	c[0].value = value
	return c
}

// Other declares columns that only statements of their own use.
func Other[R any](names ...string) (all Columns[R]) {
	for _, name := range names {
		all = append(all, Column[R]{Name: name})
	}
	return all
}

// RenderedText declares the three columns of an optional rendered text.
func RenderedText[R any](name string, use Use, at func(*R) *TextColumns) Columns[R] {
	return slices.Concat(
		Col(name+"_markdown", use, func(r *R) **string { return &at(r).Markdown }),
		Col(name+"_html", use, func(r *R) **string { return &at(r).HTML }),
		Col(name+"_plain", use, func(r *R) **string { return &at(r).Plain }))
}

// Table declares each column of a table once. The texts of statements are for package variables,
// built when the program starts.
type Table[R any] struct {
	Name, Alias string
	Columns     Columns[R]
}

// Select returns the selected columns in the order of Targets.
func (t Table[R]) Select() string { return t.SelectWith(nil) }

// SelectWith is Select with other expressions for some columns.
func (t Table[R]) SelectWith(other map[string]string) string {
	var all []string
	for _, c := range t.Columns {
		switch expr, replaced := other[c.Name]; {
		case c.target == nil:
		case replaced:
			all = append(all, expr)
		case c.Select != "":
			all = append(all, c.Select)
		default:
			all = append(all, t.Alias+"."+c.Name)
		}
	}
	return strings.Join(all, ", ")
}

// Targets returns the scan targets of Select in a row, followed by others.
func (t Table[R]) Targets(r *R, others ...any) []any {
	all := make([]any, 0, len(t.Columns)+len(others))
	for _, c := range t.Columns {
		if c.target != nil {
			all = append(all, c.target(r))
		}
	}
	return append(all, others...)
}

func (t Table[R]) names(use Use) (all []string) {
	for _, c := range t.Columns {
		if c.Use&use != 0 {
			all = append(all, c.Name)
		}
	}
	return all
}

// Names returns the columns of a statement, separated by commas.
func (t Table[R]) Names(use Use) string { return strings.Join(t.names(use), ", ") }

// Args returns the values for the columns of Names, after other arguments.
func (t Table[R]) Args(use Use, r *R, before ...any) []any {
	all := slices.Grow(before, len(t.Columns))
	for _, c := range t.Columns {
		if c.Use&use != 0 {
			all = append(all, c.value(r))
		}
	}
	return all
}

// Insert returns a statement that inserts one row with the Args of Insert.
func (t Table[R]) Insert() string { return t.InsertRows(1) }

// InsertRows is Insert for several rows.
func (t Table[R]) InsertRows(n int) string {
	names := t.names(Insert)
	return "INSERT INTO " + t.Name + " (" + strings.Join(names, ", ") + ") VALUES " + Tuples(n, len(names))
}

// Assign returns the assignments of an UPDATE, whose parameters begin with the given number.
func (t Table[R]) Assign(use Use, from int) string {
	all := t.names(use)
	for i, name := range all {
		all[i] = name + " = $" + strconv.Itoa(from+i)
	}
	return strings.Join(all, ", ")
}

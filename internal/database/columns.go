package database

import "fmt"

// ColumnType is a column type that SQLite and PostgreSQL share.
type ColumnType string

// The column types.
const (
	Int   ColumnType = "int"
	Bool  ColumnType = "bool"
	Text  ColumnType = "text"
	Bytes ColumnType = "bytes"
)

// Column is a column of a table.
type Column struct {
	Name string     `json:"name"`
	Type ColumnType `json:"type"`
}

// typesOf maps the type names of both databases to column types.
var typesOf = map[string]ColumnType{
	"INTEGER": Int, "BIGINT": Int, "SMALLINT": Int, "int8": Int, "int4": Int, "int2": Int,
	"BOOLEAN": Bool, "bool": Bool, "TEXT": Text, "text": Text, "BLOB": Bytes, "bytea": Bytes,
}

// columnTypeOf returns the column type for a type name of a database.
func columnTypeOf(name string) (t ColumnType, known bool) {
	t, known = typesOf[name]
	return t, known
}

// Queries for the catalog of each database. Columns: table, column, type, whether it is part of the
// primary key, and whether it is an auto-increment column. Parents: pairs of a table and a table that it
// references. Unlogged tables are omitted because they contain no lasting data.
const (
	SQLiteColumns = `SELECT t.name, c.name, upper(c.type), c.pk,
			c.pk > 0 AND EXISTS (SELECT 1 FROM sqlite_schema s WHERE s.name = t.name AND s.sql LIKE '%AUTOINCREMENT%')
		FROM pragma_table_list t JOIN pragma_table_info(t.name) c
		WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY t.name, c.name`
	SQLiteParents = `SELECT DISTINCT t.name, f."table" FROM pragma_table_list t JOIN pragma_foreign_key_list(t.name) f
		WHERE t.schema = 'main' AND t.type = 'table' ORDER BY 1, 2`
	PostgresColumns = `SELECT CAST(t.relname AS TEXT), CAST(a.attname AS TEXT), CAST(y.typname AS TEXT),
			CASE WHEN a.attnum = ANY (i.indkey) THEN 1 ELSE 0 END, CASE WHEN a.attidentity <> '' THEN 1 ELSE 0 END
		FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
		JOIN pg_type y ON y.oid = a.atttypid LEFT JOIN pg_index i ON i.indrelid = t.oid AND i.indisprimary
		WHERE t.relkind = 'r' AND t.relpersistence = 'p' AND t.relnamespace = CAST(current_schema() AS REGNAMESPACE)
		ORDER BY t.relname COLLATE "C", a.attname COLLATE "C"`
	PostgresParents = `SELECT DISTINCT CAST(c.relname AS TEXT), CAST(p.relname AS TEXT) FROM pg_constraint f
		JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class p ON p.oid = f.confrelid
		WHERE f.contype = 'f' AND f.connamespace = CAST(current_schema() AS REGNAMESPACE) ORDER BY 1, 2`
)

// Value converts a value to the column type. SQLite columns can contain values of other types, and PostgreSQL has
// shorter numbers.
func (typ ColumnType) Value(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case int16:
		return typ.Value(int64(v))
	case int32:
		return typ.Value(int64(v))
	case int64:
		switch typ {
		case Int:
			return v, nil
		case Bool:
			return v != 0, nil
		case Text, Bytes:
		}
	case bool:
		if typ == Bool {
			return v, nil
		}
	case string:
		switch typ {
		case Text:
			return v, nil
		case Bytes:
			return []byte(v), nil
		case Int, Bool:
		}
	case []byte:
		switch typ {
		case Text:
			return string(v), nil
		case Bytes:
			return v, nil
		case Int, Bool:
		}
	}
	return nil, fmt.Errorf("cannot convert %T to %s", v, typ)
}

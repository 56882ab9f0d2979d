package counters

import (
	"cmp"
	"context"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// content_counts counts the blocks and channels of each user and group.

// countParts is the number of rows over which a count is spread.
const countParts = 8

// contentKey is the key of a row of content_counts.
type contentKey struct {
	owner domain.PrincipalRef
	typ   string
	part  int64
}

var contentCounts = countTable[contentKey]{
	name: "content_counts",
	key:  []string{"owner_type", "owner_id", "type", "part"},
	sums: []string{"open", "hidden"},
	compare: func(a, b contentKey) int {
		return cmp.Or(strings.Compare(string(a.owner.Type), string(b.owner.Type)), cmp.Compare(a.owner.ID, b.owner.ID),
			strings.Compare(a.typ, b.typ), cmp.Compare(a.part, b.part))
	},
	values: func(k contentKey) []any { return []any{k.owner.Type, k.owner.ID, k.typ, k.part} },
}

// Content registers a change of how many items of a type an owner has. Users and groups do not
// count as items.
func (d *Deltas) Content(owner domain.PrincipalRef, typ string, item int64, by Tally) {
	if typ == string(domain.SubjectUser) || typ == string(domain.SubjectGroup) {
		return
	}
	d.contents.add(contentKey{owner, typ, item % countParts}, by)
}

// Contents registers the changes that a query returns as (owner, type, part, open, hidden).
func (d *Deltas) Contents(ctx context.Context, owner domain.PrincipalType, query string, args ...any) error {
	rows, err := d.db.Query(ctx, query, args...)
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (by Tally, err error) {
		key := contentKey{owner: domain.PrincipalRef{Type: owner}}
		err = row.Scan(&key.owner.ID, &key.typ, &key.part, &by.Open, &by.Hidden)
		d.Content(key.owner, key.typ, key.part, by)
		return by, err
	})
	return err
}

// ContentChecks compare the counts with the counted rows and report differences by owner.
var ContentChecks = []sqlx.Check{
	miscounted("User", "search_documents", "author_id", "d.kind IN ('Block', 'Channel')"),
	miscounted("Group", "group_items", "group_id", "EXISTS (SELECT 1 FROM groups g WHERE g.id = d.group_id)"),
}

// miscounted compares the counts for a type of owner. It weighs open and hidden rows differently,
// so that errors in one cannot offset errors in the other. A job deletes the counts of a deleted
// group.
func miscounted(owner, table, column, where string) sqlx.Check {
	return sqlx.Check{What: "content_counts of a " + owner, Query: `SELECT owner_id, CAST(sum(stored) AS BIGINT), CAST(sum(actual) AS BIGINT) FROM (
		SELECT owner_id, type, part, open * 1000003 + hidden AS stored, 0 AS actual FROM content_counts n
			WHERE owner_type = '` + owner + `' AND (owner_type = 'User' OR EXISTS (SELECT 1 FROM groups g WHERE g.id = n.owner_id))
		UNION ALL SELECT d.` + column + `, d.type, d.item_id % 8, 0, CASE WHEN d.open THEN 1000003 ELSE 1 END
			FROM ` + table + ` d WHERE ` + where + `) AS both_sides
		GROUP BY owner_id, type, part HAVING sum(stored) <> sum(actual)`}
}

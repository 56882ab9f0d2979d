package store

import (
	"cmp"
	"context"
	"strings"

	"vitrine/internal/domain"
)

// How many blocks and channels somebody made, and how many a group has, is counted in
// content_counts.

// countParts is over how many rows a count is spread.
const countParts = 8

// countKey names a row of content_counts.
type countKey struct {
	owner domain.PrincipalRef
	typ   string
	part  int64
}

var contentCounts = countTable[countKey]{
	name: "content_counts",
	key:  []string{"owner_type", "owner_id", "type", "part"},
	sums: []string{"open", "hidden"},
	compare: func(a, b countKey) int {
		return cmp.Or(strings.Compare(string(a.owner.Type), string(b.owner.Type)), cmp.Compare(a.owner.ID, b.owner.ID),
			strings.Compare(a.typ, b.typ), cmp.Compare(a.part, b.part))
	},
	values: func(k countKey) []any { return []any{k.owner.Type, k.owner.ID, k.typ, k.part} },
}

// recount notes a change of counts, to be written when the transaction ends. Users and
// groups are no contents.
func (tx *Tx) recount(owner domain.PrincipalRef, typ string, item int64, by tallies) {
	if typ == string(domain.SubjectUser) || typ == string(domain.SubjectGroup) {
		return
	}
	tx.counts.add(countKey{owner, typ, item % countParts}, by)
}

// recountMany notes changes that a query gives as (owner, type, part, open, hidden).
func (tx *Tx) recountMany(ctx context.Context, owner domain.PrincipalType, query string, args ...any) error {
	rows, err := tx.q.Query(ctx, query, args...)
	_, err = collect(ctx, rows, err, func(row scanner) (by tallies, err error) {
		key := countKey{owner: domain.PrincipalRef{Type: owner}}
		err = row.Scan(&key.owner.ID, &key.typ, &key.part, &by.open, &by.hidden)
		tx.recount(key.owner, key.typ, key.part, by)
		return by, err
	})
	return err
}

// changed carries what a document said before, and says now, to the counts and to groups.
func (tx *Tx) changed(ctx context.Context, was, is document) error {
	if is.kind != domain.SubjectBlock && is.kind != domain.SubjectChannel {
		return nil
	}
	tx.recount(domain.UserRef(is.author), was.typ, is.id, tallied(was.open, -1))
	tx.recount(domain.UserRef(is.author), is.typ, is.id, tallied(is.open, 1))
	if was.typ == is.typ && was.updated == is.updated {
		return nil
	}
	return tx.touchGroupItems(ctx, is, was.typ)
}

// recountTurned notes the blocks of a run in a channel that have turned open, or hidden, as
// the channel came (by 1) or went: each is in one open channel now, or in none.
func (tx *Tx) recountTurned(ctx context.Context, id domain.ChannelID, r run, by int64) error {
	return tx.recountMany(ctx, domain.TypeUser, `SELECT d.author_id, d.type, d.item_id % 8,
			count(*) * CAST($4 AS BIGINT), -count(*) * CAST($4 AS BIGINT)
		FROM connections c JOIN search_documents d ON d.kind = c.item_type AND d.item_id = c.item_id
		WHERE `+inRun+` AND c.item_type = 'Block' AND d.links = $5
		GROUP BY d.author_id, d.type, d.item_id % 8`, id, r.after, r.upto, by, max(by, 0))
}

// contentCounts gives how many contents an owner has by type.
func (q Queries) contentCounts(ctx context.Context, owner domain.PrincipalRef) (map[string]tallies, error) {
	counts := map[string]tallies{}
	rows, err := q.q.Query(ctx, `SELECT type, CAST(sum(open) AS BIGINT), CAST(sum(hidden) AS BIGINT) FROM content_counts
		WHERE owner_type = $1 AND owner_id = $2 GROUP BY type`, owner.Type, owner.ID)
	_, err = collect(ctx, rows, err, func(row scanner) (n tallies, err error) {
		var typ string
		err = row.Scan(&typ, &n.open, &n.hidden)
		counts[typ] = n
		return n, err
	})
	return counts, err
}

// countChecks hold the counts against what is counted, and name what is wrong by owner.
var countChecks = []check{
	miscounted("User", "search_documents", "author_id", "d.kind IN ('Block', 'Channel')"),
	miscounted("Group", "group_items", "group_id", "EXISTS (SELECT 1 FROM groups g WHERE g.id = d.group_id)"),
}

// miscounted compares the counts of a kind of owner, each row weighed so that open and
// hidden ones cannot make up for each other. What a deleted group leaves goes by a job.
func miscounted(owner, table, column, where string) check {
	return check{"content_counts of a " + owner, `SELECT owner_id, CAST(sum(stored) AS BIGINT), CAST(sum(actual) AS BIGINT) FROM (
		SELECT owner_id, type, part, open * 1000003 + hidden AS stored, 0 AS actual FROM content_counts n
			WHERE owner_type = '` + owner + `' AND (owner_type = 'User' OR EXISTS (SELECT 1 FROM groups g WHERE g.id = n.owner_id))
		UNION ALL SELECT d.` + column + `, d.type, d.item_id % 8, 0, CASE WHEN d.open THEN 1000003 ELSE 1 END
			FROM ` + table + ` d WHERE ` + where + `) AS both_sides
		GROUP BY owner_id, type, part HAVING sum(stored) <> sum(actual)`}
}

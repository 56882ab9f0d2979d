package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vitrine/internal/domain"
)

// OwnerContentsQuery asks for a page of what a user made, or of what a group has.
type OwnerContentsQuery struct {
	Viewer domain.UserID
	Owner  domain.PrincipalRef
	Types  []string          // of items; none for all
	Sort   domain.SearchSort // by SearchByCreated or SearchByUpdated
	Page   domain.Page
}

// OwnerContents lists the blocks and channels that a user made, or the channels of a group
// and the blocks in them, as far as the viewer may see them; the total is exact. What all
// see, and what is the viewer's own or their group's, is counted beforehand, and a page
// walks an index from the nearer end. What others see in private channels costs a look at
// it, or at what the owner hides if that is less.
func (v *Snapshot) OwnerContents(ctx context.Context, q OwnerContentsQuery) (l domain.List[domain.Subject], err error) {
	c := ownerContents{OwnerContentsQuery: q, d: v.d}
	if c.ahead, err = v.isSettling(ctx); err != nil {
		return l, err
	}
	counts, err := v.contentCounts(ctx, q.Owner)
	if c.ahead && err == nil {
		counts, err = v.countAhead(ctx, &c)
	}
	if err != nil {
		return l, err
	}
	l.Total = c.sum(counts)
	if c.Viewer != 0 { // whatever is hidden: it shall not take longer where something is
		if err := v.private(ctx, &c); err != nil {
			return l, err
		}
		l.Total += c.seen
	}
	if q.Page.Offset() >= l.Total {
		return l, nil
	}
	query, args, backwards := c.page(l.Total)
	rows, err := v.q.Query(ctx, query, args...)
	l.Items, err = collect(ctx, rows, err, scanOwned)
	if backwards {
		slices.Reverse(l.Items)
	}
	return l, err
}

// scanOwned reads what a row is of.
func scanOwned(row scanner) (s domain.Subject, err error) {
	var typ string
	var key int64
	err = row.Scan(&typ, &s.ID, &key)
	s.Type = domain.SubjectBlock
	if typ == string(domain.SubjectChannel) {
		s.Type = domain.SubjectChannel
	}
	return s, err
}

// private finds out what the viewer sees of what is not open.
func (v *Snapshot) private(ctx context.Context, c *ownerContents) (err error) {
	c.allBlocks = c.Owner == domain.UserRef(c.Viewer)
	if c.Owner.Type == domain.TypeGroup {
		if c.allBlocks, err = v.IsMember(ctx, domain.GroupID(c.Owner.ID), c.Viewer); err != nil {
			return err
		}
		c.allChannels = c.allBlocks
	}
	if c.allBlocks {
		c.seen = c.hidden
	}
	if c.allChannels {
		c.seen += c.hiddenChannels
		return nil
	}
	if c.allBlocks {
		return v.countOwnChannels(ctx, c)
	}
	if err := v.chooseSide(ctx, c); err != nil {
		return err
	}
	return v.countPrivate(ctx, c)
}

// countOwnChannels counts the private channels that the viewer made, which are theirs but
// for those that another owns by now: these alone are looked at.
func (v *Snapshot) countOwnChannels(ctx context.Context, c *ownerContents) error {
	if c.hiddenChannels == 0 {
		return nil
	}
	lost, err := scanInt64(v.q.QueryRow(ctx, `SELECT count(*) FROM channels ch WHERE ch.user_id = $1 AND ch.visibility = 'private'
		AND (ch.owner_type <> 'User' OR ch.owner_id <> ch.user_id) AND ch.state = 'available' AND NOT `+visibleChannel, c.Viewer))
	c.ownChannels = c.hiddenChannels > lost
	c.seen += c.hiddenChannels - lost
	return err
}

// manyPrivate is how many blocks in private channels are looked through without a thought.
const manyPrivate = 1000

// chooseSide compares what is in private channels that the viewer sees, if it is much, with
// what the owner hides: the smaller is looked through. Where the viewer sees very many such
// channels, they are not even listed.
func (v *Snapshot) chooseSide(ctx context.Context, c *ownerContents) error {
	var mine, inMine int64
	s := statement{args: []any{c.Viewer}}
	with := strings.TrimPrefix(c.sees(&s), "WITH ")
	most := v.search.Private
	err := v.q.QueryRow(ctx, "WITH "+someOfMine(s.arg(most+1))+", "+with+`SELECT n, CASE WHEN n > `+s.arg(most)+` THEN 0 ELSE (
			SELECT CAST(COALESCE(sum(ch.blocks_count), 0) AS BIGINT) FROM sees JOIN channels ch ON ch.id = sees.id) END
		FROM (SELECT count(*) AS n FROM ways) AS counted`, s.args...).Scan(&mine, &inMine)
	c.many = mine > most
	c.looked, c.fromOwner = inMine > 0 || c.many, inMine > manyPrivate && c.hidden < inMine || c.many
	return err
}

// countPrivate counts what the viewer sees in private channels of others.
func (v *Snapshot) countPrivate(ctx context.Context, c *ownerContents) error {
	s := statement{args: []any{c.Viewer}}
	with, parts := c.sees(&s), c.privateParts(&s)
	if len(parts) == 0 {
		return nil
	}
	for i, part := range parts {
		parts[i] = "(SELECT count(*) FROM (" + part + ") AS counted)"
	}
	var n int64
	err := v.q.QueryRow(ctx, with+"SELECT "+strings.Join(parts, " + "), s.args...).Scan(&n)
	c.seen += n
	c.some = n > 0
	return err
}

// ownerContents builds the statements of one list.
type ownerContents struct {
	OwnerContentsQuery
	d dialect

	ahead          bool  // something is pending: what is open, and what a group has, is looked up
	hidden         int64 // blocks of the owner, of the types asked for, that not all see
	hiddenChannels int64
	allBlocks      bool  // the viewer sees all of the former
	allChannels    bool  // and of the latter
	looked         bool  // the viewer sees blocks in private channels
	fromOwner      bool  // there are more of these than the owner hides
	many           bool  // the viewer sees too many private channels for these to be listed
	ownChannels    bool  // the viewer sees hidden channels that they made, in their own list
	some           bool  // the viewer sees something in private channels of what the owner hides
	seen           int64 // how much the viewer sees of what is hidden
}

// sum takes from the counts what is asked for, and gives how much of it is open.
func (c *ownerContents) sum(counts map[string]tallies) (open int64) {
	for typ, n := range counts {
		switch {
		case len(c.Types) > 0 && !slices.Contains(c.Types, typ):
			continue
		case typ == string(domain.ItemChannel):
			c.hiddenChannels = n.hidden
		default:
			c.hidden += n.hidden
		}
		open += n.open
	}
	return open
}

// statement collects the arguments of one; where the viewer is needed, it is the first.
type statement struct{ args []any }

func (s *statement) arg(value any) string {
	s.args = append(s.args, value)
	return fmt.Sprint("$", len(s.args))
}

// sees begins a statement with the private channels that the viewer sees, as `sees`; of a
// group's list, those of the group.
func (c *ownerContents) sees(s *statement) string {
	where := ""
	if c.Owner.Type == domain.TypeGroup {
		where = " AND ch.owner_type = 'Group' AND ch.owner_id = " + s.arg(c.Owner.ID)
	}
	return "WITH " + myChannels + `, sees (id) AS (SELECT ch.id FROM mine CROSS JOIN channels ch
		WHERE ch.id = mine.id AND ch.visibility = 'private' AND ` + visibleChannel + where + ") "
}

// rows gives the owner's rows `d` that the filters leave, and a column that begins the
// indexes.
func (c *ownerContents) rows(s *statement) (from, where string) {
	from, where = "search_documents d", "d.author_id = "
	if c.Owner.Type == domain.TypeGroup {
		from, where = "group_items d", "d.group_id = "
		if c.ahead {
			from, where = "("+fmt.Sprintf(groupAhead, s.arg(c.Owner.ID))+") AS d", "d.group_id = "
		}
	}
	where += s.arg(c.Owner.ID)
	if len(c.Types) == 0 {
		return from, where + " AND d.type NOT IN ('User', 'Group')"
	}
	marks := make([]string, len(c.Types))
	for i, t := range c.Types {
		marks[i] = s.arg(t)
	}
	return from, where + " AND d.type IN (" + strings.Join(marks, ", ") + ")"
}

// groupAhead is what group_items will have of a group when nothing is pending any more.
const groupAhead = `SELECT places.group_id, places.kind, places.item_id, x.type, max(places.open_n) > 0 AS open, x.created_at, x.updated_at
	FROM (SELECT ch.owner_id AS group_id, 'Channel' AS kind, ch.id AS item_id, ` + openNow + ` AS open_n
			FROM channels ch WHERE ch.owner_type = 'Group' AND ch.owner_id = %[1]s AND ch.state = 'available'
		UNION ALL SELECT ch.owner_id, c.item_type, c.item_id, ` + openNow + ` FROM channels ch CROSS JOIN connections c
			WHERE ch.owner_type = 'Group' AND ch.owner_id = %[1]s AND ch.state = 'available'
				AND c.channel_id = ch.id AND c.item_type = 'Block') AS places
	CROSS JOIN search_documents x WHERE x.kind = places.kind AND x.item_id = places.item_id
	GROUP BY places.group_id, places.kind, places.item_id, x.type, x.created_at, x.updated_at`

// isOpen reports whether everyone may see a thing of the owner's.
func (c *ownerContents) isOpen() string {
	if c.ahead && c.Owner.Type == domain.TypeUser {
		return openSoon("d")
	}
	return "d.open = TRUE"
}

// isHidden tells the contrary.
func (c *ownerContents) isHidden() string {
	if c.ahead && c.Owner.Type == domain.TypeUser {
		return "NOT " + openSoon("d")
	}
	return "d.open = FALSE"
}

// countAhead counts by type what content_counts will have when nothing is pending any more.
func (v *Snapshot) countAhead(ctx context.Context, c *ownerContents) (map[string]tallies, error) {
	var s statement
	from, where := c.rows(&s)
	counts := map[string]tallies{}
	rows, err := v.q.Query(ctx, "SELECT d.type, count(CASE WHEN "+c.isOpen()+" THEN 1 END), count(*) FROM "+from+" WHERE "+where+
		" GROUP BY d.type", s.args...)
	_, err = collect(ctx, rows, err, func(row scanner) (n tallies, err error) {
		var typ string
		err = row.Scan(&typ, &n.open, &n.hidden)
		n.hidden -= n.open
		counts[typ] = n
		return n, err
	})
	return counts, err
}

// key is the column that orders.
func (c *ownerContents) key() string {
	if c.Sort.Key == domain.SearchByUpdated {
		return "d.updated_at"
	}
	return "d.created_at"
}

// privateParts are what the viewer sees in private channels, each thing once: the channels
// that are not seen anyhow, and the blocks in channels.
func (c *ownerContents) privateParts(s *statement) (parts []string) {
	columns := "SELECT d.type AS type, d.item_id AS item_id, " + c.key() + " AS k FROM "
	from, where := c.rows(s)
	if c.many {
		visible := visibleChannel
		if c.Owner.Type == domain.TypeGroup {
			visible += " AND ch.owner_type = 'Group' AND ch.owner_id = " + s.arg(c.Owner.ID)
		}
		hidden := columns + from + " WHERE " + where + " AND " + c.isHidden() + " AND "
		return append(parts, hidden+"d.type = 'Channel' AND EXISTS (SELECT 1 FROM channels ch WHERE ch.id = d.item_id AND "+visible+")",
			hidden+`d.type <> 'Channel' AND EXISTS (SELECT 1 FROM connections c CROSS JOIN channels ch WHERE c.item_type = 'Block'
				AND c.item_id = d.item_id AND ch.id = c.channel_id AND ch.visibility = 'private' AND `+visible+")")
	}
	if !c.allChannels {
		parts = append(parts, columns+"sees CROSS JOIN "+from+" WHERE d.kind = 'Channel' AND d.item_id = sees.id AND "+c.isHidden()+" AND "+where)
	}
	switch {
	case !c.looked:
	case c.fromOwner:
		parts = append(parts, columns+from+" WHERE "+where+" AND "+c.isHidden()+` AND d.type <> 'Channel' AND EXISTS (
			SELECT 1 FROM connections c WHERE c.item_type = 'Block' AND c.item_id = d.item_id AND c.channel_id IN (SELECT id FROM sees))`)
	default:
		parts = append(parts, strings.Replace(columns, "SELECT", "SELECT DISTINCT", 1)+`sees CROSS JOIN connections c CROSS JOIN `+from+`
			WHERE c.channel_id = sees.id AND c.item_type = 'Block' AND d.kind = 'Block' AND d.item_id = c.item_id AND `+c.isHidden()+" AND "+where)
	}
	return parts
}

// page gives the statement of the page, which is read from the list's nearer end.
func (c *ownerContents) page(total int64) (query string, args []any, backwards bool) {
	var s statement
	var with string
	var private []string
	if c.some || c.ownChannels {
		s.arg(c.Viewer)
	}
	if c.some {
		with = c.sees(&s)
		private = c.privateParts(&s)
	}
	from, where := c.rows(&s)
	part := "SELECT d.type AS type, d.item_id AS item_id, " + c.key() + " AS k FROM " + from + " WHERE " + where
	parts := []string{part + " AND " + c.isOpen()}
	if c.allChannels {
		parts = append(parts, part+" AND "+c.isHidden())
	} else if c.allBlocks {
		parts = append(parts, part+" AND "+c.isHidden()+" AND d.type <> 'Channel'")
	}
	if c.ownChannels {
		parts = append(parts, part+" AND d.open = FALSE AND d.type = 'Channel' AND EXISTS (SELECT 1 FROM channels ch WHERE ch.id = d.item_id AND "+visibleChannel+")")
	}
	parts = append(parts, private...)
	skip, n := c.Page.Offset(), min(c.Page.Per, total-c.Page.Offset())
	backwards = skip > total/2
	if backwards {
		skip = total - skip - n
	}
	_, dir := direction(c.Sort.Desc != backwards)
	order := fmt.Sprintf(" ORDER BY k %s, item_id %s, type %s", dir, dir, dir)
	if len(parts) > 1 {
		most := s.arg(skip + n)
		for i, part := range parts {
			parts[i] = c.d.sorted(part, order, most)
		}
	}
	query = with + strings.Join(parts, " UNION ALL ") + order + limit(s.arg(n)) + " OFFSET " + s.arg(skip)
	return query, s.args, backwards
}

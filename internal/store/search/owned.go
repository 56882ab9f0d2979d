package search

import (
	"context"
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// OwnedQuery requests a page of a user's creations, or of a group's contents.
type OwnedQuery struct {
	Viewer domain.UserID
	Owner  domain.PrincipalRef
	Types  []string          // of items; empty for all
	Sort   domain.SearchSort // by SearchByCreated or SearchByUpdated, or by SearchByAdded if Types are channels only
	Page   domain.Page
}

// ownedStatistics contains what is known of an owner's contents before choosing a plan.
type ownedStatistics struct {
	pending        bool // counts and documents do not yet reliably say what is open, nor what a group has
	open           int64
	closedBlocks   int64
	closedChannels int64
	member         bool              // the viewer is the owner, or a member of the group
	lost           int64             // closed channels that the viewer created and cannot see any more
	private        privateStatistics // private things that a viewer who is no member sees; for a group, in its channels
	seen           int64             // how many closed things are in these
}

// total returns how much the viewer sees.
func (stats ownedStatistics) total(q OwnedQuery) int64 {
	if stats.member {
		return stats.open + stats.closedBlocks + stats.closedChannels - stats.lost
	}
	return stats.open + stats.seen
}

// Owned lists the blocks and channels that a user created, or the channels of a group and the blocks in them, as far as
// the viewer may see them. The total is exact. Open things, and those of the viewer or the viewer's group, are counted
// beforehand, and a page is read from an index, starting at the nearer end. For other viewers, private things cost
// reading the private channels that they see, or all hidden things of the owner if these are fewer.
func (f Finder) Owned(ctx context.Context, q OwnedQuery) (l domain.List[domain.Subject], err error) {
	stats, err := f.gatherOwned(ctx, q)
	if err != nil {
		return l, err
	}
	l.Total = stats.total(q)
	if q.Page.Offset() >= l.Total {
		return l, nil
	}
	p := chooseOwned(q, stats)
	s := render(f.Dialect, q.search(), statistics{private: stats.private}, p)
	rows, err := f.Query(ctx, s.text, s.args...)
	l.Items, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (domain.Subject, error) {
		var key int64
		return scanFound(row, &key)
	})
	if p.backwards {
		slices.Reverse(l.Items)
	}
	return l, err
}

// search converts the query for rendering.
func (q OwnedQuery) search() Query {
	s := Query{Viewer: q.Viewer, Search: domain.Search{Types: q.Types, Sort: q.Sort, Page: q.Page}}
	if q.Owner.Type == domain.TypeGroup {
		s.Group = domain.GroupID(q.Owner.ID)
	} else {
		s.Author = domain.UserID(q.Owner.ID)
	}
	return s
}

// gatherOwned measures the owner's contents, and the visible part of them.
func (f Finder) gatherOwned(ctx context.Context, q OwnedQuery) (stats ownedStatistics, err error) {
	if stats.pending, err = f.isPending(ctx); err != nil {
		return stats, err
	}
	if err := f.countContents(ctx, q, &stats); err != nil || q.Viewer == 0 {
		return stats, err
	}
	// The statement runs even if nothing is hidden, so that its time does not reveal whether there is.
	group := q.search().Group
	stats.member = q.Owner == domain.UserRef(q.Viewer)
	if group != 0 {
		err = f.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM group_members WHERE group_id = $1 AND user_id = $2)", group, q.Viewer).Scan(&stats.member)
	}
	switch {
	case err != nil || stats.member && group != 0:
		return stats, err
	case stats.member:
		return stats, f.countLost(ctx, q, &stats)
	}
	if stats.private, err = f.private(ctx, q.Viewer, group); err != nil || !stats.private.many && len(stats.private.ids) == 0 {
		return stats, err
	}
	s := render(f.Dialect, q.search(), statistics{private: stats.private}, chooseOwnedCount(q, stats))
	stats.seen, err = sqlx.ScanInt64(f.QueryRow(ctx, s.text, s.args...))
	return stats, err
}

// countContents reads the counts of the owner's contents, or counts them while the counts are behind.
func (f Finder) countContents(ctx context.Context, q OwnedQuery, stats *ownedStatistics) error {
	query, args := `SELECT type, CAST(sum(open) AS BIGINT), CAST(sum(hidden) AS BIGINT) FROM content_counts
		WHERE owner_type = $1 AND owner_id = $2 GROUP BY type`, []any{q.Owner.Type, q.Owner.ID}
	if stats.pending {
		s := renderCounts(f.Dialect, q.search(), plan{}.owned(q, *stats))
		query, args = s.text, s.args
	}
	rows, err := f.Query(ctx, query, args...)
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (typ string, err error) {
		var open, closed int64
		if err = row.Scan(&typ, &open, &closed); len(q.Types) > 0 && !slices.Contains(q.Types, typ) {
			return typ, err
		}
		stats.open += open
		if typ == string(domain.ItemChannel) {
			stats.closedChannels = closed
		} else {
			stats.closedBlocks += closed
		}
		return typ, err
	})
	return err
}

// countLost counts the private channels that the viewer created, that others own now, and that the viewer cannot see.
func (f Finder) countLost(ctx context.Context, q OwnedQuery, stats *ownedStatistics) (err error) {
	if stats.closedChannels > 0 {
		stats.lost, err = sqlx.ScanInt64(f.QueryRow(ctx, `SELECT count(*) FROM channels ch WHERE ch.user_id = $1 AND ch.visibility = 'private'
			AND (ch.owner_type <> 'User' OR ch.owner_id <> ch.user_id) AND ch.state = 'available' AND NOT `+access.VisibleChannel, q.Viewer))
	}
	return err
}

// manyPrivate is the number of blocks in private channels that may always be read.
const manyPrivate = 1000

// chooseOwned chooses the statement of a page, which starts at the nearer end of the list.
func chooseOwned(q OwnedQuery, stats ownedStatistics) plan {
	total := stats.total(q)
	p := plan{goal: somePage, skip: q.Page.Offset(), take: min(q.Page.Per, total-q.Page.Offset())}
	if p.backwards = p.skip > total/2; p.backwards {
		p.skip = total - p.skip - p.take
	}
	p = p.owned(q, stats)
	p.parts = []part{{span: p.span(openSpan), show: showOpen}}
	switch {
	case stats.member && q.Owner.Type == domain.TypeGroup:
		p.parts = append(p.parts, part{span: p.span(closedSpan), show: showClosed})
	case stats.member:
		p.parts = append(p.parts, part{span: p.span(closedSpan), show: showClosedBlocks})
		if stats.closedChannels > stats.lost {
			p.parts = append(p.parts, part{span: closedSpan, show: showClosedChannels}) // a channel's own document is always up to date
		}
	case stats.seen > 0:
		p.parts = append(p.parts, p.ownedPrivate(stats)...)
	}
	return p
}

// chooseOwnedCount chooses the statement that counts what a viewer who is no member sees in private channels.
func chooseOwnedCount(q OwnedQuery, stats ownedStatistics) plan {
	p := plan{goal: countOnly}.owned(q, stats)
	p.parts = p.ownedPrivate(stats)
	return p
}

func (p plan) owned(q OwnedQuery, stats ownedStatistics) plan {
	p.list, p.table, p.checks = owned, tableOf(q, stats), []filter{ownedBy, isContent}
	if len(q.Types) > 0 {
		p.checks[1] = byType
	}
	p.order = order{columnCreated, q.Sort.Desc != p.backwards}
	switch q.Sort.Key {
	case domain.SearchByUpdated:
		p.order.by = columnUpdated
	case domain.SearchByAdded:
		if p.goal == somePage { // counts read documents, which lack the time
			p.order.by = columnAdded
		}
	}
	p.pending = stats.pending && p.table == documentTable // the other table is computed with pending changes
	return p
}

func tableOf(q OwnedQuery, stats ownedStatistics) table {
	switch {
	case q.Owner.Type == domain.TypeUser:
		return documentTable
	case stats.pending:
		return pendingGroupItems
	}
	return groupItems
}

// span returns the range of an index to read. While something is pending, ranges do not say what is open.
func (p plan) span(is span) span {
	if p.pending {
		return bothSpans
	}
	return is
}

// ownedPrivate returns what the viewer sees in private channels, each thing once. It starts from these channels, or
// looks up each hidden thing of the owner if these are fewer or there are too many such channels to list.
func (p plan) ownedPrivate(stats ownedStatistics) []part {
	if stats.private.many || stats.private.blocks > max(manyPrivate, stats.closedBlocks+stats.closedChannels) {
		return []part{{span: p.span(closedSpan), show: showClosedSeen}}
	}
	parts := []part{{from: privateChannels, show: showClosed}}
	if stats.private.blocks > 0 {
		parts = append(parts, part{from: privateBlocks, show: showClosed})
	}
	return parts
}

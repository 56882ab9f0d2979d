package counters

import (
	"context"
	"math"

	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// span is a range of times in microseconds, including both ends.
type span struct{ from, to int64 }

// bucket is a row of updated_counts.
type bucket struct {
	span
	n int64
}

// maxNear is how many connections a scan may skip before it is worth looking up its start.
const maxNear = 100

// StartTime returns where to start a scan by the blocks' times of change that skips `skip`
// connections: at a time, after `rest` more connections.
func (r Reads) StartTime(ctx context.Context, id domain.ChannelID, desc bool, skip int64) (start, rest int64, err error) {
	left := span{math.MinInt64, math.MaxInt64}
	levels := UpdatedShifts[:]
	if skip <= maxNear {
		levels = nil
	}
	for _, shift := range levels {
		buckets, err := r.buckets(ctx, id, shift, left, desc)
		if err != nil {
			return 0, 0, err
		}
		inside := false
		for _, b := range buckets {
			// Skip a bucket together with the empty time before it.
			part, after := span{left.from, b.to}, span{b.to + 1, left.to}
			if desc {
				part, after = span{b.from, left.to}, span{left.from, b.from - 1}
			}
			if inside = skip < b.n; inside {
				left = part
				break
			}
			skip, left = skip-b.n, after
		}
		if !inside {
			break
		}
	}
	if desc {
		return left.to, skip, nil
	}
	return left.from, skip, nil
}

// buckets lists the rows of a level within a span whose ends are also ends of rows.
func (r Reads) buckets(ctx context.Context, id domain.ChannelID, shift int, within span, desc bool) ([]bucket, error) {
	rows, err := r.db.Query(ctx, `SELECT bucket, n FROM updated_counts
		WHERE channel_id = $1 AND shift = $2 AND bucket >= $3 AND bucket <= $4 ORDER BY bucket `+sqlx.Direction(desc),
		id, shift, within.from>>shift, within.to>>shift)
	return sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (b bucket, err error) {
		var at int64
		err = row.Scan(&at, &b.n)
		b.from, b.to = at<<shift, at<<shift+1<<shift-1
		return b, err
	})
}

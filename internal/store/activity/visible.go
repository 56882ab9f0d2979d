package activity

import (
	"context"
	"slices"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// VisibleActivities reads the activities whose subjects exist and are visible to the viewer. It
// uses one statement for each type of subject, because the plan of a single statement would have a
// hundred parts.
func (v Lists) VisibleActivities(ctx context.Context, viewer domain.UserID, ids []domain.ActivityID) (map[domain.ActivityID]domain.Activity, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := v.db.Query(ctx, `SELECT `+activityColumns+` FROM activities a JOIN users au ON au.id = a.actor_id
		WHERE au.deleted_at IS NULL AND `+v.db.In("a.id", "$1"), sqlx.IDs(v.db.Dialect, ids))
	all, err := sqlx.Collect(ctx, rows, err, scanActivity)
	if err != nil {
		return nil, err
	}
	subjects := map[domain.SubjectType][]int64{}
	for _, a := range all {
		for _, s := range []domain.Subject{a.Item, a.Target} {
			subjects[s.Type] = append(subjects[s.Type], s.ID)
		}
	}
	seen, err := v.visibleSubjects(ctx, viewer, subjects)
	if err != nil {
		return nil, err
	}
	byID := make(map[domain.ActivityID]domain.Activity, len(all))
	for _, a := range all {
		if seen[a.Item] && (a.Target.Type == "" || seen[a.Target]) {
			byID[a.ID] = a
		}
	}
	return byID, nil
}

// VisibleSubjects returns those of the subjects that exist and that the viewer may see, in the same order.
func (v Lists) VisibleSubjects(ctx context.Context, viewer domain.UserID, all []domain.Subject) ([]domain.Subject, error) {
	ids := map[domain.SubjectType][]int64{}
	for _, s := range all {
		ids[s.Type] = append(ids[s.Type], s.ID)
	}
	seen, err := v.visibleSubjects(ctx, viewer, ids)
	return slices.DeleteFunc(slices.Clone(all), func(s domain.Subject) bool { return !seen[s] }), err
}

// visibleSubjects returns the subjects that exist and that the viewer may see.
func (v Lists) visibleSubjects(ctx context.Context, viewer domain.UserID, ids map[domain.SubjectType][]int64) (map[domain.Subject]bool, error) {
	seen := map[domain.Subject]bool{}
	mark := func(t domain.SubjectType, found []int64) {
		for _, id := range found {
			seen[domain.Subject{Type: t, ID: id}] = true
		}
	}
	users, err := v.existing(ctx, `SELECT u.id FROM users u WHERE `+v.db.In("u.id", "$1")+` AND u.deleted_at IS NULL`, ids[domain.SubjectUser])
	if err != nil {
		return nil, err
	}
	mark(domain.SubjectUser, users)
	groups, err := v.existing(ctx, `SELECT g.id FROM groups g WHERE `+v.db.In("g.id", "$1"), ids[domain.SubjectGroup])
	if err != nil {
		return nil, err
	}
	mark(domain.SubjectGroup, groups)
	channels, err := v.existing(ctx, `SELECT ch.id FROM channels ch WHERE `+v.db.In("ch.id", "$2")+` AND `+access.VisibleChannel,
		ids[domain.SubjectChannel], viewer)
	if err != nil {
		return nil, err
	}
	mark(domain.SubjectChannel, channels)
	on, err := v.commentedBlocks(ctx, ids[domain.SubjectComment])
	if err != nil {
		return nil, err
	}
	blocks := ids[domain.SubjectBlock]
	for _, block := range on {
		blocks = append(blocks, block)
	}
	if blocks, err = v.visibleBlocks(ctx, viewer, blocks); err != nil {
		return nil, err
	}
	mark(domain.SubjectBlock, blocks)
	for comment, block := range on {
		if seen[domain.Subject{Type: domain.SubjectBlock, ID: block}] {
			mark(domain.SubjectComment, []int64{comment})
		}
	}
	return seen, nil
}

// existing runs a query whose last parameter is a list of ids, unless the list is empty.
func (v Lists) existing(ctx context.Context, query string, ids []int64, before ...any) ([]int64, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := v.db.Query(ctx, query, append(before, sqlx.IDs(v.db.Dialect, ids))...)
	return sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
}

// commentedBlocks returns the block of each existing comment.
func (v Lists) commentedBlocks(ctx context.Context, comments []int64) (map[int64]int64, error) {
	if len(comments) == 0 {
		return nil, nil
	}
	rows, err := v.db.Query(ctx, `SELECT cm.id, cm.block_id FROM comments cm WHERE `+v.db.In("cm.id", "$1"), sqlx.IDs(v.db.Dialect, comments))
	all, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (c [2]int64, err error) {
		err = row.Scan(&c[0], &c[1])
		return c, err
	})
	on := make(map[int64]int64, len(all))
	for _, c := range all {
		on[c[0]] = c[1]
	}
	return on, err
}

// visibleBlocks is visibleBlock for many blocks. It starts from their ids and checks private
// channels only for the blocks that need it.
func (v Lists) visibleBlocks(ctx context.Context, viewer domain.UserID, ids []int64) ([]int64, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	type standing struct {
		id            int64
		open, private bool
	}
	rows, err := v.db.Query(ctx, `SELECT b.id, `+access.OpenCount+` > 0 OR b.user_id = $1, `+access.MaybePrivate+` FROM blocks b
		WHERE `+v.db.In("b.id", "$2"), viewer, sqlx.IDs(v.db.Dialect, ids))
	all, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (s standing, err error) {
		err = row.Scan(&s.id, &s.open, &s.private)
		return s, err
	})
	if err != nil {
		return nil, err
	}
	var seen, private []int64
	for _, s := range all {
		switch {
		case s.open:
			seen = append(seen, s.id)
		case s.private:
			private = append(private, s.id)
		}
	}
	inside, err := v.existing(ctx, `SELECT DISTINCT bc.item_id FROM connections bc JOIN channels ch ON ch.id = bc.channel_id
		WHERE bc.item_type = 'Block' AND `+v.db.In("bc.item_id", "$2")+` AND `+access.VisibleChannel, private, viewer)
	return append(seen, inside...), err
}

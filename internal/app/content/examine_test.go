package content

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/media"
)

func TestExamineAll(t *testing.T) {
	t.Parallel()
	broken, outage := errors.New("broken"), domain.NewUnavailable(errors.New("the storage is down"))
	for _, c := range []struct {
		name    string
		limit   time.Duration
		examine func(ctx context.Context) error // of row 2 of 5
		saved   []int
		want    error
	}{
		{"success", time.Hour, func(context.Context) error { return nil }, []int{1, 2, 3, 4, 5}, nil},
		{"a broken file", time.Hour, func(context.Context) error { return broken }, []int{1, 3, 4, 5}, broken},
		{"an outage", time.Hour, func(context.Context) error { return outage }, []int{1}, outage},
		{"a slow file", time.Nanosecond, func(ctx context.Context) error { <-ctx.Done(); return outage }, []int{1, 3, 4, 5}, outage},
	} {
		rows, saved := []int{1, 2, 3, 4, 5}, []int(nil)
		next := func() ([]int, error) {
			some := rows[:min(3, len(rows))]
			rows = rows[len(some):]
			return some, nil
		}
		err := examineAll(t.Context(), c.limit, next, func(ctx context.Context, row int) (int, error) {
			if row == 2 {
				return row, c.examine(ctx)
			}
			return row, nil
		}, func(some []int) error { saved = append(saved, some...); return nil })
		if !errors.Is(err, c.want) || !slices.Equal(saved, c.saved) {
			t.Errorf("%s: %v, saved %v, want %v", c.name, err, saved, c.saved)
		}
	}
}

// slowToOpen is a storage that fails when the time for a file is up.
type slowToOpen struct{ blob.Store }

func (slowToOpen) Open(ctx context.Context, _ string) (*blob.File, error) {
	<-ctx.Done()
	return nil, domain.NewUnavailable(ctx.Err())
}

func TestFilesThatAreSlowToOpen(t *testing.T) {
	t.Parallel()
	a := &Content{blobs: slowToOpen{}}
	slow, cancel := context.WithTimeoutCause(t.Context(), time.Nanosecond, errSlow)
	defer cancel()
	if animated, err := a.isAnimated(slow, domain.File{}); animated || err != nil {
		t.Errorf("a slow file: %v, %v", animated, err)
	}
	if look, err := a.lookAt(slow, domain.File{}); look != (media.Look{}) || err != nil {
		t.Errorf("what a slow file looks like: %v, %v", look, err)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.isAnimated(stopped, domain.File{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a job that is stopped: %v", err)
	}
}

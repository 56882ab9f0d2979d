// Package exporting writes what people take with them: all that is theirs as one ZIP, or a
// channel in a form that other programs read. What is written goes out as it is read, a little
// at a time, so that memory does not grow with how much that is. It reads as somebody, through
// the use cases, and so writes nothing that they do not see.
package exporting

import (
	"cmp"
	"context"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/content"
	"vitrine/internal/domain"
	"vitrine/internal/present"
)

// Options are what exports stand on.
type Options struct {
	App       *app.App
	Addresses *present.Addresses
	Now       func() time.Time // the clock; nil means time.Now
	Version   string           // of this build
	Folder    string           // of temporary files; "" means the system's
}

// Exporter writes exports. It is safe for concurrent use.
type Exporter struct {
	o     Options
	turns chan struct{}
}

// atOnce is how many channels are exported at once. Each may hold a batch of the longest texts
// that there are, and one more waits for none: it is told to come again.
const atOnce = 8

// busyPause is after how long it may come again.
const busyPause = 10 * time.Second

// New makes an exporter.
func New(o Options) *Exporter {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Version = cmp.Or(o.Version, "dev")
	return &Exporter{o: o, turns: make(chan struct{}, atOnce)}
}

// batch is how many items are read at once.
const batch = 50

// placed is an item of a channel with its position among those that are shown.
type placed struct {
	collections.Content
	position int64
}

// contents reads a channel from the lowest position up, or from the highest down, a batch at a
// time. It gives the channel first. What is removed meanwhile is left out; a channel that is
// gone, or no longer seen, ends there.
func (e *Exporter) contents(ctx context.Context, actor domain.Actor, ref domain.Ref, down bool,
	begin func(collections.FullChannel, int64) error, each func([]placed) error) error {
	full, ids, err := e.o.App.Order(ctx, actor, ref)
	if err != nil {
		return err
	}
	if err := begin(full, int64(len(ids))); err != nil {
		return err
	}
	for done := 0; done < len(ids); {
		some := make([]domain.ConnectionID, 0, batch)
		for i := done; i < min(done+batch, len(ids)); i++ {
			if down {
				some = append(some, ids[len(ids)-1-i])
			} else {
				some = append(some, ids[i])
			}
		}
		items, err := e.o.App.Ordered(ctx, actor, full.ID, some)
		if domain.KindOf(err) == domain.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		at := make(map[domain.ConnectionID]int64, len(some))
		for i, id := range some {
			if at[id] = int64(done + i + 1); down {
				at[id] = int64(len(ids) - done - i)
			}
		}
		out := make([]placed, len(items))
		for i, item := range items {
			out[i] = placed{item, at[item.Connection.ID]}
		}
		if err := each(out); err != nil {
			return err
		}
		done += len(some)
	}
	return nil
}

// isGone reports whether something that was listed is there no more, or its bytes are not.
func isGone(err error) bool {
	return domain.KindOf(err) == domain.NotFound || content.IsMissing(err)
}

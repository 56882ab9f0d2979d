// Package exporting writes exports: everything that a person owns as a ZIP, or a channel in a
// format for other programs. It streams in small batches, so memory does not grow with the size of
// the export. It reads through the use cases as the exporting user, so it only exports what they
// may see.
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

// Options configure an Exporter.
type Options struct {
	App       *app.App
	Addresses *present.Addresses
	Now       func() time.Time // the clock; nil means time.Now
	Version   string           // of this build
	Folder    string           // for temporary files; "" means the system's
}

// Exporter writes exports. It is safe for concurrent use.
type Exporter struct {
	o     Options
	slots chan struct{}
}

// atOnce is the maximum number of concurrent channel exports. Each may hold a batch of the longest
// texts. Further exports are refused instead of queued.
const atOnce = 8

// busyPause is the Retry-After of a refused export.
const busyPause = 10 * time.Second

// New creates an Exporter.
func New(o Options) *Exporter {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Version = cmp.Or(o.Version, "dev")
	return &Exporter{o: o, slots: make(chan struct{}, atOnce)}
}

// batch is the number of items read at once.
const batch = 50

// placed is an item of a channel with its position among the visible ones.
type placed struct {
	collections.Content
	position int64
}

// contents reads a channel in batches, from the lowest position up or, with down, from the highest
// down. It calls begin first. Items that are removed in the meantime are skipped. If the channel
// itself is deleted or hidden, contents stops there.
func (e *Exporter) contents(ctx context.Context, actor domain.Actor, ref domain.Ref, down bool,
	begin func(collections.FullChannel, int64) error, each func([]placed) error) error {
	full, ids, err := e.o.App.Collections.Order(ctx, actor, ref)
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
		items, err := e.o.App.Collections.Ordered(ctx, actor, full.ID, some)
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

// visible counts the items of a channel that the actor sees.
func (e *Exporter) visible(ctx context.Context, actor domain.Actor, c domain.Channel) (int64, error) {
	if c.PrivateItems == 0 {
		return c.Contents(), nil
	}
	details, err := e.o.App.Collections.ChannelDetails(ctx, actor, []domain.ChannelID{c.ID})
	return c.Contents() - c.PrivateItems + details[c.ID].Private, err
}

// isGone reports whether a listed item no longer exists, or its bytes are missing.
func isGone(err error) bool {
	return domain.KindOf(err) == domain.NotFound || content.IsMissing(err)
}

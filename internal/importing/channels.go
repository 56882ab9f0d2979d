package importing

import (
	"context"
	"encoding/json"
	"fmt"

	"vitrine/internal/app"
	"vitrine/internal/app/transfer"
	"vitrine/internal/domain"
	"vitrine/internal/importing/arena"
	"vitrine/internal/importing/source"
)

// server opens the source of an import from another server. o.What selects the channels to read.
func server(a *app.App, w transfer.ImportWork, o arena.Options) (*arena.Source, error) {
	o.From, o.Token, o.MaxFile, o.Client = w.Address, w.Token, a.Content.UploadLimit(), a.Content.ImportFetcher()
	return arena.New(o)
}

// list finds the channels of an import. A named channel that does not exist becomes a failed step.
func list(ctx context.Context, a *app.App, w transfer.ImportWork) (*listing, error) {
	what := w.What
	src, err := server(a, w, arena.Options{What: what, HeadsOnly: true})
	if err != nil {
		return nil, err
	}
	if len(what) == 0 {
		me, err := src.Me(ctx)
		if err != nil {
			return nil, err
		}
		if src, err = server(a, w, arena.Options{What: []string{"@" + me}, HeadsOnly: true}); err != nil {
			return nil, err
		}
	}
	l := &listing{left: map[int64][]domain.LeftOut{}}
	l.steps = append(l.steps, domain.ImportStep{Head: "{}", State: domain.StepWaiting})
	if err := src.Read(ctx, l); err != nil {
		for _, left := range l.left { // nothing was found; this reason is more specific than a missing channel
			return nil, &arena.Error{Where: left[0].Where, Why: left[0].Why}
		}
		return nil, err
	}
	return l, nil
}

// listing collects channels as the steps of an import. The first step creates all channels.
type listing struct {
	steps []domain.ImportStep
	left  map[int64][]domain.LeftOut // by step
}

func (l *listing) add(s domain.ImportStep) int64 {
	s.N = int64(len(l.steps))
	l.steps = append(l.steps, s)
	return s.N
}

// Channel implements source.Sink.
func (l *listing) Channel(_ context.Context, c source.Channel) error {
	if len(l.steps) > domain.MaxImportChannels {
		l.steps[0].Counts.LeftOut++
		if len(l.left[0]) < maxHeld {
			l.left[0] = append(l.left[0], domain.LeftOut{What: c.Title, Where: c.Where,
				Why: fmt.Sprintf("An import brings at most %d channels: name it in another", domain.MaxImportChannels)})
		}
		return nil
	}
	title := transfer.Keepable(c.Title, domain.MaxTitle)
	// Longer texts are truncated or refused when the channel is created.
	c.Title, c.Description = c.Title[:min(len(c.Title), 8*domain.MaxTitle)], c.Description[:min(len(c.Description), 8*domain.MaxDescription)]
	head, err := json.Marshal(c)
	if err == nil && len(head) > maxHead {
		c.Metadata = nil
		head, err = json.Marshal(c)
	}
	if err != nil {
		return fmt.Errorf("moving: keep a channel: %w", err)
	}
	l.add(domain.ImportStep{Ref: c.ID, Title: title, Head: string(head), State: domain.StepWaiting})
	return nil
}

// maxHead is the maximum size of a channel's data to keep its metadata.
const maxHead = 256 << 10

// LeftOut implements source.Sink.
func (l *listing) LeftOut(left source.LeftOut) {
	n := l.add(domain.ImportStep{Ref: transfer.Keepable(left.Where, domain.MaxURL), Title: transfer.Keepable(left.What, domain.MaxTitle), Head: "{}", State: domain.StepFailed,
		Counts: domain.ImportCounts{LeftOut: 1}})
	l.left[n] = []domain.LeftOut{{What: left.What, Where: left.Where, Why: left.Why}}
}

// The other methods of source.Sink do nothing: contents are not read.
func (l *listing) Expect(int)                                                    {}
func (l *listing) Item(context.Context, string, source.Item) error               { return nil }
func (l *listing) Comment(context.Context, string, string, source.Comment) error { return nil }
func (l *listing) Orphan(context.Context, source.Item) error                     { return nil }
func (l *listing) Following(context.Context, source.Following) error             { return nil }
func (l *listing) Profile(context.Context, source.Profile) error                 { return nil }
func (l *listing) Close(context.Context, string) error                           { return nil }

// openChannel opens the source of a step: one channel, or for step 0 all channels without contents.
func openChannel(a *app.App, w transfer.ImportWork, n *progress) (source.Source, error) {
	if w.Step.N > 0 {
		return server(a, w, arena.Options{What: []string{w.Step.Ref}, Page: int(w.Step.Page), Paged: n.paged})
	}
	src, err := server(a, w, arena.Options{HeadsOnly: true})
	if err != nil {
		return nil, err
	}
	return channelHeads{src.Origin(), a, w.ID}, nil
}

// channelHeads is the source of step 0: all channels without their contents. They are created first, so
// that channels can be connected to each other.
type channelHeads struct {
	origin string
	app    *app.App
	of     domain.ImportID
}

// Origin implements source.Source.
func (h channelHeads) Origin() string { return h.origin }

// Read implements source.Source.
func (h channelHeads) Read(ctx context.Context, to source.Sink) error {
	for last := int64(0); ; {
		some, err := h.app.Transfer.ImportHeads(ctx, h.of, last)
		if err != nil || len(some) == 0 {
			return err
		}
		for _, s := range some {
			last = s.N
			if err := sendChannel(ctx, to, s); err != nil {
				return err
			}
		}
	}
}

// sendChannel passes one channel on.
func sendChannel(ctx context.Context, to source.Sink, s domain.ImportStep) error {
	var c source.Channel
	if err := json.Unmarshal([]byte(s.Head), &c); err != nil {
		return fmt.Errorf("moving: read a channel: %w", err)
	}
	if err := to.Channel(ctx, c); err != nil {
		return err
	}
	return to.Close(ctx, c.ID)
}

package plain

import (
	"context"

	"vitrine/internal/importing/source"
	"vitrine/internal/markup"
)

// Literal returns a Sink for sources whose descriptions and contents are plain text. It escapes
// them, so that Markdown shows them unchanged.
func Literal(to source.Sink) source.Sink { return literal{to} }

type literal struct{ source.Sink }

func (l literal) Channel(ctx context.Context, c source.Channel) error {
	c.Description = markup.Escape(c.Description)
	return l.Sink.Channel(ctx, c)
}

func (l literal) Item(ctx context.Context, channel string, it source.Item) error {
	it.Description, it.Content = markup.Escape(it.Description), markup.Escape(it.Content)
	return l.Sink.Item(ctx, channel, it)
}

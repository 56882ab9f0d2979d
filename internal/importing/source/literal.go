package source

import (
	"context"

	"vitrine/internal/markup"
)

// Literal returns a Sink for sources whose descriptions and contents are plain text. It escapes
// them, so that Markdown shows them unchanged.
func Literal(to Sink) Sink { return literal{to} }

type literal struct{ Sink }

func (l literal) Channel(ctx context.Context, c Channel) error {
	c.Description = markup.Escape(c.Description)
	return l.Sink.Channel(ctx, c)
}

func (l literal) Item(ctx context.Context, channel string, it Item) error {
	it.Description, it.Content = markup.Escape(it.Description), markup.Escape(it.Content)
	return l.Sink.Item(ctx, channel, it)
}

package exporting

import (
	"context"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/app/collections"
)

// Each Markdown text begins with front matter. Its values are JSON strings, which every YAML parser
// accepts.

// field writes a line of front matter unless the value is empty.
func field(b *strings.Builder, name, value string) {
	if value == "" {
		return
	}
	quoted, _ := json.Marshal(value) // strings always encode
	b.WriteString(name + ": ")
	b.Write(quoted)
	b.WriteByte('\n')
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// plain returns a text on one line with Markdown escaped.
func plain(s string) string {
	return escapes.Replace(strings.Join(strings.Fields(s), " "))
}

var escapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "#", `\#`, "&", `\&`, "|", `\|`, "~", `\~`, "!", `\!`)

// target returns a URL as a link target.
func target(address string) string {
	return "<" + strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "%0A", "\r", "%0D", " ", "%20", `\`, "%5C").Replace(address) + ">"
}

func link(text, address string) string { return "[" + plain(text) + "](" + target(address) + ")" }

// writeChannelHead writes a channel's front matter, title and description.
func writeChannelHead(b *strings.Builder, c channelLine) {
	b.WriteString("---\n")
	field(b, "title", c.Title)
	field(b, "type", "Channel")
	field(b, "url", c.URL)
	field(b, "owner", c.Owner.Name)
	field(b, "visibility", c.Visibility)
	field(b, "created_at", formatTime(c.CreatedAt))
	field(b, "updated_at", formatTime(c.UpdatedAt))
	b.WriteString("---\n\n# " + plain(c.Title) + "\n")
	paragraph(b, c.Description)
}

func paragraph(b *strings.Builder, text string) {
	if text = strings.TrimSpace(text); text != "" {
		b.WriteString("\n" + text + "\n")
	}
}

// writeNested writes the section of a channel in a channel.
func writeNested(b *strings.Builder, line connectionLine, address string) {
	b.WriteString("\n## " + link(line.Channel.Title, address) + "\n\n" + plain("Channel by "+line.Channel.Owner.Name) + "\n")
}

// style is the form of a block's heading.
type style int

const (
	frontMatter style = iota // in its own file
	inside                   // as a section of the channel's file
)

// writeBlock writes a block. address returns the location of a file, or "".
func writeBlock(b *strings.Builder, line blockLine, how style, address func(*fileLine) string) {
	if how == frontMatter {
		b.WriteString("---\n")
		field(b, "title", line.Title)
		field(b, "type", line.Type)
		field(b, "url", line.URL)
		field(b, "source", line.address())
		field(b, "source_title", text(line.SourceTitle))
		field(b, "author", line.Author.Name)
		field(b, "tags", tags(line.Metadata))
		if f := line.bytes(); f != nil {
			field(b, "file", address(f))
		}
		field(b, "created_at", formatTime(line.CreatedAt))
		field(b, "updated_at", formatTime(line.UpdatedAt))
		b.WriteString("---\n")
	}
	if line.Title != "" {
		b.WriteString("\n" + map[style]string{frontMatter: "# ", inside: "## "}[how] + plain(line.Title) + "\n")
	} else if how == inside {
		b.WriteString("\n---\n")
	}
	if f := line.Image; f != nil {
		if to := address(f); to != "" {
			b.WriteString("\n!" + link(text(line.AltText), to) + "\n")
		}
	}
	if f := line.Attachment; f != nil {
		if to := address(f); to != "" {
			b.WriteString("\n" + link(f.Name, to) + "\n")
		}
	}
	paragraph(b, line.Content)
	paragraph(b, line.Description)
	if from := line.address(); from != "" {
		title := text(line.SourceTitle)
		if title == "" {
			title = from
		}
		b.WriteString("\n" + link(title, from) + "\n")
	}
	if how == inside {
		b.WriteString("\n" + plain(line.Author.Name+", "+line.CreatedAt.Format(time.DateOnly)) + "\n")
	}
}

// markdownWriter writes a channel as one text, with links to its files on this server.
type markdownWriter struct {
	e *Exporter
	w io.Writer
}

func (w *markdownWriter) begin(full collections.FullChannel, items int64) error {
	var b strings.Builder
	writeChannelHead(&b, recorder{at: w.e.o.Addresses}.channel(full, items))
	_, err := io.WriteString(w.w, b.String())
	return err
}

func (w *markdownWriter) add(ctx context.Context, items []placed) error {
	lines, err := w.e.record(ctx, items, 0, nil)
	if err != nil {
		return err
	}
	for _, line := range lines {
		var b strings.Builder
		if line.Channel != nil {
			writeNested(&b, line, line.Channel.URL)
		} else {
			writeBlock(&b, *line.Block, inside, online)
		}
		if _, err := io.WriteString(w.w, b.String()); err != nil {
			return err
		}
	}
	return nil
}

// online returns the URL of a file on this server.
func online(f *fileLine) string { return f.online }

func (w *markdownWriter) end(context.Context) error { return nil }
func (w *markdownWriter) free()                     {}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

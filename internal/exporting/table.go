package exporting

import (
	"context"
	"encoding/csv"
	"io"
	"strings"
	"time"

	"vitrine/internal/app/collections"
)

// columns are the columns of a table. Bookmark importers read the first six.
var columns = []string{"url", "title", "description", "created_at", "tags", "channel",
	"type", "text", "file", "alt_text", "source_title", "author", "connected_at", "id"}

// byteOrderMark makes spreadsheets read a table as UTF-8.
const byteOrderMark = "\ufeff"

// tableWriter writes a channel as CSV (RFC 4180), the lowest position first.
type tableWriter struct {
	e       *Exporter
	w       io.Writer
	csv     *csv.Writer
	channel string
}

func newTableWriter(e *Exporter, w io.Writer) *tableWriter {
	t := &tableWriter{e: e, w: w, csv: csv.NewWriter(w)}
	t.csv.UseCRLF = true
	return t
}

func (t *tableWriter) begin(full collections.FullChannel, _ int64) error {
	t.channel = full.Title
	if _, err := io.WriteString(t.w, byteOrderMark); err != nil {
		return err
	}
	return t.csv.Write(columns)
}

func (t *tableWriter) add(ctx context.Context, items []placed) error {
	lines, err := t.e.record(ctx, items, 0, nil)
	if err != nil {
		return err
	}
	for _, line := range lines {
		var row []string
		if c := line.Channel; c != nil {
			row = []string{c.URL, c.Title, "", "", "", t.channel, "Channel", "", "", "", "", c.Owner.Name, exact(line.ConnectedAt), itoa(c.ID)}
		} else {
			b := line.Block
			file := ""
			if f := b.bytes(); f != nil {
				file = f.online
			}
			address := b.address()
			if address == "" {
				address = file // of an upload
			}
			row = []string{address, b.Title, b.Description, exact(b.CreatedAt), tags(b.Metadata), t.channel, b.Type, b.Content, file,
				text(b.AltText), text(b.SourceTitle), b.Author.Name, exact(line.ConnectedAt), itoa(b.ID)}
		}
		for i, cell := range row {
			row[i] = harmless(cell)
		}
		if err := t.csv.Write(row); err != nil {
			return err
		}
	}
	t.csv.Flush()
	return t.csv.Error()
}

func (t *tableWriter) end(context.Context) error {
	t.csv.Flush()
	return t.csv.Error()
}

func (t *tableWriter) free() {}

// exact formats a time with full precision.
func exact(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// harmless returns a cell that spreadsheets do not treat as a formula: it adds an apostrophe before
// characters that start a formula, and before existing apostrophes there. Removing one apostrophe
// restores the original.
func harmless(cell string) string {
	rest := strings.TrimLeft(cell, "'")
	if rest != "" && strings.IndexByte("=+-@\t\r\n", rest[0]) >= 0 || strings.HasPrefix(rest, "＝") || strings.HasPrefix(rest, "＋") ||
		strings.HasPrefix(rest, "－") || strings.HasPrefix(rest, "＠") {
		return "'" + cell
	}
	return cell
}

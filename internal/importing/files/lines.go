package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"vitrine/internal/importing/source"
)

// stroke separates the address from the title in the export of OneTab.
const stroke = " | "

// isLines reports whether a text is a list with an address on each line, judging by its first line.
func isLines(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	link, _ := cut(first)
	_, _, why := source.LinkOf(link)
	return why == "" && webAddress.MatchString(link)
}

var webAddress = regexp.MustCompile(`^(?i:https?)://`)

// cut splits a line into an address and a title.
func cut(line string) (link, title string) {
	line = strings.TrimSpace(line)
	line = strings.TrimSuffix(line, strings.TrimRight(stroke, " ")) // a page without a title
	if link, title, ok := strings.Cut(line, stroke); ok {
		return strings.TrimSpace(link), strings.TrimSpace(title)
	}
	end := strings.IndexAny(line, " \t")
	if end < 0 {
		return line, ""
	}
	return line[:end], strings.TrimSpace(line[end:])
}

// lines reads one address per line. In OneTab's export an empty line begins a group, which becomes
// a channel with the title of its first page, since its groups have no names.
func (l *list) lines(ctx context.Context, in *bufio.Reader, start string) error {
	l.format = "Addresses"
	grouped := false
	if first, _, _ := strings.Cut(start, "\n"); strings.Contains(first, stroke) {
		l.of("OneTab")
		grouped = blankLine.MatchString(start)
	}
	group := ""
	r := rows{in: in}
	for {
		line, err := r.readLine()
		where := fmt.Sprintf("line %d", r.line)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errRowTooLong):
			l.to.LeftOut(source.LeftOut{What: "A line", Where: where, Why: err.Error()})
			continue
		case err != nil:
			return err
		case strings.TrimSpace(string(line)) == "":
			group = ""
			continue
		}
		var r row
		if r[address], r[title] = cut(string(line)); !webAddress.MatchString(r[address]) {
			r[address], r[title] = strings.TrimSpace(string(line)), ""
		}
		if grouped {
			if group == "" {
				group = source.Shortened(r.name())
			}
			r[channel] = group
		}
		if err := l.take(ctx, sheetEntry{row: r}, where); err != nil {
			return err
		}
	}
}

var blankLine = regexp.MustCompile(`\n[ \t]*\r?\n`)

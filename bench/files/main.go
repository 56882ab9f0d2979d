// Files measures the import of files by the built program: a file of bookmarks and a table of a given size, which are
// read in a dry run, and smaller ones that are imported.
//
//	make build && go run ./bench/files --bin bin/vitrine
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

type command struct {
	Bin         string `required:"" type:"existingfile" help:"The built program."`
	Size        int64  `default:"524288000" help:"Bytes of the large files."`
	Links       int64  `default:"20000" help:"Links of those that are imported."`
	DatabaseURL string `name:"database-url" help:"An empty PostgreSQL database; SQLite without it."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var cmd command
	kong.Parse(&cmd, kong.Description("Measure the import of files."))
	if err := cmd.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "files:", err)
		os.Exit(1)
	}
}

// kind is a kind of file to import.
type kind struct {
	name       string // of the command
	head, tail string
	row        func(i int64) string
}

var kinds = []kind{
	{"bookmarks", "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<H1>Bookmarks</H1>\n<DL><p>\n", "</DL>\n", func(i int64) string {
		folder := ""
		if i%1_000 == 0 {
			folder = fmt.Sprintf("</DL><p>\n<DT><H3 ADD_DATE=\"1600000000\">Folder %d</H3>\n<DL><p>\n", i/1_000)
		}
		return folder + fmt.Sprintf("<DT><A HREF=\"https://site-%d.invalid/a/page/%d?x=1&amp;y=2\" ADD_DATE=\"%d\" TAGS=\"art,books\" ICON=\"data:image/png;base64,%s\">Title of bookmark %d</A>\n<DD>A note on it\n",
			i%5_000, i, 1_400_000_000+i, icon, i)
	}},
	{"csv", "url,title,description,created_at,tags,channel\n", "", func(i int64) string {
		return fmt.Sprintf("https://row-%d.invalid/a/page/%d?x=1&y=2,Title of row %d,\"A note, of some \"\"length\"\"\n%s\",2024-03-05T10:20:30Z,\"art, books\",Channel %d\n",
			i%5_000, i, i, strings.Repeat("words ", 50), i%100)
	}},
}

var icon = strings.Repeat("iVBORw0K", 40)

func (cmd command) run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "bench-files")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	place := []string{"--data-dir", filepath.Join(dir, "data")}
	if cmd.DatabaseURL != "" {
		place = append(place, "--database-url", cmd.DatabaseURL)
	}
	for _, args := range [][]string{{"migrate"}, {"user", "create", "--slug", "ada", "--name", "Ada", "--email", "ada@example.org"}} {
		if _, _, err := cmd.call(ctx, append(args, place...)...); err != nil {
			return err
		}
	}
	fmt.Println("| file | rows | MB | seconds | rows/s | MB/s | peak MB of the process |\n|---|--:|--:|--:|--:|--:|--:|")
	for _, k := range kinds {
		path := filepath.Join(dir, k.name)
		for _, part := range []struct {
			what string
			more []string
			end  func(rows, size int64) bool
		}{
			{"looked at", []string{"--dry-run"}, func(rows, size int64) bool { return size >= cmd.Size/50 }},
			{"looked at", []string{"--dry-run"}, func(rows, size int64) bool { return size >= cmd.Size }},
			{"imported", nil, func(rows, size int64) bool { return rows >= cmd.Links }},
			{"imported again", nil, func(rows, size int64) bool { return rows >= cmd.Links }},
		} {
			size, err := k.write(path, part.end)
			if err != nil {
				return err
			}
			began := time.Now()
			seen, peak, err := cmd.call(ctx, append(append([]string{"import", k.name, path, "--user", "ada", "--json"}, part.more...), place...)...)
			if err != nil {
				return err
			}
			took := time.Since(began).Seconds()
			fmt.Printf("| %s, %s | %d | %d | %.1f | %.0f | %.1f | %d |\n", k.name, part.what, seen, size>>20, took, float64(seen)/took, float64(size>>20)/took, peak>>20)
		}
	}
	return nil
}

// write writes rows to a file until end returns true, and returns its size.
func (k kind) write(path string, end func(rows, size int64) bool) (size int64, err error) {
	file, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out := bufio.NewWriterSize(file, 1<<20)
	put := func(s string) {
		size += int64(len(s))
		_, _ = out.WriteString(s) // Flush returns the error
	}
	put(k.head)
	for i := int64(0); !end(i, size); i++ {
		put(k.row(i))
	}
	put(k.tail)
	return size, out.Flush()
}

// call runs the program and returns the number of items that it reports and its peak memory.
func (cmd command) call(ctx context.Context, args ...string) (seen, peak int64, err error) {
	c := exec.CommandContext(ctx, cmd.Bin, args...)
	var out last
	c.Stdout, c.Stderr = &out, os.Stderr
	if err := c.Run(); err != nil {
		return 0, 0, fmt.Errorf("%q: %w", args, err)
	}
	if usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peak = usage.Maxrss << 10
	}
	var report struct{ Seen json.Number }
	if json.Unmarshal(out.line(), &report) == nil {
		seen, _ = strconv.ParseInt(report.Seen.String(), 10, 64)
	}
	return seen, peak, nil
}

// last keeps the end of the text written to it.
type last struct{ bytes.Buffer }

func (l *last) Write(p []byte) (int, error) {
	const enough = 64 << 10
	if l.Len() > enough {
		l.Next(l.Len() - enough/2)
	}
	return l.Buffer.Write(p)
}

func (l *last) line() []byte {
	text := bytes.TrimSpace(l.Bytes())
	return text[bytes.LastIndexByte(text, '\n')+1:]
}

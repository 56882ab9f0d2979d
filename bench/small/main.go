// Small measures the built program on a small machine: in a control group with one core and 512 MB of memory, with a
// database that bench/gen has filled. It needs root, and Linux.
//
//	make build && go run ./bench/gen --data-dir /tmp/small --blocks 80000 --large 19000 --connections 150000 --json > /tmp/small/made.json
//	go run ./bench/small --bin bin/vitrine --data-dir /tmp/small --made /tmp/small/made.json
//
// It adds to the data. "all at once" is the sum of the other rows, with twice as many images.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/kong"

	"vitrine/bench/dataset"
	"vitrine/bench/drive"
)

type command struct {
	Bin       string        `required:"" type:"existingfile" help:"The built program."`
	DataDir   string        `required:"" type:"existingdir" help:"Data of bench/gen."`
	Made      string        `required:"" type:"existingfile" help:"What bench/gen printed with --json."`
	Memory    int64         `default:"536870912" help:"Bytes of memory of the group."`
	Cores     float64       `default:"1" help:"Processor time of the group per second."`
	Pin       bool          `help:"Run on a single processor too, as on a machine with one."`
	Readers   int           `default:"8" help:"Clients that read."`
	Writers   int           `default:"2" help:"Clients that write."`
	Only      string        `help:"Only rows whose name matches this regular expression."`
	Time      time.Duration `default:"15s" help:"Least duration of a row with load."`
	Bookmarks int           `default:"5000" help:"Bookmarks to import."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var cmd command
	kong.Parse(&cmd, kong.Description("Measure the built program on a small machine."))
	if err := cmd.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "small:", err)
		os.Exit(1)
	}
}

func (cmd command) run(ctx context.Context) (err error) {
	only, err := regexp.Compile(cmd.Only)
	if err != nil {
		return err
	}
	made, err := dataset.ReadMade(cmd.Made)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-small-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	g, err := newGroup(cmd.Memory, cmd.Cores, cmd.Pin)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.remove()) }()
	s, err := start(ctx, g, cmd.Bin, cmd.DataDir, made.Token)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	b := &bench{cmd: cmd, made: made, dir: dir, group: g, server: s}
	if err := b.prepare(); err != nil {
		return err
	}
	fmt.Println("| | seconds | reads a second | reads, p50, p99, ms | writes a second | writes, p50, p99, ms | peak RSS, MB | of it anonymous | group's peak with files, MB | out of memory |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	jpeg, png, backup, bookmarks := b.image("photo.jpg"), b.image("photo.png"), b.backup, b.bookmarks
	for _, row := range []struct {
		name string
		load bool
		jobs []job
	}{
		{"idle", false, []job{wait(5 * time.Second)}},
		{"load", true, nil},
		{"a JPEG of 24 megapixels", false, []job{jpeg}},
		{"a PNG of 24 megapixels", false, []job{png}},
		{"a backup", false, []job{backup}},
		{fmt.Sprintf("an import of %d bookmarks", cmd.Bookmarks), false, []job{bookmarks}},
		{"load and both images", true, []job{jpeg, png}},
		{"load and a backup", true, []job{backup}},
		{"load and an import", true, []job{bookmarks}},
		{"all at once", true, []job{jpeg, png, jpeg, png, backup, bookmarks}},
	} {
		if !only.MatchString(row.name) {
			continue
		}
		if err := b.measure(ctx, row.name, row.load, row.jobs); err != nil {
			return fmt.Errorf("%s: %w", row.name, err)
		}
	}
	if kills, err := g.kills(); err != nil || kills > 0 {
		return errors.Join(err, fmt.Errorf("the system killed %d processes that were out of memory", kills))
	}
	return nil
}

// bench is a run of measurements.
type bench struct {
	cmd    command
	made   dataset.Made
	dir    string
	group  *group
	server *drive.Program
	reads  []drive.Prepared
	writes []drive.Prepared
	runs   int
}

// job is work that takes place besides the load.
type job func(ctx context.Context) error

func wait(d time.Duration) job {
	return func(context.Context) error { time.Sleep(d); return nil }
}

// prepare writes the files, and chooses the requests: blocks, pages of channels, searches and pages of the website.
func (b *bench) prepare() (err error) {
	if err := writeImages(b.dir); err != nil {
		return err
	}
	b.reads, b.writes, err = drive.Ordinary{Token: b.made.Token, First: b.made.FirstBlock, Last: b.made.LastBlock,
		Read: b.made.Middle.Slug, Pages: b.made.Middle.Items / 24, Write: b.made.Small.Slug}.Requests(b.server.Addr)
	return err
}

// measure runs the jobs at once, with load until all have ended if load is set, and prints a row.
func (b *bench) measure(ctx context.Context, name string, load bool, jobs []job) error {
	if err := b.group.resetPeaks(); err != nil {
		return err
	}
	watched := b.group.watch()
	began := time.Now()
	over := make(chan struct{})
	var wg sync.WaitGroup
	errs := make([]error, len(jobs)+2)
	for i, do := range jobs {
		wg.Go(func() { errs[i] = do(ctx) })
	}
	var reads, writes []time.Duration
	var both sync.WaitGroup
	if load {
		both.Go(func() { reads, errs[len(jobs)] = b.send(over, b.cmd.Readers, b.reads, http.StatusOK) })
		both.Go(func() { writes, errs[len(jobs)+1] = b.send(over, b.cmd.Writers, b.writes, http.StatusCreated) })
		time.Sleep(b.cmd.Time)
	}
	wg.Wait()
	took := time.Since(began)
	close(over)
	both.Wait()
	p := watched()
	kills, err := b.group.kills()
	if err = errors.Join(append(errs, err)...); err != nil {
		return err
	}
	seconds := took.Seconds()
	speed := func(took []time.Duration) string {
		if len(took) == 0 {
			return "– | –"
		}
		return fmt.Sprintf("%.0f | %.1f, %.0f", float64(len(took))/seconds, 1e3*drive.At(took, 0.5).Seconds(), 1e3*drive.At(took, 0.99).Seconds())
	}
	fmt.Printf("| %s | %.1f | %s | %s | %d | %d | %d | %d |\n", name, seconds, speed(reads), speed(writes), p.resident>>20, p.anonymous>>20, p.group>>20, kills)
	return nil
}

// send sends requests from several clients until over is closed.
func (b *bench) send(over chan struct{}, clients int, requests []drive.Prepared, want int) (took []time.Duration, err error) {
	dial := func() (drive.Sender, error) { return drive.Dial(b.server.Addr) }
	for {
		s, _, err := drive.Measure(dial, clients, requests, want, drive.Bound{Requests: 1 << 30, Time: time.Second}, false)
		if took = append(took, s.Took...); err != nil {
			return nil, err
		}
		select {
		case <-over:
			return took, nil
		default:
		}
	}
}

// image returns a job that uploads an image and waits until its block has all its versions.
func (b *bench) image(name string) job {
	return func(ctx context.Context) error {
		address, err := b.server.UploadFile(ctx, filepath.Join(b.dir, name), map[string]string{".jpg": "image/jpeg", ".png": "image/png"}[filepath.Ext(name)])
		if err != nil {
			return err
		}
		var block struct {
			ID   int64
			Type string
		}
		if err := b.server.Call(ctx, "POST", "/v3/blocks", map[string]any{"value": address, "channel_ids": []string{b.made.Small.Slug}}, &block); err != nil {
			return err
		}
		for block.Type == "PendingBlock" {
			time.Sleep(100 * time.Millisecond)
			if err := b.server.Call(ctx, "GET", fmt.Sprintf("/v3/blocks/%d", block.ID), nil, &block); err != nil {
				return err
			}
		}
		if block.Type != "Image" {
			return fmt.Errorf("%s became a block of type %s", name, block.Type)
		}
		return nil
	}
}

// backup backs up everything with a second process of the same group.
func (b *bench) backup(ctx context.Context) error {
	b.runs++
	to := filepath.Join(b.dir, fmt.Sprint("backup-", b.runs))
	c := b.group.command(ctx, b.cmd.Bin, "backup", "make", "--data-dir", b.cmd.DataDir, to)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("backup: %w: %s", err, out)
	}
	return nil
}

// bookmarks imports a file of new bookmarks.
func (b *bench) bookmarks(ctx context.Context) error {
	var text strings.Builder
	text.WriteString("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<TITLE>Bookmarks</TITLE>\n<DL><p>\n")
	for i := range b.cmd.Bookmarks {
		// The pages cannot be fetched: they have addresses for documentation (RFC 5737).
		fmt.Fprintf(&text, "<DT><A HREF=\"http://192.0.2.1/%d/%d\" ADD_DATE=\"1500000000\">Page %d</A>\n", time.Now().UnixNano(), i, i)
	}
	text.WriteString("</DL><p>\n")
	path := filepath.Join(b.dir, "bookmarks.html")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		return err
	}
	address, err := b.server.UploadFile(ctx, path, "text/html")
	if err != nil {
		return err
	}
	var it struct {
		ID            int64
		State, Reason string
	}
	if err := b.server.Call(ctx, "POST", "/ext/v1/imports", map[string]any{"source": "file", "upload_key": address}, &it); err != nil {
		return err
	}
	for it.State == "queued" || it.State == "running" {
		time.Sleep(200 * time.Millisecond)
		if err := b.server.Call(ctx, "GET", fmt.Sprintf("/ext/v1/imports/%d", it.ID), nil, &it); err != nil {
			return err
		}
	}
	if it.State != "done" {
		return fmt.Errorf("the import is %s: %s", it.State, it.Reason)
	}
	return nil
}

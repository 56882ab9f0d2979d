// Importing measures the import of the built program from a server of version 3 that responds at once: items and files
// per second, and memory.
//
//	make build && go run ./bench/importing --bin bin/vitrine
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

type command struct {
	Bin         string `required:"" type:"existingfile" help:"The built program."`
	DatabaseURL string `help:"An empty PostgreSQL database; by default SQLite."`
	Items       []int  `default:"10000,100000" help:"Text blocks of the channels that are imported, one after the other."`
	Files       int    `default:"200" help:"Images of a further channel."`
	Pixels      int    `default:"1200" help:"Their width and height."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var cmd command
	kong.Parse(&cmd, kong.Description("Measure the import of the built program."))
	if err := cmd.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "importing:", err)
		os.Exit(1)
	}
}

func (cmd command) run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "bench-importing")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	source, err := cmd.source()
	if err != nil {
		return err
	}
	defer source.Close()
	env := append(os.Environ(), "VITRINE_DATA_DIR="+dir, "VITRINE_DATABASE_URL="+cmd.DatabaseURL, "VITRINE_LOG_LEVEL=error")
	for _, args := range [][]string{{"migrate"}, {"user", "create", "--slug", "bench", "--name", "Bench", "--email", "bench@example.org"}} {
		if _, _, err := cmd.program(ctx, env, args...); err != nil {
			return err
		}
	}
	fmt.Println("| import | items | seconds | items a second | MB at most |\n|---|--:|--:|--:|--:|")
	measure := func(what, channel string, n int) error {
		took, memory, err := cmd.program(ctx, env, "import", "arena", "--user", "bench", "--json", "--from", source.URL, channel)
		if err == nil {
			fmt.Printf("| %s | %d | %.1f | %.0f | %d |\n", what, n, took.Seconds(), float64(n)/took.Seconds(), memory>>20)
		}
		return err
	}
	for _, n := range cmd.Items {
		channel := strconv.Itoa(n)
		if err := errors.Join(measure("of text blocks", channel, n), measure("the same again", channel, n)); err != nil {
			return err
		}
	}
	return measure(fmt.Sprintf("of images of %d × %[1]d", cmd.Pixels), "images", cmd.Files)
}

// program runs the program and returns its duration and its peak memory in bytes.
func (cmd command) program(ctx context.Context, env []string, args ...string) (time.Duration, int64, error) {
	c := exec.CommandContext(ctx, cmd.Bin, args...)
	var out bytes.Buffer
	c.Env, c.Stderr, c.Stdout = env, &out, &out
	began := time.Now()
	if err := c.Run(); err != nil {
		text := out.String()
		return 0, 0, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, text[max(0, len(text)-2_000):])
	}
	usage, _ := c.ProcessState.SysUsage().(*syscall.Rusage)
	return time.Since(began), usage.Maxrss << 10, nil
}

type fields map[string]any

// source serves channels, named by their number of text blocks, and one of images.
func (cmd command) source() (*httptest.Server, error) {
	pictures := make([][]byte, cmd.Files)
	for i := range pictures {
		var err error
		if pictures[i], err = picture(cmd.Pixels, i); err != nil {
			return nil, err
		}
	}
	var srv *httptest.Server
	count := func(slug string) (n, id int) {
		if slug == "images" || slug == "1" {
			return cmd.Files, 1
		}
		n, _ = strconv.Atoi(slug)
		return n, n
	}
	write := func(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) } // fails only if the client is gone
	mux := http.NewServeMux()
	mux.HandleFunc("/v3/channels/{slug}", func(w http.ResponseWriter, r *http.Request) {
		n, id := count(r.PathValue("slug"))
		write(w, fields{"id": id, "type": "Channel", "slug": r.PathValue("slug"), "title": r.PathValue("slug"), "visibility": "public",
			"created_at": "2020-01-02T03:04:05Z", "counts": fields{"contents": n}})
	})
	words := strings.Repeat("Some *moss* on the north side of a stone. ", 8)
	mux.HandleFunc("/v3/channels/{slug}/contents", func(w http.ResponseWriter, r *http.Request) {
		n, id := count(r.PathValue("slug"))
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		var items []fields
		for i := 100 * (page - 1); i < min(100*page, n); i++ {
			at := time.Unix(1_500_000_000+int64(i)*60, 0).UTC().Format(time.RFC3339)
			it := fields{"id": int64(id)<<32 + int64(i), "type": "Text", "title": fmt.Sprint("Note ", i), "content": fields{"markdown": words},
				"created_at": at, "connection": fields{"connected_at": at}}
			if id == 1 {
				it["type"], it["image"] = "Image", fields{"src": fmt.Sprintf("%s/image/%d", srv.URL, i), "filename": "a.jpg"}
			}
			items = append(items, it)
		}
		write(w, fields{"data": items, "meta": fields{"has_more_pages": 100*page < n}})
	})
	mux.HandleFunc("/image/{i}", func(w http.ResponseWriter, r *http.Request) {
		i, _ := strconv.Atoi(r.PathValue("i"))
		_, _ = w.Write(pictures[i])
	})
	srv = httptest.NewServer(mux)
	return srv, nil
}

// picture returns a unique JPEG.
func picture(pixels, seed int) ([]byte, error) {
	img := image.NewRGBA(image.Rect(0, 0, pixels, pixels))
	for y := range pixels {
		for x := range pixels {
			img.SetRGBA(x, y, color.RGBA{uint8(x*seed + y), uint8(x ^ y), uint8(y*seed - x), 255})
		}
	}
	var b bytes.Buffer
	err := jpeg.Encode(&b, img, nil)
	return b.Bytes(), err
}

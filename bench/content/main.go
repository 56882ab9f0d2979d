// Content measures the content pipeline of the built program: uploads, image versions compared with vipsthumbnail on the
// same files, memory, and serving images compared with a static file server.
//
//	make build && go run ./bench/content --bin bin/vitrine
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/alecthomas/kong"

	"vitrine/bench/drive"
)

type command struct {
	Bin     string `required:"" type:"existingfile" help:"The built program."`
	Photos  int    `default:"12" help:"Photographs of 12 megapixels."`
	Big     int64  `default:"1073741824" help:"Bytes of the large upload."`
	Gets    int    `default:"500" help:"Requests of one measurement of serving."`
	Workers int    `default:"4" help:"Jobs at once."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var cmd command
	kong.Parse(&cmd, kong.Description("Measure the content pipeline of the built program."))
	if err := cmd.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "content:", err)
		os.Exit(1)
	}
}

func (cmd command) run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "bench-content")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	photos, err := writePhotos(dir, cmd.Photos)
	if err != nil {
		return err
	}
	s, err := start(ctx, cmd.Bin, filepath.Join(dir, "data"), cmd.Workers, cmd.Big)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	for _, measure := range []func() error{
		func() error { return cmd.pipeline(ctx, s, photos) },
		func() error { return cmd.serving(ctx, s) },
		func() error { return cmd.large(ctx, s) },
	} {
		if err := measure(); err != nil {
			return err
		}
	}
	return nil
}

// pipeline turns photographs into blocks with all versions, and makes the same sizes with vipsthumbnail.
func (cmd command) pipeline(ctx context.Context, s *server, photos []string) error {
	values := make([]string, len(photos))
	for i, path := range photos {
		var err error
		if values[i], err = s.UploadFile(ctx, path, "image/jpeg"); err != nil {
			return err
		}
	}
	before := time.Now()
	for _, value := range values {
		if err := s.createBlock(ctx, value); err != nil {
			return err
		}
	}
	if err := s.settled(ctx); err != nil {
		return err
	}
	ours := time.Since(before)
	peak, err := drive.PeakMemory(s.Process.Pid)
	if err != nil {
		return err
	}
	fmt.Printf("%d photographs of 12 megapixels, 8 versions each, %d jobs at once: %.2f a second, peak memory %d MB\n",
		len(photos), cmd.Workers, float64(len(photos))/ours.Seconds(), peak>>20)
	theirs, err := vips(ctx, photos)
	if err != nil {
		fmt.Println("vipsthumbnail:", err)
		return nil
	}
	fmt.Printf("vipsthumbnail for the same files and sizes: %.2f a second; ours is %.2f of it\n",
		float64(len(photos))/theirs.Seconds(), theirs.Seconds()/ours.Seconds())
	return nil
}

// large uploads a file that is larger than the memory limit.
func (cmd command) large(ctx context.Context, s *server) error {
	before, err := drive.PeakMemory(s.Process.Pid)
	if err != nil {
		return err
	}
	start := time.Now()
	if err := s.uploadZeros(ctx, cmd.Big); err != nil {
		return err
	}
	after, err := drive.PeakMemory(s.Process.Pid)
	if err != nil {
		return err
	}
	fmt.Printf("PUT of %d MB: %.0f MB/s, peak memory grew by %d MB\n", cmd.Big>>20,
		float64(cmd.Big>>20)/time.Since(start).Seconds(), (after-before)>>20)
	return nil
}

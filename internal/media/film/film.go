// Package film takes pictures of videos with ffmpeg, a program that the operator installs and names. Videos come from
// strangers, so the program gets a local file and the name of its format. It guesses no format and opens nothing else.
package film

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"time"
)

// Limits of one picture.
const (
	timeout  = 30 * time.Second
	maxBytes = 4 << 20
	maxSaid  = 1 << 10 // bytes of the program's messages
)

// demuxers are the formats that are read, by media type. None of them refers to other files.
var demuxers = map[string]string{
	"video/mp4": "mov", "video/quicktime": "mov", "video/x-m4v": "mov", "video/3gpp": "mov", "video/3gpp2": "mov",
	"video/webm": "matroska", "video/x-matroska": "matroska", "video/ogg": "ogg", "video/x-msvideo": "avi",
	"video/mpeg": "mpeg", "video/x-flv": "flv",
}

// Camera takes pictures with a program. The zero value takes none.
type Camera struct {
	Program string
	Log     *slog.Logger
}

// Picture returns a JPEG of a frame near the beginning of a video file with a media type, or nil if it fails. It
// logs failures of the program.
func (c Camera) Picture(ctx context.Context, path, contentType string) []byte {
	demuxer, known := demuxers[contentType]
	if c.Program == "" || !known {
		return nil
	}
	ctx, done := context.WithTimeout(ctx, timeout)
	defer done()
	var failure error
	for _, at := range []string{"1", "0"} { // shorter videos have nothing after a second
		var picture []byte
		if picture, failure = c.run(ctx, path, demuxer, at); len(picture) > 0 {
			return picture
		}
	}
	c.Log.WarnContext(ctx, "ffmpeg took no picture of a video", "type", contentType, "error", failure)
	return nil
}

// run takes the picture at a time in seconds.
func (c Camera) run(ctx context.Context, path, demuxer, at string) ([]byte, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	picture, said := limited{left: maxBytes, stop: stop}, limited{left: maxSaid, stop: stop}
	cmd := exec.CommandContext(ctx, c.Program, "-nostdin", "-hide_banner", "-loglevel", "error", "-max_alloc", "268435456",
		"-protocol_whitelist", "file,pipe", "-threads", "1", "-max_pixels", "40000000", "-f", demuxer, "-ss", at, "-i", "file:"+path,
		"-an", "-sn", "-dn", "-frames:v", "1", "-vf", "scale=w='min(1600,iw)':h='min(1600,ih)':force_original_aspect_ratio=decrease",
		"-threads", "1", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-q:v", "3", "-f", "image2pipe", "pipe:1")
	cmd.Env = []string{} // without the secrets of this process
	cmd.Stdout, cmd.Stderr = &picture, &said
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("film: %w: %q", err, said.kept)
	}
	return picture.kept, nil
}

// errTooMuch ends a program that writes too much.
var errTooMuch = errors.New("film: it writes too much")

// limited keeps a limited number of bytes, and stops the program after them.
type limited struct {
	kept []byte
	left int
	stop func()
}

// Write implements io.Writer.
func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		l.stop()
		return 0, errTooMuch
	}
	l.kept = append(l.kept, p...)
	return len(p), nil
}

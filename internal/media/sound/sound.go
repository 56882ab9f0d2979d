// Package sound reads what audio files say about themselves: title, artist, cover and length.
package sound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dhowden/tag"

	"vitrine/internal/media/source"
)

// Info is what an audio file says about itself. Fields that it does not have are empty.
type Info struct {
	Title, Artist string // on one line, as valid text
	Seconds       int64
	Cover         []byte // of a kind that the file only claims; at most MaxCover bytes
}

// MaxCover is the maximum size of a cover in bytes. Larger ones are ignored.
const MaxCover = 8 << 20

// maxText is the maximum length of a title or an artist in characters.
const maxText = 255

// maxRead limits the bytes that are read of one file, because its tags may refer to the same bytes again and again.
const maxRead = 16 << 20

// errEnough is the error of a file whose tags are too large.
var errEnough = errors.New("sound: the tags are too large")

// Read returns what a file says about itself. Files that are broken or not known have an empty Info. Errors are those of
// reading the file, such as the end of ctx.
func Read(ctx context.Context, file source.File) (Info, error) {
	in := source.New(ctx, file)
	var info Info
	if said := readTags(in); said != nil {
		info.Title, info.Artist = line(said.Title()), line(said.Artist())
		if p := said.Picture(); p != nil && len(p.Data) <= MaxCover {
			info.Cover = p.Data
		}
	}
	info.Seconds = seconds(&bounded{in: in, left: maxRead}, file.Size())
	return info, in.Err()
}

// readTags returns the tags of a file, or nil. The library indexes some files that are broken out of range.
func readTags(in *source.Input) (said tag.Metadata) {
	defer func() {
		if failure := recover(); failure != nil {
			said = nil
		}
	}()
	said, err := tag.ReadFrom(io.NewSectionReader(&bounded{in: in, left: maxRead}, 0, in.Size()))
	if err != nil {
		return nil
	}
	return said
}

// line makes a text fit for one line.
func line(s string) string {
	s = strings.Join(strings.Fields(strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", " ")), " ")
	if r := []rune(s); len(r) > maxText {
		return string(r[:maxText-1]) + "…"
	}
	return s
}

// bounded reads a limited number of bytes.
type bounded struct {
	in   io.ReaderAt
	left int
}

// ReadAt implements io.ReaderAt.
func (b *bounded) ReadAt(p []byte, off int64) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, fmt.Errorf("%w: %d bytes at %d", errEnough, len(p), off)
	}
	return b.in.ReadAt(p, off)
}

// Package present shows things: views of domain values that every door renders from. A
// view wraps its value and works out, when asked, what a reader is shown beyond it:
// addresses, sizes, fallbacks, what the viewer may do. It reads no clock and does no I/O;
// which fields there are, and what they are called, is for each door to say.
package present

import (
	"strconv"
	"strings"

	"vitrine/internal/domain"
)

// Addresses are where a server is reached. They are absolute and without a slash at
// their ends. Its methods make views.
type Addresses struct {
	API   string
	Site  string
	Files string

	KeepMetadata bool // whether originals are served with their metadata
}

// size returns the size of the original of a file as it is served.
func (a *Addresses) size(f *domain.File) int64 {
	if a.KeepMetadata {
		return f.Size
	}
	return f.ServedSize()
}

// Rel is a relation of a thing to another resource of the API: its name, and a path below
// Addresses.API.
type Rel struct{ Name, Path string }

// apiPath is the path of a resource of the API by its id.
func apiPath(kind string, id int64) string { return "/v3/" + kind + "/" + strconv.FormatInt(id, 10) }

// file is the address of a file by its name below its key.
func (a *Addresses) file(f *domain.File, name string) string {
	return a.Files + "/" + f.Key + "/" + name
}

// Picture is the address of the picture of a user or group, which is kept as a path below
// the address of files, or as an address elsewhere; "" for none.
func (a *Addresses) Picture(kept *string) string {
	switch {
	case kept == nil:
		return ""
	case strings.Contains(*kept, "://"):
		return *kept
	}
	return a.Files + "/" + *kept
}

// Image is a view of an image that is no block's, with nothing said of it.
func (a *Addresses) Image(f *domain.File) Image { return Image{File: f, at: a} }

// Paths of pages, below Addresses.Site.
func userPath(slug string) string        { return "/" + slug }
func groupPath(slug string) string       { return "/group/" + slug }
func channelPath(owner, s string) string { return "/" + owner + "/" + s }
func blockPath(id domain.BlockID) string { return "/block/" + strconv.FormatInt(int64(id), 10) }

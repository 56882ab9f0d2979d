// Package present contains views of domain values, from which every transport renders. A view
// wraps its value and computes what readers are shown in addition: addresses, sizes, fallbacks,
// the viewer's permissions. It reads no clock and does no I/O. Each transport chooses its own
// fields and their names.
package present

import (
	"strconv"
	"strings"

	"vitrine/internal/domain"
)

// Addresses contains the addresses of a server. They are absolute and have no trailing slash. Its
// methods return views.
type Addresses struct {
	API   string
	Site  string
	Files string

	KeepMetadata bool // originals are served with their metadata
}

// size returns the size of the original of a file as it is served.
func (a *Addresses) size(f *domain.File) int64 {
	if a.KeepMetadata {
		return f.Size
	}
	return f.ServedSize()
}

// Rel is a relation to another resource of the API: its name, and a path below Addresses.API.
type Rel struct{ Name, Path string }

// apiPath returns the path of a resource of the API by its id.
func apiPath(kind string, id int64) string { return "/v3/" + kind + "/" + strconv.FormatInt(id, 10) }

// file returns the address of a file by its name below its key.
func (a *Addresses) file(f *domain.File, name string) string {
	return a.Files + "/" + f.Key + "/" + name
}

// Picture returns the address of the avatar of a user or group, or "" if kept is nil. kept is a
// path below the address of files, or an address elsewhere.
func (a *Addresses) Picture(kept *string) string {
	switch {
	case kept == nil:
		return ""
	case strings.Contains(*kept, "://"):
		return *kept
	}
	return a.Files + "/" + *kept
}

// Image returns a view of an image that does not belong to a block and has no alternative text.
func (a *Addresses) Image(f *domain.File) Image { return Image{File: f, at: a} }

// The paths of pages, below Addresses.Site.
func userPath(slug string) string        { return "/" + slug }
func groupPath(slug string) string       { return "/group/" + slug }
func channelPath(owner, s string) string { return "/" + owner + "/" + s }
func blockPath(id domain.BlockID) string { return "/block/" + strconv.FormatInt(int64(id), 10) }

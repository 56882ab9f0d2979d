// Package content gets, keeps and serves what blocks and pictures are made of: uploads, what is
// at addresses, files and their resized versions, and how much of it a user and a disk may have.
package content

import (
	"cmp"
	"time"

	"golang.org/x/sync/singleflight"

	"vitrine/internal/app/core"
	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/media"
	"vitrine/internal/page"
	"vitrine/internal/slots"
	"vitrine/internal/store"
)

// Content are the use cases.
type Content struct {
	*core.Core
	uploadKey core.Secret

	blobs          blob.Store
	staging        *blob.Staging
	fetcher        *fetch.Client
	importer       *fetch.Client
	studio         *media.Studio
	providers      *page.Directory
	uploadLimit    int64
	uploadPrefix   string   // of files that clients put into the storage themselves
	ownHosts       []string // of this installation, which no player may come from
	rendering      singleflight.Group
	examining      singleflight.Group
	keepMetadata   bool
	inspectTimeout time.Duration

	quotas      Quotas
	uploading   *slots.Slots[domain.UserID]
	filling     *slots.Slots[domain.UploadID]
	diskReserve Reserve
	folders     []string
	freeSpace   freeSpace
}

// Options are what files and the content of blocks need. The zero value serves where
// there are neither, as on the command line.
type Options struct {
	Blobs       blob.Store
	Staging     *blob.Staging
	Fetcher     *fetch.Client
	Importer    *fetch.Client // of what users bring in from other servers; it takes its time
	Studio      *media.Studio
	Providers   *page.Directory
	UploadLimit int64 // bytes of a file
	// KeepMetadata is whether originals are served with all their metadata.
	KeepMetadata bool
	Quotas       Quotas
	// InspectTimeout is how long FindAnimations reads one file. 0 selects the default.
	InspectTimeout time.Duration

	DiskReserve Reserve                                       // what stays free on the disks
	Folders     []string                                      // one on each disk that is written to
	FreeSpace   func(folder string) (blob.Space, bool, error) // nil means blob.FreeSpace

	// UploadPrefix is what the addresses begin with at which clients put files into
	// the storage themselves; "" if they cannot. See the function.
	UploadPrefix string
}

// New makes the use cases. No player may come from the addresses of this installation, of
// which filesURL is that of files.
func New(c *core.Core, filesURL string, o Options) *Content {
	a := &Content{Core: c, blobs: o.Blobs, staging: o.Staging, fetcher: o.Fetcher, importer: o.Importer, studio: o.Studio, providers: o.Providers,
		uploading: newUploading(), filling: newFilling(), quotas: o.Quotas, diskReserve: o.DiskReserve, folders: o.Folders,
		freeSpace: o.FreeSpace, uploadLimit: o.UploadLimit, uploadPrefix: o.UploadPrefix, keepMetadata: o.KeepMetadata,
		inspectTimeout: cmp.Or(o.InspectTimeout, inspectTimeout),
		ownHosts:       hosts(c.SiteURL, c.BaseURL, filesURL)}
	if len(o.Quotas) > 0 {
		c.Store.BoundTexts(store.TextBound{Now: c.Now, Room: a.textRoom})
	}
	if a.freeSpace == nil {
		a.freeSpace = blob.FreeSpace
	}
	return a
}

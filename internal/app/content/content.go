// Package content fetches, stores and serves the content of blocks and pictures: uploads, URLs, files and their resized
// versions. It enforces the quotas of users and the reserve of disks.
package content

import (
	"cmp"
	"time"

	"golang.org/x/sync/singleflight"

	"vitrine/internal/app/core"
	"vitrine/internal/blob"
	"vitrine/internal/budget"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/media"
	"vitrine/internal/media/film"
	"vitrine/internal/page"
	"vitrine/internal/store"
)

// Content contains the use cases.
type Content struct {
	*core.Core
	uploadKey core.Secret

	blobs          blob.Store
	staging        *blob.Staging
	fetcher        *fetch.Client
	importer       *fetch.Client
	studio         *media.Studio
	camera         film.Camera
	providers      *page.Directory
	uploadLimit    int64
	uploadPrefix   string   // of files that clients put into the storage themselves
	ownHosts       []string // of this installation, which no player may come from
	rendering      singleflight.Group
	examining      singleflight.Group
	keepMetadata   bool
	linkChecks     bool
	archive        string
	inspectTimeout time.Duration

	snapshots Snapshots
	browser   Browser
	reading   *budget.Slots[struct{}]

	quotas      Quotas
	uploading   *budget.Slots[domain.UserID]
	filling     *budget.Slots[domain.UploadID]
	pages       documentPages
	diskReserve Reserve
	folders     []string
	freeSpace   freeSpace
}

// Options configures files and the content of blocks. The zero value suits programs without either, such as commands.
type Options struct {
	Blobs       blob.Store
	Staging     *blob.Staging
	Fetcher     *fetch.Client
	Importer    *fetch.Client // fetches imports from other servers, with a longer timeout
	Studio      *media.Studio
	Camera      film.Camera // of videos
	Providers   *page.Directory
	UploadLimit int64 // bytes per file
	// KeepMetadata serves originals with all their metadata.
	KeepMetadata bool
	LinkChecks   bool   // whether CheckLinks requests pages
	Archive      string // address of copies in a web archive, with {time} and {url}; "": none
	Quotas       Quotas
	Snapshots    Snapshots
	Browser      Browser // renders the pages that this server copies; nil: none
	// InspectTimeout is how long FindAnimations reads one file. 0 selects the default.
	InspectTimeout time.Duration

	DiskReserve Reserve                                       // free space to keep on the disks
	Folders     []string                                      // one on each disk that the server writes to
	FreeSpace   func(folder string) (blob.Space, bool, error) // nil means blob.FreeSpace

	// UploadPrefix is the prefix of the addresses at which clients upload files to the storage directly, or "" if they
	// cannot. See the function of the same name.
	UploadPrefix string
}

// New creates the use cases. filesURL is the address of files. Players from it and from the other addresses of this
// installation are refused.
func New(c *core.Core, filesURL string, o Options) *Content {
	a := &Content{Core: c, blobs: o.Blobs, staging: o.Staging, fetcher: o.Fetcher, importer: o.Importer, studio: o.Studio, camera: o.Camera, providers: o.Providers,
		uploading: newUploading(), filling: newFilling(), reading: newReading(), snapshots: o.Snapshots, browser: o.Browser, quotas: o.Quotas, diskReserve: o.DiskReserve, folders: o.Folders,
		freeSpace: o.FreeSpace, uploadLimit: o.UploadLimit, uploadPrefix: o.UploadPrefix, keepMetadata: o.KeepMetadata, linkChecks: o.LinkChecks, archive: o.Archive,
		inspectTimeout: cmp.Or(o.InspectTimeout, inspectTimeout),
		ownHosts:       hosts(c.SiteURL, c.BaseURL, filesURL)}
	if len(o.Quotas) > 0 {
		c.Store.BoundTexts(store.TextBound{Now: c.Now, Available: a.availableText})
	}
	a.pages.init()
	if a.freeSpace == nil {
		a.freeSpace = blob.FreeSpace
	}
	return a
}

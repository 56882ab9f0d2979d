// Package app holds the use cases: authorise, validate, change in a transaction.
// The acting user is a parameter of each.
package app

import (
	"context"
	"net/url"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"

	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/mail"
	"vitrine/internal/markup"
	"vitrine/internal/media"
	"vitrine/internal/page"
	"vitrine/internal/slots"
	"vitrine/internal/store"
)

// App is the service without its edges.
type App struct {
	store         *store.Store
	now           func() time.Time
	siteURL       string
	baseURL       string
	mailer        *mail.Mailer
	invitationTTL time.Duration
	used          usage
	accounts      AccountOptions
	cursorKey     secret
	uploadKey     secret

	blobs        blob.Store
	staging      *blob.Staging
	fetcher      *fetch.Client
	studio       *media.Studio
	providers    *page.Directory
	uploadLimit  int64
	uploadPrefix string   // of files that clients put into the storage themselves
	ownHosts     []string // of this installation, which no player may come from
	rendering    singleflight.Group

	quotas      Quotas
	uploading   *slots.Slots[domain.UserID]
	filling     *slots.Slots[domain.UploadID]
	diskReserve Reserve
	folders     []string
	freeSpace   freeSpace
}

// Options are what the service stands on.
type Options struct {
	Store         *store.Store
	Now           func() time.Time // the clock; nil means time.Now
	SiteURL       string           // absolute, without a slash at its end
	BaseURL       string           // the same
	FilesURL      string           // the same
	Mailer        *mail.Mailer     // for jobs; nil where none are worked
	InvitationTTL time.Duration    // how long an invitation is open; 0 means 14 days
	Files         Files
	Accounts      AccountOptions
}

// AccountOptions are how accounts come to be. The zero value serves the command line.
type AccountOptions struct {
	SignUp       domain.SignUpMode // "": an operator chooses
	DefaultTier  domain.Tier       // of accounts that people make; "" means supporter
	Registration bool              // applications may register themselves
}

// Files is what files and the content of blocks need. The zero value serves where
// there are neither, as on the command line.
type Files struct {
	Blobs       blob.Store
	Staging     *blob.Staging
	Fetcher     *fetch.Client
	Studio      *media.Studio
	Providers   *page.Directory
	UploadLimit int64 // bytes of a file
	Quotas      Quotas

	DiskReserve Reserve                                       // what stays free on the disks
	Folders     []string                                      // one on each disk that is written to
	FreeSpace   func(folder string) (blob.Space, bool, error) // nil means blob.FreeSpace

	// UploadPrefix is what the addresses begin with at which clients put files into
	// the storage themselves; "" if they cannot. See the function.
	UploadPrefix string
}

// New makes the service.
func New(o Options) *App {
	f := o.Files
	a := &App{store: o.Store, now: o.Now, siteURL: o.SiteURL, baseURL: o.BaseURL, mailer: o.Mailer,
		invitationTTL: o.InvitationTTL, accounts: o.Accounts, used: usage{at: map[domain.TokenID]time.Time{}},
		blobs: f.Blobs, staging: f.Staging, fetcher: f.Fetcher, studio: f.Studio, providers: f.Providers,
		uploading: newUploading(), filling: newFilling(), quotas: f.Quotas, diskReserve: f.DiskReserve, folders: f.Folders, freeSpace: f.FreeSpace,
		uploadLimit: f.UploadLimit, uploadPrefix: f.UploadPrefix, ownHosts: hosts(o.SiteURL, o.BaseURL, o.FilesURL)}
	if a.freeSpace == nil {
		a.freeSpace = blob.FreeSpace
	}
	if a.now == nil {
		a.now = time.Now
	}
	if a.accounts.DefaultTier == "" {
		a.accounts.DefaultTier = domain.TierSupporter
	}
	if a.invitationTTL == 0 {
		a.invitationTTL = 14 * 24 * time.Hour
	}
	return a
}

// hosts are the names in addresses.
func hosts(addresses ...string) (names []string) {
	for _, address := range addresses {
		if u, err := url.Parse(address); err == nil && u.Hostname() != "" {
			names = append(names, u.Hostname())
		}
	}
	return names
}

// UploadPrefix is what the addresses begin with at which clients put files into a
// storage themselves; "" if they cannot.
func UploadPrefix(ctx context.Context, blobs blob.Store) (string, error) {
	const name = uploadFolder + "name"
	address, ok, err := blobs.PresignPut(ctx, name, "text/plain", time.Minute)
	if err != nil || !ok {
		return "", err
	}
	address, _, _ = strings.Cut(address, "?")
	return strings.TrimSuffix(address, "name"), nil
}

// Ready reports whether requests can be served.
func (a *App) Ready(ctx context.Context) error { return a.store.Ready(ctx) }

// Check recomputes every derived value and gives the differences, at most `most` of
// each kind; if repair, those that are left after what can be put right has been.
func (a *App) Check(ctx context.Context, most int, repair bool, tell func(store.Checked)) ([]store.Difference, error) {
	if repair {
		return a.store.Repair(ctx, most, tell)
	}
	return a.store.CheckTelling(ctx, most, tell)
}

// forbidden says that the actor sees a thing but may not do this with it.
func forbidden(what string) error { return domain.NewForbidden("You may not " + what) }

// rendered renders Markdown; nil and text that is empty give nil.
func rendered(markdown *string) *domain.Text {
	if markdown == nil || *markdown == "" {
		return nil
	}
	t := markup.Render(*markdown)
	return &domain.Text{Markdown: t.Markdown, HTML: t.HTML, Plain: t.Plain}
}

// nonEmpty gives nil for a missing or empty string.
func nonEmpty(s *string) *string {
	if s == nil || *s == "" {
		return nil
	}
	return s
}

// notBlank refuses a text of spaces alone; "" says that there is none.
func notBlank(field string, s *string) error {
	if s != nil && *s != "" && strings.TrimSpace(*s) == "" {
		return domain.NewInvalid(field + ": must not be blank")
	}
	return nil
}

// replace sets a field to a value that differs, so that what it belongs to stays equal
// to what it was where nothing changes.
func replace[T comparable](field **T, value *T) {
	if *field == nil || value == nil || **field != *value {
		*field = value
	}
}

// title trims a title and refuses a blank one.
func title(field, s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", domain.NewInvalid(field + ": must not be blank")
	}
	return s, nil
}

// filled refuses a text of spaces alone, and "", where it is given.
func filled(field string, s *string) error {
	if s == nil {
		return nil
	}
	_, err := title(field, *s)
	return err
}

// Patch is a field of an update: Set reports whether it was given, Value is nil for null.
type Patch struct {
	Set   bool
	Value *string
}

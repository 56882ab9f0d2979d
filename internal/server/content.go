package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/app/content"
	"vitrine/internal/blob"
	"vitrine/internal/browser"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	edge "vitrine/internal/files"
	"vitrine/internal/media"
	"vitrine/internal/media/film"
	"vitrine/internal/obs"
	"vitrine/internal/page"
	"vitrine/internal/store"
)

// importsPerHost limits the concurrent requests of imports to one host.
const importsPerHost = 8

// newFiles creates the options for storing, fetching and reading files, with metrics if stats is
// not nil. It waits up to maxWait if S3 is unreachable.
func newFiles(ctx context.Context, cfg config.Config, o Options, maxWait time.Duration, stats *obs.Metrics) (f content.Options, err error) {
	if f.Blobs, err = openBlobs(cfg, stats); err != nil {
		return f, err
	}
	if cfg.Blob.URL == "" { // a full or broken disk does not recover by itself
		maxWait = 0
	}
	if err := await(ctx, maxWait, o.Log, "the storage of files", f.Blobs.Check); err != nil {
		return f, fmt.Errorf("the storage of files: %w", err)
	}
	if f.Staging, err = blob.OpenStaging(cfg.StagingPath()); err != nil {
		return f, err
	}
	if f.Providers, err = providers(cfg.ProvidersPath()); err != nil {
		return f, err
	}
	if f.UploadPrefix, err = content.UploadPrefix(ctx, f.Blobs); err != nil {
		return f, err
	}
	fetching := fetchOptions(cfg, o)
	fetching.Allow = append(fetching.Allow, cfg.FetchAllow...)
	fetching.Languages = cfg.Language
	if stats != nil {
		fetching.Observe = observeFetch(stats)
	}
	f.Fetcher = fetch.New(fetching)
	fetching.Timeout, fetching.PerHost, fetching.Wait = cfg.JobTimeout, importsPerHost, time.Minute
	f.Importer = fetch.New(fetching)
	f.Studio = media.NewStudio(media.Options{MemoryBudget: cfg.ImageMemory})
	f.Camera = film.Camera{Program: cfg.FFmpeg, Log: o.Log}
	f.UploadLimit = cfg.UploadLimit
	f.KeepMetadata = cfg.KeepMetadata
	f.LinkChecks, f.Archive = cfg.LinkChecks, cfg.Archive
	f.Quotas = quotas(cfg)
	f.Snapshots = content.Snapshots{Policy: domain.SnapshotPolicy(cfg.Snapshots), Limit: cfg.SnapshotLimit, Quotas: map[domain.Tier]int64{}}
	f.Snapshots.Sites = map[string]domain.SnapshotPolicy{}
	for host, policy := range cfg.SnapshotSites {
		f.Snapshots.Sites[host] = domain.SnapshotPolicy(policy)
	}
	for tier, bytes := range cfg.SnapshotQuota {
		f.Snapshots.Quotas[domain.Tier(tier)] = bytes
	}
	if f.Browser = o.Browser; f.Browser == nil && cfg.BrowserURL != "" {
		if f.Browser, err = browser.New(cfg.BrowserURL, o.Log); err != nil {
			return f, err
		}
	}
	f.DiskReserve, f.FreeSpace = content.Reserve(cfg.DiskReserve), o.FreeSpace
	f.Folders = []string{cfg.StagingPath()}
	if cfg.Blob.URL == "" {
		f.Folders = append(f.Folders, cfg.FilesPath())
	}
	if cfg.DatabaseURL == "" {
		f.Folders = append(f.Folders, cfg.DataDir)
	}
	return f, nil
}

// fetchOptions returns the options of all clients for URLs from users.
func fetchOptions(cfg config.Config, o Options) fetch.Options {
	f := o.Fetch
	f.Allow = slices.Clone(f.Allow)
	f.UserAgent = "Mozilla/5.0 (compatible; Vitrine/" + o.Version + "; +" + cfg.SiteURL + ")"
	return f
}

// OpenApp opens the application with its files for commands that import or export content. Servers
// may be running. The caller must call the returned function to close it.
func OpenApp(ctx context.Context, cfg config.Config, o Options) (*app.App, func() error, error) {
	db, err := OpenReady(ctx, cfg, o.Log)
	if err != nil {
		return nil, nil, err
	}
	files, err := newFiles(ctx, cfg, o, 0, nil)
	if err != nil {
		return nil, nil, joinClose(err, db)
	}
	if o.Now == nil {
		o.Now = SiteClock(ctx, db)
	}
	return app.New(app.Options{Store: store.New(db), Now: o.Now, SiteURL: cfg.SiteURL, BaseURL: cfg.BaseURL,
		FilesURL: cfg.FilesURL + edge.FilesPath, TrashKept: cfg.TrashKept(), Files: files}), db.Close, nil
}

// quotas returns the quotas by tier.
func quotas(cfg config.Config) content.Quotas {
	all := content.Quotas{}
	for _, tier := range []domain.Tier{domain.TierFree, domain.TierPremium, domain.TierSupporter} {
		all[tier] = domain.Quota{Unused: cfg.QuotaUnused[string(tier)], Total: cfg.Quota[string(tier)]}
	}
	return all
}

// BlobOptions returns the S3 options of a configuration with an S3 storage.
func BlobOptions(b config.Blob) (blob.S3Options, error) {
	o, err := blob.ParseURL(b.URL)
	o.AccessKey, o.SecretKey = b.AccessKey, b.SecretKey
	return o, err
}

// OpenBlobs opens the file storage.
func OpenBlobs(cfg config.Config) (blob.Store, error) { return openBlobs(cfg, nil) }

// openBlobs opens the file storage, with metrics of S3 if stats is not nil.
func openBlobs(cfg config.Config, stats *obs.Metrics) (blob.Store, error) {
	if cfg.Blob.URL == "" {
		return blob.OpenDisk(cfg.FilesPath())
	}
	o, err := BlobOptions(cfg.Blob)
	if err != nil {
		return nil, err
	}
	if stats != nil {
		o.Watch = func(next http.RoundTripper) http.RoundTripper { return stats.Watched(obs.Storage, next) }
	}
	return blob.OpenS3(o)
}

// providers returns the oEmbed providers in a file, or the built-in list if there is no such file.
func providers(path string) (*page.Directory, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return page.Providers()
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	list, err := page.LoadProviders(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"vitrine/internal/app"
	"vitrine/internal/blob"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/media"
	"vitrine/internal/page"
)

// newFiles makes what stores, fetches and reads files.
func newFiles(ctx context.Context, cfg config.Config, o Options) (f app.Files, err error) {
	if f.Blobs, err = OpenBlobs(cfg); err != nil {
		return f, err
	}
	if err := f.Blobs.Check(ctx); err != nil {
		return f, fmt.Errorf("the storage of files: %w", err)
	}
	if f.Staging, err = blob.OpenStaging(cfg.StagingPath()); err != nil {
		return f, err
	}
	if f.Providers, err = providers(cfg.ProvidersPath()); err != nil {
		return f, err
	}
	if f.UploadPrefix, err = app.UploadPrefix(ctx, f.Blobs); err != nil {
		return f, err
	}
	fetching := o.Fetch
	fetching.Allow = append(fetching.Allow, cfg.FetchAllow...)
	fetching.UserAgent = "Mozilla/5.0 (compatible; Vitrine/" + o.Version + "; +" + cfg.SiteURL + ")"
	f.Fetcher = fetch.New(fetching)
	f.Studio = media.NewStudio(media.Options{MemoryBudget: cfg.ImageMemory})
	f.UploadLimit = cfg.UploadLimit
	f.Quotas = quotas(cfg)
	f.DiskReserve, f.FreeSpace = app.Reserve(cfg.DiskReserve), o.FreeSpace
	f.Folders = []string{cfg.StagingPath()}
	if cfg.Blob.URL == "" {
		f.Folders = append(f.Folders, cfg.FilesPath())
	}
	if cfg.DatabaseURL == "" {
		f.Folders = append(f.Folders, cfg.DataDir)
	}
	return f, nil
}

// quotas are those of each tier.
func quotas(cfg config.Config) app.Quotas {
	all := app.Quotas{}
	for _, tier := range []domain.Tier{domain.TierFree, domain.TierPremium, domain.TierSupporter} {
		all[tier] = domain.Quota{Unused: cfg.QuotaUnused[string(tier)], Total: cfg.Quota[string(tier)]}
	}
	return all
}

// BlobOptions are those of the S3 storage of a configuration that has one.
func BlobOptions(b config.Blob) (blob.S3Options, error) {
	o, err := blob.ParseURL(b.URL)
	o.AccessKey, o.SecretKey = b.AccessKey, b.SecretKey
	return o, err
}

// OpenBlobs opens the storage of files.
func OpenBlobs(cfg config.Config) (blob.Store, error) {
	if cfg.Blob.URL == "" {
		return blob.OpenDisk(cfg.FilesPath())
	}
	o, err := BlobOptions(cfg.Blob)
	if err != nil {
		return nil, err
	}
	return blob.OpenS3(o)
}

// providers is the list of oEmbed providers in a file, else the one built in.
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

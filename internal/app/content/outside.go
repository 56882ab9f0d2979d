package content

import (
	"context"
	"errors"
	"os"

	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
)

// CheckReachable refuses what is no address of the web, and an address that is not public, as
// far as that can be seen without asking anybody: a name may still lead nowhere that we may go.
func (a *Content) CheckReachable(field, address string) error {
	err := a.fetcher.Check(address)
	if known, ok := errors.AsType[*fetch.Error](err); ok {
		return domain.InvalidField(field, domain.FieldForbidden, "cannot be used: "+known.Reason)
	}
	return err
}

// ImportFetcher is what asks other servers for what users bring in: public ones alone, or those
// that the operator allows.
func (a *Content) ImportFetcher() *fetch.Client { return a.importer }

// SentBytes are what a user has uploaded, on the disk of this server. Whoever opens it closes it.
type SentBytes struct {
	*os.File
	Name   string
	Size   int64
	staged *blob.Staged
	owner  *Content
}

// Close implements io.Closer.
func (f *SentBytes) Close() error {
	err := f.File.Close()
	f.owner.discard(f.staged)
	return err
}

// OpenUpload opens the bytes of an upload; NotFound if it is gone.
func (a *Content) OpenUpload(ctx context.Context, id domain.UploadID) (*SentBytes, error) {
	u, err := a.Store.UploadByID(ctx, id)
	if err != nil {
		return nil, err
	}
	staged, err := a.fetchUpload(ctx, u)
	if err != nil {
		return nil, missing(err)
	}
	file, err := staged.Open()
	if err != nil {
		a.discard(staged)
		return nil, err
	}
	return &SentBytes{File: file, Name: u.Name, Size: staged.Size, staged: staged, owner: a}, nil
}

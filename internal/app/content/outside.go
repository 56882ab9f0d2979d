package content

import (
	"context"
	"errors"
	"io"
	"os"

	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
)

// CheckReachable refuses anything but a public address of the web, without a DNS query: a name may still resolve to a
// private address.
func (a *Content) CheckReachable(field, address string) error {
	err := a.fetcher.Check(address)
	if known, ok := errors.AsType[*fetch.Error](err); ok {
		return domain.InvalidField(field, domain.FieldForbidden, "cannot be used: "+known.Reason)
	}
	return err
}

// ImportFetcher returns the client for imports from other servers. It only reaches public servers and those that the
// operator allows.
func (a *Content) ImportFetcher() *fetch.Client { return a.importer }

// ReadURL fetches a URL given by a user or a feed, and reads its body. It never reaches a blocked site. A body that is too
// large or breaks off is returned up to that point.
func (a *Content) ReadURL(ctx context.Context, r fetch.Request) (*fetch.Response, []byte, error) {
	answer, err := a.get(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	defer closing(answer.Body)
	body, err := io.ReadAll(answer.Body)
	if errors.Is(err, fetch.ErrTooLarge) || errors.Is(err, fetch.ErrCutOff) {
		err = nil
	}
	return answer, body, err
}

// SentBytes are the bytes of an upload on a local disk. The caller must close it.
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

// OpenUpload opens the bytes of an upload. It returns NotFound if the upload was removed.
func (a *Content) OpenUpload(ctx context.Context, id domain.UploadID) (*SentBytes, error) {
	u, err := a.Store.Blobs().UploadByID(ctx, id)
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

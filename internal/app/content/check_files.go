package content

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"vitrine/internal/blob"
	"vitrine/internal/domain"
	"vitrine/internal/store/blobs"
)

// FileFault is a problem with an object in the file storage.
type FileFault struct {
	Object string `json:"object"`
	Why    string `json:"why"`
}

func (f FileFault) String() string { return f.Object + ": " + f.Why }

// CheckingFiles is the progress of CheckFiles.
type CheckingFiles struct {
	Files, Objects int64 // files checked, and then objects
	Faults         int64
}

// checkedFiles is the number of rows or objects checked between two progress reports.
const checkedFiles = 100

// CheckFiles compares the file storage with the database in both directions: every stored file has its bytes, with the
// right size and, unless sizesOnly is set, the right checksum, and every object belongs to a row. It may run next to a
// server, so it checks each difference a second time before it reports it.
func (a *Content) CheckFiles(ctx context.Context, sizesOnly bool, fault func(FileFault), tell func(CheckingFiles)) error {
	var at CheckingFiles
	report := func(f FileFault) {
		at.Faults++
		fault(f)
	}
	for above := domain.BlobID(0); ; {
		some, err := a.Store.Blobs().StoredBlobs(ctx, above, checkedFiles)
		if err != nil {
			return err
		}
		for _, b := range some {
			above = b.ID
			why, err := a.examine(ctx, b, sizesOnly)
			if err != nil {
				return fmt.Errorf("%s: %w", b.Object, err)
			}
			if why != "" {
				report(FileFault{b.Object, why})
			}
		}
		at.Files += int64(len(some))
		tell(at)
		if len(some) < checkedFiles {
			break
		}
	}
	var names []string
	look := func() error {
		at.Objects += int64(len(names))
		strays, err := a.strays(ctx, names)
		for _, name := range strays {
			report(FileFault{name, "belongs to nothing in the database"})
		}
		names = names[:0]
		tell(at)
		return err
	}
	err := a.blobs.List(ctx, "", func(name string, _ int64) error {
		if names = append(names, name); len(names) < checkedFiles {
			return nil
		}
		return look()
	})
	if err != nil {
		return err
	}
	return look()
}

// examine returns the problem with the bytes of a blob that still exists.
func (a *Content) examine(ctx context.Context, b blobs.StoredBlob, sizeOnly bool) (why string, err error) {
	file, err := a.blobs.Open(ctx, b.Object)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		why = "is missing"
	case err != nil:
		return "", err
	default:
		defer closing(file)
		if why, err = fault(file, b, sizeOnly); err != nil {
			return "", err
		}
	}
	if why == "" {
		return "", nil
	}
	now, err := a.Store.Blobs().Blob(ctx, b.ID) // the sweep may have removed it since
	if domain.KindOf(err) == domain.NotFound || err == nil && now.Object != b.Object {
		return "", nil
	}
	return why, err
}

func fault(file *blob.File, b blobs.StoredBlob, sizeOnly bool) (string, error) {
	if file.Size != b.Size {
		return fmt.Sprintf("has %d bytes, not %d", file.Size, b.Size), nil
	}
	if sizeOnly {
		return "", nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, file.Content); err != nil {
		return "", err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != b.Hash {
		return "has other content: its SHA-256 is " + got, nil
	}
	return "", nil
}

// strays returns the objects that belong to nothing. A row is created before its object and deleted after it, so a
// listed object that still exists must have a row.
func (a *Content) strays(ctx context.Context, names []string) (strays []string, err error) {
	owners := make([]string, len(names))
	for i, name := range names {
		owners[i] = ownerObject(name)
	}
	unknown, err := a.Store.Blobs().UnknownObjects(ctx, uploadFolder, owners)
	if err != nil {
		return nil, err
	}
	missing := map[string]bool{}
	for _, name := range unknown {
		missing[name] = true
	}
	for i, name := range names {
		if !missing[owners[i]] {
			continue
		}
		if _, err := a.blobs.Stat(ctx, name); errors.Is(err, blob.ErrNotFound) {
			continue
		} else if err != nil && !errors.Is(err, blob.ErrName) {
			return nil, err
		}
		strays = append(strays, name)
	}
	return strays, nil
}

// ownerObject returns the object whose row an object depends on: for a version or a page, its original.
func ownerObject(name string) string {
	for _, folder := range []string{versionFolder, pageFolder} {
		if below, ok := strings.CutPrefix(name, folder); ok {
			return originals + path.Dir(below)
		}
	}
	return name
}

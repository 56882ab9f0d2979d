package backup

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vitrine/internal/blob"
	"vitrine/internal/database"
)

// Place is a location of backups: a folder or bucket with many, or a file with one.
type Place struct {
	path string     // of the folder or file; "" for a bucket
	kept blob.Store // nil for a file
	lock func(ctx context.Context) (release func(), err error)
}

// Keys are S3 credentials. Watch, if not nil, wraps the HTTP transport.
type Keys struct {
	Access, Secret string
	Watch          func(http.RoundTripper) http.RoundTripper
}

// suffix is the suffix of single-file backups.
const suffix = ".tar.zst"

// CheckPath checks the syntax of a path without accessing it.
func CheckPath(path string) error {
	if !IsBucket(path) {
		return nil
	}
	_, err := blob.ParseURL(path)
	return err
}

// ErrBusy reports that another backup is running in the same place.
var ErrBusy = errors.New("another backup is running there")

// IsBucket reports whether a path names a bucket.
func IsBucket(path string) bool { return strings.HasPrefix(path, "s3:") }

// IsFile reports whether a path names a single-file backup.
func IsFile(path string) bool { return !IsBucket(path) && strings.HasSuffix(path, suffix) }

// ToWrite opens a place for new backups, and creates it if necessary.
func ToWrite(ctx context.Context, path string, keys Keys) (*Place, error) {
	p, err := open(path, keys)
	if err != nil || p.kept == nil {
		return p, err
	}
	err = p.recognise(ctx)
	if errors.Is(err, errNoBackups) && !errors.Is(err, ErrNewer) {
		err = p.claim(ctx)
	}
	return p, err
}

// ToRead opens a place with existing backups.
func ToRead(ctx context.Context, path string, keys Keys) (*Place, error) {
	if !IsBucket(path) {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if IsFile(path) == info.IsDir() {
			return nil, fmt.Errorf("%s: a backup must be a folder, or a file whose name ends in %s", path, suffix)
		}
	}
	p, err := open(path, keys)
	if err == nil && p.kept != nil {
		err = p.recognise(ctx)
	}
	return p, err
}

func open(path string, keys Keys) (*Place, error) {
	if path == "" {
		return nil, errors.New("the path of the backup is missing")
	}
	if IsBucket(path) {
		o, err := blob.ParseURL(path)
		if err != nil {
			return nil, err
		}
		o.AccessKey, o.SecretKey, o.Watch = keys.Access, keys.Secret, keys.Watch
		kept, err := blob.OpenS3(o)
		if err != nil {
			return nil, err
		}
		p := &Place{kept: kept}
		p.lock = p.lease
		return p, nil
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if IsFile(path) {
		return &Place{path: path}, nil
	}
	kept, err := blob.OpenDisk(path)
	if err != nil {
		return nil, err
	}
	return &Place{path: path, kept: kept, lock: func(ctx context.Context) (func(), error) {
		return hold(ctx, database.HoldLock, filepath.Join(path, "lock"))
	}}, nil
}

// hold acquires a lock that is released when the program ends.
func hold(ctx context.Context, by func(context.Context, string) (func(), error), path string) (release func(), err error) {
	release, err = by(ctx, path)
	if errors.Is(err, database.ErrInUse) {
		err = ErrBusy
	}
	return release, err
}

var errNoBackups = errors.New("there are no backups of Vitrine")

// recognise returns errNoBackups unless the place is marked as a location of backups.
func (p *Place) recognise(ctx context.Context) error {
	text, err := p.read(ctx, formatName, int64(len(formatText)))
	if errors.Is(err, blob.ErrNotFound) {
		return errNoBackups
	}
	if err == nil && string(text) != formatText {
		err = errors.Join(errNoBackups, ErrNewer)
	}
	return err
}

// claim marks an empty place as a location of backups.
func (p *Place) claim(ctx context.Context) error {
	if p.path != "" {
		entries, err := os.ReadDir(p.path)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if !slices.Contains([]string{".tmp", "lost+found", "lock"}, e.Name()) {
				return fmt.Errorf("%s is not empty, and %w in it", p.path, errNoBackups)
			}
		}
	} else {
		stop := errors.New("found")
		err := p.kept.List(ctx, "", func(string, int64) error { return stop })
		if errors.Is(err, stop) {
			return fmt.Errorf("the prefix in the bucket is not empty, and %w in it", errNoBackups)
		}
		if err != nil {
			return err
		}
	}
	return p.write(ctx, formatName, []byte(formatText))
}

func (p *Place) write(ctx context.Context, name string, content []byte) error {
	return p.kept.Put(ctx, name, strings.NewReader(string(content)), int64(len(content)), "application/octet-stream")
}

// read reads an object of at most most bytes.
func (p *Place) read(ctx context.Context, name string, limit int64) ([]byte, error) {
	f, err := p.kept.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	if f.Size > limit {
		return nil, damaged("%s is too large", name)
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

// has reports whether an object of this size exists. A size mismatch means an interrupted write.
func (p *Place) has(ctx context.Context, name string, size int64) (bool, error) {
	info, err := p.kept.Stat(ctx, name)
	if errors.Is(err, blob.ErrNotFound) {
		return false, nil
	}
	return err == nil && info.Size == size, err
}

// Buckets have no locks. A running backup renews a lease object instead. A lease that was not renewed for
// a while belongs to a program that died.
const (
	leaseFolder = "running/"
	leaseEvery  = 20 * time.Second
	leaseFor    = 2 * time.Minute
)

func (p *Place) lease(ctx context.Context) (release func(), err error) {
	name := leaseFolder + rand.Text()
	if err := p.write(ctx, name, []byte("a backup is being made\n")); err != nil {
		return nil, err
	}
	remove := func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		_ = p.kept.Delete(ctx, name) // if this fails, the lease expires
	}
	own, err := p.kept.Stat(ctx, name) // times come from the bucket's clock
	if err == nil {
		err = p.kept.List(ctx, leaseFolder, func(other string, _ int64) error {
			info, err := p.kept.Stat(ctx, other)
			switch {
			case errors.Is(err, blob.ErrNotFound) || other == name:
				return nil
			case err != nil:
				return err
			case own.ModTime.Sub(info.ModTime) < leaseFor:
				return fmt.Errorf("%w, or was running recently: try again in two minutes", ErrBusy)
			}
			return p.kept.Delete(ctx, other)
		})
	}
	if err != nil {
		remove()
		return nil, err
	}
	keeping, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(leaseEvery)
		defer tick.Stop()
		for {
			select {
			case <-keeping.Done():
				return
			case <-tick.C:
				_ = p.write(keeping, name, []byte("a backup is being made\n")) // retried at the next tick
			}
		}
	}()
	return func() {
		stop()
		<-done
		remove()
	}, nil
}

// removed ignores the error of removing a file that does not exist.
func removed(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

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
	"vitrine/internal/database/lockfile"
)

// Place is where backups are kept: a folder or a bucket, which hold many, or one file.
type Place struct {
	path string     // of a folder or file; "" for a bucket
	kept blob.Store // nil for a file
	lock func(ctx context.Context) (release func(), err error)
}

// Keys are those of S3. Watch, if not nil, is around what sends the requests.
type Keys struct {
	Access, Secret string
	Watch          func(http.RoundTripper) http.RoundTripper
}

// suffix ends the names of backups that are one file.
const suffix = ".tar.zst"

// CheckPath says what is wrong with a path, without a look at what is there.
func CheckPath(path string) error {
	if !IsBucket(path) {
		return nil
	}
	_, err := blob.ParseURL(path)
	return err
}

// ErrBusy says that a backup is being made in the same place.
var ErrBusy = errors.New("another backup is being made there")

// IsBucket reports whether a path names a bucket.
func IsBucket(path string) bool { return strings.HasPrefix(path, "s3:") }

// IsFile reports whether a path names a backup that is one file.
func IsFile(path string) bool { return !IsBucket(path) && strings.HasSuffix(path, suffix) }

// ToWrite opens a place for new backups, which it may make.
func ToWrite(ctx context.Context, path string, keys Keys) (*Place, error) {
	p, err := open(path, keys)
	if err != nil || p.kept == nil {
		return p, err
	}
	err = p.recognise(ctx)
	if errors.Is(err, errNoBackups) {
		err = p.claim(ctx)
	}
	return p, err
}

// ToRead opens a place that holds backups.
func ToRead(ctx context.Context, path string, keys Keys) (*Place, error) {
	if !IsBucket(path) {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if IsFile(path) == info.IsDir() {
			return nil, fmt.Errorf("%s: a backup is a folder, or a file whose name ends in %s", path, suffix)
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
		return nil, errors.New("where the backup is to be is missing")
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
		return hold(ctx, lockfile.Hold, filepath.Join(path, "lock"))
	}}, nil
}

// hold takes a lock that is released when the program ends.
func hold(ctx context.Context, by func(context.Context, string) (func(), error), path string) (release func(), err error) {
	release, err = by(ctx, path)
	if errors.Is(err, lockfile.ErrInUse) {
		err = ErrBusy
	}
	return release, err
}

var errNoBackups = errors.New("there are no backups of Vitrine")

// recognise fails with errNoBackups unless the place says that it holds backups.
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

// claim makes an empty place one for backups.
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
			return fmt.Errorf("the bucket is not empty there, and %w in it", errNoBackups)
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

// read reads something of at most so many bytes.
func (p *Place) read(ctx context.Context, name string, most int64) ([]byte, error) {
	f, err := p.kept.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	if f.Size > most {
		return nil, damaged("%s is too large", name)
	}
	return io.ReadAll(io.LimitReader(f, most))
}

// has reports whether something of a size is there: what was cut off is not.
func (p *Place) has(ctx context.Context, name string, size int64) (bool, error) {
	info, err := p.kept.Stat(ctx, name)
	if errors.Is(err, blob.ErrNotFound) {
		return false, nil
	}
	return err == nil && info.Size == size, err
}

// A bucket has no locks: who makes a backup in it keeps an object fresh that says so, and
// one that was not written to for a while is that of a program that died.
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
		_ = p.kept.Delete(ctx, name) // or it grows old
	}
	own, err := p.kept.Stat(ctx, name) // by the bucket's clock
	if err == nil {
		err = p.kept.List(ctx, leaseFolder, func(other string, _ int64) error {
			info, err := p.kept.Stat(ctx, other)
			switch {
			case errors.Is(err, blob.ErrNotFound) || other == name:
				return nil
			case err != nil:
				return err
			case own.ModTime.Sub(info.ModTime) < leaseFor:
				return fmt.Errorf("%w, or was until a moment ago: try again in two minutes", ErrBusy)
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
				_ = p.write(keeping, name, []byte("a backup is being made\n")) // the next may succeed
			}
		}
	}()
	return func() {
		stop()
		<-done
		remove()
	}, nil
}

// removed is the error of removing a file that is gone anyway.
func removed(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

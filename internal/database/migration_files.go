package database

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"

	"github.com/pressly/goose/v3"
)

// LatestVersion returns the highest version of the files NNNN_name.sql at the root of migrations.
func LatestVersion(migrations fs.FS) (int64, error) {
	names, err := fs.Glob(migrations, "*.sql")
	if err != nil {
		return 0, err
	}
	var latest int64
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return 0, fmt.Errorf("database: migration %s: %w", name, err)
		}
		latest = max(latest, version)
	}
	if latest == 0 {
		return 0, errors.New("database: found no migrations")
	}
	return latest, nil
}

// MigrationsUpTo returns the migrations up to a version.
func MigrationsUpTo(migrations fs.FS, version int64) fs.FS { return upTo{migrations, version} }

type upTo struct {
	fs.FS
	version int64
}

// Glob implements fs.GlobFS.
func (m upTo) Glob(pattern string) ([]string, error) {
	names, err := fs.Glob(m.FS, pattern)
	return slices.DeleteFunc(names, func(name string) bool {
		version, err := goose.NumericComponent(name)
		return err != nil || version > m.version
	}), err
}

// servesLine is the line of a migration that sets the oldest program version that the schema supports
// from then on.
var servesLine = regexp.MustCompile(`(?m)^-- serves:(.*)$`)

// hasServesLine reports whether a migration has a `-- serves:` line.
func hasServesLine(text []byte) bool { return servesLine.Match(text) }

// Raise is a migration that raises the oldest supported program version.
type Raise struct{ Version, Serves int64 }

// raises returns the migrations with a `-- serves:` line, in order.
func raises(migrations fs.FS) (all []Raise, err error) {
	names, err := fs.Glob(migrations, "*.sql")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return nil, fmt.Errorf("database: migration %s: %w", name, err)
		}
		text, err := fs.ReadFile(migrations, name)
		if err != nil {
			return nil, err
		}
		line := servesLine.FindSubmatch(text)
		if line == nil {
			continue
		}
		serves, err := strconv.ParseInt(string(bytes.TrimSpace(line[1])), 10, 64)
		if err != nil || serves < 1 || serves > version || len(all) > 0 && serves < all[len(all)-1].Serves {
			return nil, fmt.Errorf("database: migration %s: the version after `-- serves:` must be at most its own and not below an earlier one", name)
		}
		all = append(all, Raise{version, serves})
	}
	return all, nil
}

// oldestVersion returns the oldest program version that a schema version supports. Before the first migration
// with a `-- serves:` line, it is the schema version itself.
func oldestVersion(all []Raise, version int64) int64 {
	serves := version
	for _, r := range all {
		if r.Version <= version {
			serves = r.Serves
		}
	}
	return serves
}

// ServesFrom returns the oldest program version that works from a migration on, according to its `-- serves:` line,
// or 0 if it has none.
func ServesFrom(migrations fs.FS, version int64) (int64, error) {
	all, err := raises(migrations)
	for _, r := range all {
		if r.Version == version {
			return r.Serves, err
		}
	}
	return 0, err
}

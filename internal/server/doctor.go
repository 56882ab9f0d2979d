package server

import (
	"context"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"vitrine/internal/blob"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/doctor"
	"vitrine/internal/mail"
)

// Doctor returns a doctor for a command, and a function that closes what it has opened. It migrates nothing,
// and works without a database, which is then one of its findings.
func Doctor(ctx context.Context, cfg config.Config, o Options, within time.Duration) (*doctor.Doctor, func() error, error) {
	if o.MachineClock == nil {
		o.MachineClock = time.Now
	}
	mailer, err := mail.New(mailOptions(cfg, o.MachineClock, nil))
	if err != nil {
		return nil, nil, err
	}
	err = RequireDatabase(cfg) // so that opening does not create one
	var db *database.DB
	closing := func() error { return nil }
	if err == nil {
		opening, cancel := context.WithTimeout(ctx, within)
		defer cancel()
		if db, err = Open(opening, cfg); err == nil {
			closing = db.Close
		}
	}
	options := doctorOptions(cfg, o, db, mailer)
	options.DBFailure, options.Within = err, within
	return doctor.New(options), closing, nil
}

// doctorOptions returns what a doctor examines.
func doctorOptions(cfg config.Config, o Options, db *database.DB, mailer *mail.Mailer) doctor.Options {
	options := doctor.Options{Config: cfg, Now: o.MachineClock, DB: db, Program: SchemaVersion(), Mailer: mailer,
		FreeSpace: o.FreeSpace, Roots: o.Doctor.Roots, PlainPort: o.Doctor.PlainPort,
		Schema:     func(ctx context.Context) error { return checkSchema(ctx, db) },
		FileSystem: func() error { return database.CheckFileSystem(cfg.DataDir) },
		OpenBlobs:  func() (blob.Store, func() time.Time, error) { return blobsWithClock(cfg) }}
	if options.FreeSpace == nil {
		options.FreeSpace = blob.FreeSpace
	}
	return options
}

// probes returns the handler that answers the probes of a doctor.
func (s *Server) probes(o Options) http.Handler {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return doctor.NewProbes(s.Store.Changes().Secret, s.cfg.TrustedProxies, host, o.MachineClock)
}

// blobsWithClock opens the storage of files. The returned function returns the Date of the storage's last
// response, adjusted to the present; zero for a disk.
func blobsWithClock(cfg config.Config) (blob.Store, func() time.Time, error) {
	var ahead atomic.Pointer[time.Duration]
	date := func() time.Time {
		if d := ahead.Load(); d != nil {
			return time.Now().Add(*d)
		}
		return time.Time{}
	}
	if cfg.Blob.URL == "" {
		if _, err := os.Stat(cfg.FilesPath()); err != nil { // opening it would create it
			return nil, date, err
		}
		files, err := blob.OpenDisk(cfg.FilesPath())
		return files, date, err
	}
	options, err := BlobOptions(cfg.Blob)
	if err != nil {
		return nil, date, err
	}
	options.Watch = func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			res, err := next.RoundTrip(req)
			if err == nil {
				if at, bad := http.ParseTime(res.Header.Get("Date")); bad == nil {
					d := time.Until(at)
					ahead.Store(&d)
				}
			}
			return res, err
		})
	}
	files, err := blob.OpenS3(options)
	if err != nil { // a nil *blob.S3 would be a blob.Store that is not nil
		return nil, date, err
	}
	return files, date, nil
}

// roundTrip is a function as an http.RoundTripper.
type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

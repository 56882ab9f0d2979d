// Package server assembles the program from all other packages.
package server

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	faults "github.com/go-faster/errors"

	"vitrine/internal/api"
	"vitrine/internal/app"
	"vitrine/internal/app/accounts"
	"vitrine/internal/app/content"
	"vitrine/internal/app/webhooks"
	"vitrine/internal/blob"
	"vitrine/internal/budget"
	"vitrine/internal/certs"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/doctor"
	"vitrine/internal/domain"
	"vitrine/internal/exporting"
	"vitrine/internal/fetch"
	edge "vitrine/internal/files"
	"vitrine/internal/fragments"
	"vitrine/internal/httpedge"
	"vitrine/internal/importing"
	"vitrine/internal/jobs"
	"vitrine/internal/mail"
	"vitrine/internal/middleware"
	"vitrine/internal/obs"
	"vitrine/internal/present"
	"vitrine/internal/redis"
	"vitrine/internal/store"
)

// usageInterval is how often the last use of tokens is saved, and how long the server must be idle
// before it releases memory.
const usageInterval = 30 * time.Second

// startedAfter is when memory that only the start needed is released, if there were no requests
// yet.
const startedAfter = 2 * time.Second

// writeByteTimeout limits how long an HTTP/2 connection may accept no data. Pace only sees its
// streams.
const writeByteTimeout = 30 * time.Second

// flushTimeout limits the final writes during shutdown, even if the shutdown's own time is used up.
const flushTimeout = 5 * time.Second

// Server is the whole program with its listeners.
type Server struct {
	App   *app.App
	Store *store.Store
	API   *api.API
	Jobs  *jobs.Workers

	cfg       config.Config
	addresses *present.Addresses
	fragments *fragments.Cache
	limiter   *middleware.Limiter
	shared    middleware.Shared // shared counters; nil without Redis
	exports   *exporting.Exporter
	redis     *redis.Limits // nil if each server has its own limits
	stats     *obs.Metrics
	tracer    *obs.Tracer // nil without traces
	log       *slog.Logger
	db        *database.DB
	handler   http.Handler
	memory    *budget.Budget // of requests and responses
	callers   *httpedge.Callers
	checks    []*readiness
	doctor    *doctor.Doctor
	work      atomic.Int64        // requests, except health checks, and job runs so far
	leaving   atomic.Bool         // /readyz responds 503, and connections are closed after their response
	clock     *database.Clock     // nil if a test sets the clock
	certs     *certs.Certificates // nil behind a proxy
	http      *http.Server
	plain     *http.Server // redirects to TLS; nil if not needed
	metrics   *http.Server
	ready     func() // Options.Ready
	options   Options

	metricsAddr string // address of the metrics listener
	failed      chan error
	backups     *backups
	embedding   embedding
	webhooks    sender
	mailIn      mailIn
	mailer      *mail.Mailer
	reloading   sync.Mutex
	current     config.Config // cfg with the settings that were reloaded; guarded by reloading
	watching    background    // of the site's settings and the read-only mode
	stop        context.CancelFunc
	done        chan struct{} // closed when the background work has ended
}

// Options are set by the command line, and replaced by tests.
type Options struct {
	Log     *slog.Logger
	Now     func() time.Time // the clock; nil means the one that all programs on the database share
	Version string           // of this build, for the metrics
	Commit  string
	Level   *slog.LevelVar    // of Log, for reloading; may be nil
	Ready   func()            // called when requests are accepted or jobs can run, before anything else is logged; may be nil
	Observe database.Observer // called for each statement, for tests that count them; may be nil
	Fetch   fetch.Options     // for fetching linked pages; Allow and UserAgent are added

	Browser     content.Browser                               // instead of the one at Config.BrowserURL, for tests
	FreeSpace   func(folder string) (blob.Space, bool, error) // of disks; nil means blob.FreeSpace
	PartTimeout time.Duration                                 // see files.Options

	// Doctor replaces the certificates that probes trust and the port of http://, for tests.
	Doctor struct {
		Roots     *x509.CertPool
		PlainPort string
	}

	// MachineClock is this machine's clock; nil means time.Now.
	MachineClock func() time.Time

	// API, if not nil, wraps the handlers of the APIs, below the middleware.
	API func(next http.Handler) http.Handler

	// Documents are the API descriptions with the configured URLs. Tests with many servers share
	// them. If it is empty, the server loads its own.
	Documents api.Documents
}

// New opens the database and creates the server. If PostgreSQL or S3 are unreachable, it waits for
// them. It migrates SQLite; a PostgreSQL database must be migrated before.
func New(ctx context.Context, cfg config.Config, o Options) (*Server, error) {
	if o.MachineClock == nil {
		if o.MachineClock = o.Now; o.Now == nil {
			o.MachineClock = time.Now
		}
	}
	faults.DisableTrace() // the generated decoders create an error for each missing parameter, and would record its call stack
	tracer := newTracer(cfg, o)
	db, err := awaitReady(ctx, cfg, o.Log, statementHooks{o.Observe, tracesOf(cfg, tracer)})
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, log: o.Log, db: db, tracer: tracer, ready: o.Ready, Store: store.New(db), failed: make(chan error, 3),
		addresses: Addresses(cfg),
		limiter:   middleware.NewLimiter(cfg.RateLimits), stats: obs.NewMetrics(o.Version, o.Commit)}
	if o.Now == nil {
		s.clock = db.NewClock(o.MachineClock)
		o.Now = s.clock.Now
		s.adjustClock(ctx)
	}
	s.watchReplicas()
	if tracer != nil {
		s.stats.WatchTraces(tracer.Stats)
	}
	if err := s.shareLimits(); err != nil {
		return nil, joinClose(err, db)
	}
	mailer, err := mail.New(mailOptions(cfg, o.Now, s.stats))
	if err != nil {
		return nil, joinClose(err, db)
	}
	s.mailer, s.current, s.options = mailer, cfg, o
	if err := s.newCertificates(o); err != nil {
		return nil, joinClose(err, db)
	}
	files, err := newFiles(ctx, cfg, o, cfg.WaitFor, s.stats)
	if err != nil {
		return nil, joinClose(err, db)
	}
	s.App = app.New(app.Options{Store: s.Store, Now: o.Now, SiteURL: cfg.SiteURL, BaseURL: cfg.BaseURL,
		FilesURL: cfg.FilesURL + edge.FilesPath, Mailer: mailer, InvitationTTL: cfg.InvitationTTL, AuditKept: cfg.AuditKeep, TrashKept: cfg.TrashKept(), Backups: cfg.Backup.To != "", Streams: cfg.MaxStreams, Files: files,
		Accounts: accounts.Options{SignUp: domain.SignUpMode(cfg.SignUp), DefaultTier: domain.Tier(cfg.DefaultTier),
			Registration: cfg.OAuthRegistration, Extension: cfg.BrowserExtension, Setup: s.setup(cfg), Fetcher: files.Fetcher},
		SSO:      newSSO(cfg, o, s.stats),
		Webhooks: webhooks.Options{Client: newWebhookClient(cfg, o), Log: o.Log},
		Identify: importing.Identify,
		Meaning:  newMeaning(cfg.Embeddings, s.stats),
		Exposure: domain.Exposure{GuestsClosed: cfg.GuestsClosed, IndexClosed: cfg.IndexClosed}})
	s.exports = exporting.New(exporting.Options{App: s.App, Addresses: s.addresses, Now: o.Now, Version: o.Version, Folder: cfg.StagingPath()})
	s.Jobs = s.newWorkers()
	s.backups = &backups{s: s, o: o, storage: files.Blobs}
	s.embedding.s, s.webhooks.s = s, s
	s.App.Collections.MailDomain, s.mailIn.s = cfg.MailIn.Domain, s
	s.stats.WatchBackups(s.backups.measured)
	freeSpace := o.FreeSpace
	if freeSpace == nil {
		freeSpace = blob.FreeSpace
	}
	s.stats.WatchSite(func(ctx context.Context) obs.Site { return s.siteMetrics(ctx, freeSpace) })
	if o.Documents.V3 == nil {
		o.Documents = api.OpenDocuments(cfg.BaseURL, cfg.SiteURL)
	}
	s.fragments = fragments.New(cfg.CacheSize)
	s.stats.WatchCache(func() obs.Cache { return obs.Cache(s.fragments.Stats()) })
	s.callers = httpedge.NewCallers(s.App, s.limiter, o.Now, httpedge.AtOnce{Requests: max(3, db.Readers()/2), Writes: db.GroupSize() / 4})
	if s.API, err = api.New(api.Options{App: s.App, Callers: s.callers, Documents: o.Documents, Addresses: s.addresses,
		Exports: s.exports, Version: o.Version, Build: o.Version + " " + o.Commit, Fragments: s.fragments}); err != nil {
		return nil, joinClose(err, db)
	}
	s.App.Webhooks.Render = s.API.Encode
	s.memory = budget.New(cfg.ResponseMemory)
	s.checks = s.readinessChecks(files.Blobs)
	s.doctor = doctor.New(doctorOptions(cfg, o, db, mailer))
	if s.handler, err = s.routes(o); err != nil {
		return nil, joinClose(err, db)
	}
	return s, nil
}

// Addresses returns the public addresses of a server with this configuration.
func Addresses(cfg config.Config) *present.Addresses {
	return &present.Addresses{API: cfg.BaseURL, Site: cfg.SiteURL, Files: cfg.FilesURL + strings.TrimSuffix(edge.FilesPath, "/"),
		KeepMetadata: cfg.KeepMetadata}
}

func joinClose(err error, db *database.DB) error {
	if closing := db.Close(); closing != nil {
		return fmt.Errorf("%w (and closing the database: %w)", err, closing)
	}
	return err
}

// Handler returns the handler of all requests.
func (s *Server) Handler() http.Handler { return s.handler }

// Start serves requests on l and metrics on their own listener, and works jobs if so configured,
// until Shutdown.
func (s *Server) Start(l net.Listener) error {
	if err := s.startMetrics(s.metricsRoutes()); err != nil {
		return err
	}
	ctx := s.begin()
	if s.certs != nil {
		if err := s.startTLS(ctx, l); err != nil {
			return err
		}
	} else {
		s.http = s.serve(l, s.handler)
	}
	s.logReady()
	if err := s.keepSetupCode(context.Background()); err != nil {
		return err
	}
	if err := s.mailIn.start(); err != nil {
		return err
	}
	if !s.cfg.Work {
		return nil
	}
	if err := s.Jobs.Start(context.Background()); err != nil {
		return err
	}
	s.backups.start()
	s.embedding.start()
	s.webhooks.start()
	return nil
}

// logReady reports that the server is ready, and then logs everything about its settings that an operator
// should know.
func (s *Server) logReady() {
	if s.ready != nil {
		s.ready()
	}
	if s.metricsAddr != "" {
		s.log.Info("serving metrics", "addr", s.metricsAddr)
	}
	s.warnAboutMail()
	s.warnAboutDisk(context.Background())
	s.logTraces()
}

func (s *Server) serve(l net.Listener, h http.Handler) *http.Server {
	srv := s.newHTTP(h)
	answers(srv)
	go s.watch(func() error { return srv.Serve(refusals{l}) })
	return srv
}

// newHTTP creates the HTTP server of a listener with limits on what clients send before a handler
// runs.
func (s *Server) newHTTP(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           middleware.Pace(s.cfg.MinSendRate)(h),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute, // for bodies that no handler reads; handlers that read one set a deadline
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    4 * httpedge.HeaderLimit,
		HTTP2:             &http.HTTP2Config{WriteByteTimeout: writeByteTimeout},
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
}

// watch reports a listener that stops unexpectedly.
func (s *Server) watch(serve func() error) {
	if err := serve(); err != http.ErrServerClosed {
		s.failed <- err
	}
}

// Failed returns a channel with the error of a listener that stopped unexpectedly.
func (s *Server) Failed() <-chan error { return s.failed }

// begin starts the background work. It returns a context that Shutdown cancels.
func (s *Server) begin() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	s.stop, s.done = cancel, make(chan struct{})
	s.watching.start(watchInterval, s.watchSite)
	go s.background(ctx)
	return ctx
}

// background saves the last use of tokens, follows the database's clock, and releases memory when the
// server is idle, until ctx is done.
func (s *Server) background(ctx context.Context) {
	defer close(s.done)
	tick := time.NewTicker(usageInterval)
	defer tick.Stop()
	clock := time.NewTicker(clockInterval)
	defer clock.Stop()
	releaser, started := newMemoryReleaser(), time.After(startedAfter)
	for {
		select {
		case <-ctx.Done():
			return
		case <-clock.C:
			s.adjustClock(ctx)
		case <-tick.C:
			s.whileFit(ctx, "cannot save the last use of tokens", s.App.Accounts.FlushUsage)
			releaser.tick(s.work.Load(), releaseMemory)
		case <-started:
			releaser.tick(s.work.Load(), releaseMemory)
		}
	}
}

// Shutdown stops taking jobs, and after the configured delay also requests. In the meantime /readyz
// responds 503, so that load balancers use other servers. Running requests and jobs may finish
// until ctx is done; Shutdown then cuts them off and closes the database. The returned error is
// about requests and jobs that were cut off.
func (s *Server) Shutdown(ctx context.Context) error {
	var errs []error
	drained := make(chan error, 1)
	go func() { drained <- s.Jobs.Stop(ctx) }()
	s.embedding.end()
	s.webhooks.end()
	s.mailIn.end()
	s.drain(ctx)
	s.App.Changes.Close()
	for _, srv := range []*http.Server{s.http, s.plain, s.metrics} {
		if srv == nil {
			continue
		}
		if err := srv.Shutdown(ctx); err != nil {
			errs = append(errs, fmt.Errorf("requests were cut off: %w", err), srv.Close())
		}
	}
	s.watching.end()
	if s.stop != nil {
		s.stop()
		<-s.done
	}
	s.backups.end()
	s.App.Finder.Meaning.Close()
	errs = append(errs, <-drained)
	if s.redis != nil {
		errs = append(errs, s.redis.Close())
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
	defer cancel()
	if s.db.Fit(last) == nil && s.Store.ReadOnly() == nil { // otherwise a newer program has replaced this one, or it may not write
		if err := s.App.Accounts.FlushUsage(last); !domain.IsReadOnly(err) {
			errs = append(errs, err)
		}
	}
	s.flushTraces(last)
	return errors.Join(append(errs, s.db.Close())...)
}

package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	v2 "vitrine/internal/api/v2"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/middleware"
	"vitrine/internal/sandbox"
)

// sandboxPath is the path below which a sandbox is controlled.
const sandboxPath = "/ext/v1/sandbox"

// The folder of a sandbox has this prefix, and contains a file that is locked while it runs.
const (
	sandboxPrefix = "vitrine-sandbox-"
	sandboxLock   = "running"
)

// faultsLimit is the size of the largest list of failures in bytes.
const faultsLimit = 1 << 20

// Sandbox is a server for developers of API clients. It begins with a fixed data set, can be reset to it, simulates
// failures, and keeps nothing.
type Sandbox struct {
	Accounts []sandbox.Account
	ClientID string // of the application of the data set

	cfg     config.Config
	o       Options
	folder  string // of everything, removed by Shutdown
	release func() // unlocks the folder
	limiter *middleware.Limiter
	faults  sandbox.Faults
	front   *http.Server
	failed  chan error

	resetting sync.Mutex
	runs      int
	gate      sync.RWMutex // requests hold it for reading, a reset for writing
	current   *Server
	ended     context.Context // ends all requests to current
	end       context.CancelFunc
}

// sandboxConfig returns the settings of a sandbox: the configured ones, without those that keep data or contact other
// programs.
func sandboxConfig(cfg config.Config, unlimited bool) config.Config {
	cfg.DatabaseURL, cfg.DatabaseDirectURL, cfg.Replicas, cfg.RedisURL = "", "", config.Replicas{}, ""
	cfg.Blob, cfg.Backup, cfg.SMTP, cfg.MailIn, cfg.Embeddings = config.Blob{}, config.Backup{}, nil, config.MailIn{}, config.Embeddings{}
	cfg.OIDC = config.OIDC{}
	cfg.MetricsAddr, cfg.LinkChecks, cfg.Work, cfg.SQLiteSynchronous = "", false, true, "off"
	cfg.DiskReserve, cfg.DrainDelay = config.DiskReserve{}, 0
	if unlimited {
		for tier := range cfg.RateLimits {
			cfg.RateLimits[tier] = 0
		}
	}
	return cfg
}

// NewSandbox makes the data set and starts a server on it, without a listener. Without unlimited, rate limits apply as
// configured.
func NewSandbox(ctx context.Context, cfg config.Config, o Options, unlimited bool) (*Sandbox, error) {
	removeAbandoned(ctx, inMemory())
	folder, err := os.MkdirTemp(inMemory(), sandboxPrefix)
	if err != nil {
		return nil, err
	}
	release, err := database.HoldLock(ctx, filepath.Join(folder, sandboxLock))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	s := &Sandbox{cfg: sandboxConfig(cfg, unlimited), o: o, folder: folder, release: release, failed: make(chan error, 1),
		limiter: middleware.NewLimiter(map[string]int{"guest": 30, "free": 120, "premium": 300, "supporter": 600})}
	s.o.Fetch.Instead, s.o.API, s.o.Ready = sandbox.Web{}, s.fail, nil
	var first *Server
	if err = s.build(ctx); err == nil {
		first, err = s.run(ctx)
	}
	if err != nil {
		release()
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	s.use(first)
	return s, nil
}

// removeAbandoned removes the folders of sandboxes that were killed. A new folder may not be locked yet, so it stays.
func removeAbandoned(ctx context.Context, in string) {
	found, _ := filepath.Glob(filepath.Join(cmp.Or(in, os.TempDir()), sandboxPrefix+"*")) // fails only for bad patterns
	for _, folder := range found {
		if info, err := os.Stat(folder); err != nil || time.Since(info.ModTime()) < time.Minute {
			continue
		}
		if release, err := database.HoldLock(ctx, filepath.Join(folder, sandboxLock)); err == nil {
			_ = os.RemoveAll(folder) // the next sandbox tries again
			release()
		}
	}
}

// inMemory returns a folder in memory, or "" for the default one.
func inMemory() string {
	if runtime.GOOS == "linux" {
		if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
			return "/dev/shm"
		}
	}
	return ""
}

// data returns the folder of a run; the first one is for the data set.
func (s *Sandbox) data(run int) string { return filepath.Join(s.folder, strconv.Itoa(run)) }

// build makes the data set.
func (s *Sandbox) build(ctx context.Context) error {
	clock := sandbox.NewClock()
	cfg, o := s.cfg, s.o
	cfg.DataDir, o.Now = s.data(0), clock.Now
	first, err := New(ctx, cfg, o)
	if err != nil {
		return err
	}
	s.Accounts, s.ClientID, err = sandbox.Build(ctx, first.App, clock)
	if err == nil {
		err = first.Jobs.Drain(ctx)
	}
	return errors.Join(err, first.Shutdown(ctx))
}

// run starts a server on a copy of the data set.
func (s *Sandbox) run(ctx context.Context) (next *Server, err error) {
	s.runs++
	cfg := s.cfg
	cfg.DataDir = s.data(s.runs)
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(cfg.DataDir))
		}
	}()
	if err := os.CopyFS(cfg.DataDir, os.DirFS(s.data(0))); err != nil {
		return nil, err
	}
	if next, err = New(ctx, cfg, s.o); err != nil {
		return nil, err
	}
	if err := next.StartWork(); err != nil {
		return nil, errors.Join(err, next.Shutdown(ctx))
	}
	return next, nil
}

// use makes a server the one that answers requests.
func (s *Sandbox) use(next *Server) {
	s.current = next
	s.ended, s.end = context.WithCancel(context.Background())
	s.faults.Set(nil)
}

// Reset ends all requests, and restores the data set. If that fails, nothing changes.
func (s *Sandbox) Reset(ctx context.Context) error {
	s.resetting.Lock()
	defer s.resetting.Unlock()
	old := s.current
	next, err := s.run(ctx)
	if err != nil {
		return err
	}
	s.end()
	s.gate.Lock()
	s.use(next)
	s.gate.Unlock()
	if err := old.Shutdown(ctx); err != nil {
		s.o.Log.WarnContext(ctx, "jobs were cut off by a reset", "error", err)
	}
	return os.RemoveAll(old.cfg.DataDir)
}

// Start serves requests on l until Shutdown.
func (s *Sandbox) Start(l net.Listener) error {
	s.front = s.current.newHTTP(http.HandlerFunc(s.serve))
	answers(s.front)
	go func() {
		if err := s.front.Serve(refusals{l}); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	}()
	return nil
}

// Failed returns a channel with the error of a listener that stopped unexpectedly.
func (s *Sandbox) Failed() <-chan error { return s.failed }

// Shutdown stops the server and removes its data.
func (s *Sandbox) Shutdown(ctx context.Context) error {
	s.resetting.Lock()
	defer s.resetting.Unlock()
	s.end()
	var errs []error
	if s.front != nil {
		errs = append(errs, s.front.Shutdown(ctx))
	}
	errs = append(errs, s.current.Shutdown(ctx), os.RemoveAll(s.folder))
	s.release()
	return errors.Join(errs...)
}

// serve answers requests that control the sandbox, and passes on all others.
func (s *Sandbox) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == sandboxPath || strings.HasPrefix(r.URL.Path, sandboxPath+"/") {
		s.control(w, r)
		return
	}
	s.gate.RLock()
	defer s.gate.RUnlock()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ended, cancel)()
	s.current.Handler().ServeHTTP(w, r.WithContext(ctx))
}

// control answers requests that control the sandbox.
func (s *Sandbox) control(w http.ResponseWriter, r *http.Request) {
	switch allow, err := s.controlled(w, r); {
	case err != nil:
		httpedge.JSON.Fail(r.Context(), w, r, err)
	case allow != "":
		httpedge.JSON.MethodNotAllowed(w, r, allow)
	}
}

// controlled answers a request that controls the sandbox. allow lists the methods if the request has another one.
func (s *Sandbox) controlled(w http.ResponseWriter, r *http.Request) (allow string, err error) {
	switch path := strings.TrimPrefix(r.URL.Path, sandboxPath); {
	case path == "" && r.Method == http.MethodGet:
		return "", writeJSON(w, map[string]any{"accounts": s.Accounts, "password": sandbox.Password, "client_id": s.ClientID, "faults": s.faults.List()})
	case path == "":
		return "GET", nil
	case path == "/reset" && r.Method == http.MethodPost:
		if err := s.Reset(context.WithoutCancel(r.Context())); err != nil {
			return "", err
		}
		w.WriteHeader(http.StatusNoContent)
		return "", nil
	case path == "/reset":
		return "POST", nil
	case path == "/sign-ins" && r.Method == http.MethodPost:
		return "", s.signIn(w, r)
	case path == "/sign-ins":
		return "POST", nil
	case path == "/faults" && r.Method == http.MethodGet:
		return "", writeJSON(w, map[string]any{"faults": s.faults.List()})
	case path == "/faults" && r.Method == http.MethodPut:
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, faultsLimit))
		if err != nil {
			return "", err
		}
		all, err := sandbox.ParseFaults(body)
		if err != nil {
			return "", err
		}
		s.faults.Set(all)
		return "", writeJSON(w, map[string]any{"faults": s.faults.List()})
	case path == "/faults" && r.Method == http.MethodDelete:
		s.faults.Set(nil)
		w.WriteHeader(http.StatusNoContent)
		return "", nil
	case path == "/faults":
		return "GET, PUT, DELETE", nil
	}
	return "", domain.NewNotFound()
}

// signIn answers a request for tokens that expire.
func (s *Sandbox) signIn(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, faultsLimit))
	if err != nil {
		return err
	}
	in, err := sandbox.ParseSignIn(body)
	if err != nil {
		return err
	}
	s.gate.RLock()
	defer s.gate.RUnlock()
	made, err := in.Do(r.Context(), s.current.App, s.ClientID)
	if err != nil {
		return err
	}
	return writeJSON(w, made)
}

func writeJSON(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// fail makes requests of the APIs fail as they are configured to.
func (s *Sandbox) fail(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, found := s.faults.Take(r)
		if !found {
			next.ServeHTTP(w, r)
			return
		}
		select {
		case <-time.After(time.Duration(f.Delay) * time.Millisecond):
		case <-r.Context().Done():
		}
		switch {
		case f.Cut:
			panic(http.ErrAbortHandler) // makes net/http close the connection
		case f.Status == 0:
			next.ServeHTTP(w, r)
		case f.Status == http.StatusTooManyRequests:
			s.refuse(w, r, max(1, f.RetryAfter))
		default:
			if f.RetryAfter > 0 {
				w.Header().Set("Retry-After", strconv.Itoa(f.RetryAfter))
			}
			errorsOf(r).Render(w, r, f.Status, fmt.Sprintf("The sandbox simulates status %d", f.Status))
		}
	})
}

// refuse responds as if the client were over its rate limit.
func (s *Sandbox) refuse(w http.ResponseWriter, r *http.Request, wait int) {
	tier := middleware.From(r.Context()).Tier
	if tier == "" {
		tier = "guest"
	}
	d := middleware.Decision{Tier: tier, Limit: 30, Reset: time.Now().Unix() + int64(wait), RetryAfter: wait}
	if e := errorsOf(r); e.Limited != nil {
		e.Limited(s.limiter, w, r, d)
		return
	}
	d.WriteHeaders(w.Header())
	v2.Errors.Fail(r.Context(), w, r, domain.NewTooMany("Too many requests: wait until the limit is reset", int64(d.Limit),
		time.Minute, time.Duration(wait)*time.Second))
}

// errorsOf returns the shape of errors at a path.
func errorsOf(r *http.Request) httpedge.Errors {
	if strings.HasPrefix(r.URL.Path, "/v2/") {
		return v2.Errors
	}
	return httpedge.JSON
}

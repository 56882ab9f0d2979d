package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"vitrine/internal/config"
	"vitrine/internal/mail"
)

// Reloaded lists the flags of changed settings.
type Reloaded struct {
	Applied []string `json:"applied"`
	Restart []string `json:"restart"` // they take effect after a restart
}

// Reload takes the settings that can change while the server runs, and names the others that differ from those in effect. If
// it returns an error, it has changed nothing. Requests and jobs in progress finish with what they began with.
func (s *Server) Reload(cfg config.Config) (Reloaded, error) {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	applied, restart := config.Changes(s.current, cfg)
	if _, err := mail.New(mailOptions(cfg, s.options.Now, s.stats)); err != nil {
		return Reloaded{}, err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(cfg.LogLevel)); err != nil {
		return Reloaded{}, err
	}
	next := s.current
	if (next.SMTP == nil) == (cfg.SMTP == nil) {
		next.SMTP, next.MailFrom = cfg.SMTP, cfg.MailFrom
	}
	if (next.OIDC.Issuer == "") == (cfg.OIDC.Issuer == "") {
		only := next.OIDC.Only
		next.OIDC = cfg.OIDC
		next.OIDC.Only = only
	}
	next.RateLimits, next.LogLevel = cfg.RateLimits, cfg.LogLevel
	if err := s.mailer.Configure(mailOptions(next, s.options.Now, s.stats)); err != nil {
		return Reloaded{}, err
	}
	s.App.SSO.Configure(newSSO(next, s.options, s.stats))
	s.limiter.SetLimits(next.RateLimits)
	if s.options.Level != nil {
		s.options.Level.Set(level)
	}
	s.current = next
	return Reloaded{Applied: applied, Restart: restart}, nil
}

// controlName returns the name of the control socket of a process of this machine, or a pattern of names. Machines can share a
// data folder, and the path of a socket must be short.
func controlName(pid string) string {
	host, _ := os.Hostname()
	return fmt.Sprintf("control-%08x-%s.sock", crc32.ChecksumIEEE([]byte(host)), pid)
}

// Control answers `vitrine reload` on a socket in the data folder, which only the user of the program may open, until stop is
// called.
func Control(cfg config.Config, log *slog.Logger, reload func() (Reloaded, error)) (stop func(), err error) {
	path, err := filepath.Abs(filepath.Join(cfg.DataDir, controlName(strconv.Itoa(os.Getpid()))))
	if err != nil {
		return nil, err
	}
	removeDeadSockets(cfg.DataDir)
	l, err := listenSocket("data-dir", path, 0o600)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /reload", func(w http.ResponseWriter, _ *http.Request) {
		result, err := reload()
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(result) // fails only if the command is gone
	})
	srv := &http.Server{Handler: mux, ReadTimeout: time.Minute, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	go func() {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Warn("vitrine reload does not work any more", "error", err)
		}
	}()
	return func() { _ = srv.Shutdown(context.Background()) }, nil
}

// removeDeadSockets removes the sockets that killed processes have left behind.
func removeDeadSockets(dataDir string) {
	paths, _ := ControlSockets(dataDir) // the pattern is valid
	for _, path := range paths {
		conn, err := net.DialTimeout("unix", path, time.Second)
		if err == nil {
			_ = conn.Close()
		} else if errors.Is(err, syscall.ECONNREFUSED) {
			_ = os.Remove(path) // otherwise the next start tries again
		}
	}
}

// ControlSockets returns the control sockets of this machine in a data folder, some of which killed processes may have left behind.
func ControlSockets(dataDir string) ([]string, error) {
	return filepath.Glob(filepath.Join(dataDir, controlName("*")))
}

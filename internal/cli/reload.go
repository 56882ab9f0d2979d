package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"vitrine/internal/config"
	"vitrine/internal/server"
)

// takeReloads reloads the settings on each of the signals and on `vitrine reload`, until stop is called.
func takeReloads(c *console, flags config.Flags, cfg config.Config, log *slog.Logger, s *server.Server, signals chan os.Signal) (stop func()) {
	reload := func() (server.Reloaded, error) {
		result, err := reloadSettings(flags, s)
		if err != nil {
			log.ErrorContext(c.Ctx, "the settings were not reloaded, and nothing has changed", "error", err)
			return result, err
		}
		log.InfoContext(c.Ctx, "reloaded the settings", "applied", result.Applied, "need-restart", result.Restart)
		return result, nil
	}
	done := make(chan struct{})
	end, err := server.Control(cfg, log, reload)
	if err != nil {
		log.Warn("vitrine reload does not work, send SIGHUP instead", "error", err)
		end = func() {}
	}
	go func() {
		defer close(done)
		for range signals {
			_, _ = reload() // logged
		}
	}()
	return func() {
		signal.Stop(signals) // nothing is sent to it any more
		close(signals)
		<-done
		end()
	}
}

// reloadSettings reads and checks all settings, and applies them if none has a problem.
func reloadSettings(flags config.Flags, s *server.Server) (server.Reloaded, error) {
	cfg, problems := serverConfig(flags.Reread())
	if len(problems) > 0 {
		return server.Reloaded{}, errors.Join(problems...)
	}
	return s.Reload(cfg)
}

type reloadCmd struct {
	config.Common
	JSON bool `name:"json" help:"Print JSON."`
}

// Run reloads each process on this machine that uses the data folder.
func (cmd *reloadCmd) Run(c *console) error {
	cfg, _, err := settings(c, cmd.Common)
	if err != nil {
		return err
	}
	sockets, err := server.ControlSockets(cfg.DataDir)
	if err != nil {
		return err
	}
	reached := 0
	for _, path := range sockets {
		result, err := reloadAt(c.Ctx, path)
		if errors.Is(err, syscall.ECONNREFUSED) { // a killed process left it behind
			continue
		}
		if err != nil {
			return err
		}
		reached++
		if cmd.JSON {
			err = printJSON(c.Out, result)
		} else {
			_, err = printf(c.Out, "Applied: %s\nChanged, but need a restart: %s\n", listed(result.Applied), listed(result.Restart))
		}
		if err != nil {
			return err
		}
	}
	if reached == 0 {
		return fmt.Errorf("no server with the data folder %s runs on this machine", cfg.DataDir)
	}
	return nil
}

func listed(flags []string) string {
	if len(flags) == 0 {
		return "none"
	}
	return "--" + strings.Join(flags, ", --")
}

// reloadAt reloads the process with a control socket.
func reloadAt(ctx context.Context, path string) (result server.Reloaded, err error) {
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/reload", nil)
	if err != nil {
		return result, err
	}
	res, err := client.Do(req)
	if err != nil {
		return result, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return result, err
	}
	if res.StatusCode != http.StatusOK {
		return result, fmt.Errorf("nothing was changed:\n%s", strings.TrimSpace(string(body)))
	}
	return result, json.Unmarshal(body, &result)
}

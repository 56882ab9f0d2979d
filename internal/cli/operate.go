package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"vitrine/internal/config"
	"vitrine/internal/licenses"
	"vitrine/internal/server"
	"vitrine/internal/store"
)

type migrateCmd struct {
	config.Common
	Force bool `name:"force" help:"Migrate even if programs are running that the new schema does not support."`
}

func (cmd *migrateCmd) Run(c *console) (err error) {
	cfg, log, err := settings(c, cmd.Common)
	if err != nil {
		return err
	}
	db, err := server.Open(c.Ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if !cmd.Force {
		if err := server.RefuseToLeaveBehind(c.Ctx, db); err != nil {
			return err
		}
	}
	if err := server.Migrate(c.Ctx, db, log); err != nil {
		return err
	}
	served, err := db.Served(c.Ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "The database schema is at version %d and supports programs from version %d on.\n", served.Version, served.From)
	left, err := store.New(db).Backfills().Backfills(c.Ctx)
	for _, b := range left {
		if b.Rows > 0 {
			fmt.Fprintf(c.Out, "A running server or vitrine work will finish the backfill %s, rows left: %s.\n", b.Kind, rowsLeft(b))
		}
	}
	return err
}

type configCmd struct {
	Print configPrintCmd `cmd:"" default:"withargs" help:"Print the settings in effect as environment variables. This is the default."`
	Show  configShowCmd  `cmd:"" help:"Print the settings in effect as a configuration file, with the origin of each."`
}

type configPrintCmd struct {
	config.Flags
	JSON bool `name:"json" help:"Print JSON."`
}

func (cmd *configPrintCmd) Run(c *console) error {
	cfg, _, err := serverSettings(c, cmd.Flags)
	if err != nil {
		return err
	}
	if cmd.JSON {
		return printJSON(c.Out, cfg.Redacted())
	}
	_, err = io.WriteString(c.Out, cfg.Redacted().String())
	return err
}

type configShowCmd struct {
	config.Flags
	JSON bool `name:"json" help:"Print JSON."`
}

func (cmd *configShowCmd) Run(c *console) error {
	cfg, _, err := serverSettings(c, cmd.Flags)
	if err != nil {
		return err
	}
	all := cmd.Settings(cfg)
	if cmd.JSON {
		return printJSON(c.Out, all.Origins())
	}
	_, err = io.WriteString(c.Out, all.TOML())
	return err
}

type healthcheckCmd struct {
	config.Flags
	Timeout time.Duration `default:"5s" help:"How long to wait for the response."`
}

func (cmd *healthcheckCmd) Run(c *console) error {
	if _, socket := config.SocketPath(cmd.Text("addr")); socket && cmd.Text("base-url") == "" {
		cmd.Set("base-url", "http://localhost") // the public address does not matter here
	}
	cfg, problems := cmd.Resolve()
	if len(problems) > 0 {
		return usageError(problems)
	}
	ctx, cancel := context.WithTimeout(c.Ctx, cmd.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, cfg.LocalURL()+"/readyz", nil)
	if err != nil {
		return err
	}
	res, err := localClient(cfg).Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the server responded %s", res.Status)
	}
	fmt.Fprintln(c.Out, "ready")
	return nil
}

// localClient returns a client for a server on this machine. With TLS, the certificate must be valid
// now and for the first domain. Its issuer is not checked, because the address is local and the
// request contains no secret.
func localClient(cfg config.Config) *http.Client {
	if path, socket := config.SocketPath(cfg.Addr); socket {
		return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}}}
	}
	if !cfg.TLS.On() {
		return http.DefaultClient
	}
	name := cfg.TLS.Domains[0]
	check := func(state tls.ConnectionState) error {
		leaf := state.PeerCertificates[0]
		if time.Now().After(leaf.NotAfter) {
			return fmt.Errorf("the certificate of %s expired on %s", name, leaf.NotAfter.Format(time.DateTime))
		}
		return leaf.VerifyHostname(name)
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		MinVersion: tls.VersionTLS12, ServerName: name, InsecureSkipVerify: true, VerifyConnection: check}}}
}

type versionCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

func (cmd *versionCmd) Run(c *console) error {
	if cmd.JSON {
		return printJSON(c.Out, version())
	}
	fmt.Fprintln(c.Out, versionLine())
	return nil
}

func versionLine() string {
	v := version()
	return fmt.Sprintf("vitrine %s (commit %s, %s, schema %s)", v["version"], v["commit"], v["go"], v["schema"])
}

type licensesCmd struct{}

func (licensesCmd) Run(c *console) error { return licenses.Print(c.Out) }

// version returns the build information: the date of the commit, if known, and the schema version
// that `vitrine migrate` migrates to.
func version() map[string]string {
	v := map[string]string{"version": "unknown", "commit": "unknown", "date": "", "go": "unknown", "schema": fmt.Sprint(server.SchemaVersion())}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v["version"], v["go"] = info.Main.Version, info.GoVersion
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v["commit"] = s.Value
		case "vcs.time":
			v["date"], _, _ = strings.Cut(s.Value, "T")
		}
	}
	return v
}

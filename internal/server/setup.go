package server

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"vitrine/internal/app/accounts"
	"vitrine/internal/config"
)

// setup returns how a server with this configuration protects its first account.
func (s *Server) setup(cfg config.Config) accounts.Setup {
	o := accounts.Setup{Code: cfg.SetupCode, Done: func() { s.removeSetupCode(context.Background()) }}
	switch {
	case cfg.Addr == "": // in tests, which create the server without an address
	case cfg.Exposed() || cfg.SetupCode != "":
		o.Ask = accounts.AskAll
	default:
		o.Ask = accounts.AskRemote
	}
	return o
}

// keepSetupCode logs the setup code and writes it to the data folder while there is no account. The
// server starts even if the file cannot be written.
func (s *Server) keepSetupCode(ctx context.Context) error {
	code, err := s.App.Accounts.SetupCode(ctx)
	if err != nil {
		return err
	}
	if code == "" {
		s.removeSetupCode(ctx)
		return nil
	}
	path := s.cfg.SetupCodePath()
	if err := writeSecret(path, code); err != nil {
		s.log.WarnContext(ctx, "cannot write the setup code", "file", path, "error", err)
	}
	switch {
	case s.cfg.SetupCode != "":
		s.log.InfoContext(ctx, "there is no account yet: creating the first one requires the code in --setup-code")
	case s.cfg.Exposed():
		s.log.WarnContext(ctx, "there is no account yet: creating the first one, the operator's, requires the setup code", "code", code, "file", path)
	}
	return nil
}

// writeSecret writes a file that only its owner can read. It replaces an existing file.
func writeSecret(path, text string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text + "\n")
	return errors.Join(err, f.Close())
}

// removeSetupCode deletes the file when the code is no longer needed.
func (s *Server) removeSetupCode(ctx context.Context) {
	if err := os.Remove(s.cfg.SetupCodePath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.log.WarnContext(ctx, "cannot remove the setup code", "file", s.cfg.SetupCodePath(), "error", err)
	}
}

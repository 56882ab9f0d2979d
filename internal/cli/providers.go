package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/durable"
	"vitrine/internal/fetch"
	"vitrine/internal/page"
	"vitrine/internal/server"
)

type providersCmd struct {
	Update providersUpdateCmd `cmd:"" help:"Download the current list. Servers use it after a restart."`
}

// maxProviders is the maximum download in bytes. It is larger than the limit of page, so that page
// reports the error.
const maxProviders = 16 << 20

type providersUpdateCmd struct {
	config.Flags
	From string `default:"https://oembed.com/providers.json" placeholder:"URL" help:"URL of the list. A private address must be in --fetch-allow."`
}

func (cmd *providersUpdateCmd) Run(c *console) error {
	cfg, _, err := serverSettings(c, cmd.Flags)
	if err != nil {
		return err
	}
	if err := server.RequireRestored(cfg); err != nil {
		return err
	}
	list, err := download(c.Ctx, cfg, cmd.From)
	if err != nil {
		return fmt.Errorf("%s: %w", cmd.From, err)
	}
	if _, err := page.LoadProviders(bytes.NewReader(list)); err != nil {
		return fmt.Errorf("%s: %w", cmd.From, err)
	}
	var providers []json.RawMessage
	if err := json.Unmarshal(list, &providers); err != nil {
		return fmt.Errorf("%s: %w", cmd.From, err)
	}
	if err := replaceFile(cfg.ProvidersPath(), list); err != nil {
		return err
	}
	_, err = printf(c.Out, "Saved %s in %s. Restart the servers to use them.\n",
		domain.Counted(len(providers), "provider", "providers"), cfg.ProvidersPath())
	return err
}

func download(ctx context.Context, cfg config.Config, address string) ([]byte, error) {
	client := fetch.New(fetch.Options{Allow: cfg.FetchAllow})
	defer client.Close()
	answer, err := client.Get(ctx, fetch.Request{URL: address, Accept: "application/json", MaxBytes: maxProviders})
	if err != nil {
		return nil, err
	}
	list, err := io.ReadAll(answer.Body)
	return list, errors.Join(err, answer.Body.Close())
}

// replaceFile atomically replaces a file with content that is not secret. On error the old file
// stays.
func replaceFile(path string, content []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = durable.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"vitrine/bench/dataset"
	"vitrine/internal/app"
	"vitrine/internal/app/accounts"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/server"
	"vitrine/internal/store"
)

// data is the common data of all peers.
type data struct {
	made  dataset.Made
	token string        // of a user who created nothing and only sees public things
	cfg   config.Config // of Vitrine
	plain string        // the small server's file
}

// prepare creates the data in a folder, unless an earlier run has done so.
func (cmd command) prepare(ctx context.Context, dir string, notes io.Writer) (d data, err error) {
	// No jobs run during the measurements: all of their work is done before.
	cfg, problems := config.Texts{"data-dir": dir, "database-url": cmd.DatabaseURL, "rate-limits": "guest=0,free=0,premium=0,supporter=0", "work": "false"}.Resolve()
	d = data{cfg: cfg, plain: filepath.Join(dir, "plain.db")}
	if err := errors.Join(problems...); err != nil {
		return d, err
	}
	note := filepath.Join(dir, "made.json")
	text, err := cmd.note(ctx, note)
	if err != nil {
		return d, err
	}
	if len(text) > 0 {
		var was noted
		err = json.Unmarshal(text, &was)
		d.made, d.token = was.Made, was.Token
		return d, err
	}
	began := time.Now()
	if d.made, d.token, err = cmd.fill(ctx, cfg); err != nil {
		return d, err
	}
	if text, err = json.Marshal(noted{d.made, d.token}); err != nil {
		return d, err
	}
	if cmd.DatabaseURL != "" {
		err = copyPostgres(ctx, cmd.DatabaseURL, d.made.Token, d.token, string(text))
	} else {
		err = copyData(ctx, cfg.SQLitePath(), d.plain, d.made.Token, d.token)
	}
	if err != nil {
		return d, fmt.Errorf("the small server's data: %w", err)
	}
	fmt.Fprintf(notes, "%d blocks, %d connections, a channel of %d: made in %s\n",
		d.made.Blocks, d.made.Connections, d.made.Large.Items, time.Since(began).Round(time.Second))
	if cmd.DatabaseURL != "" {
		return d, nil
	}
	return d, os.WriteFile(note, text, 0o600) // written last, when the data is complete
}

// note returns what an earlier run has noted, or nothing.
func (cmd command) note(ctx context.Context, path string) ([]byte, error) {
	if cmd.DatabaseURL != "" {
		text, err := postgresNote(ctx, cmd.DatabaseURL)
		return []byte(text), err
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// noted is stored by one run for the next.
type noted struct {
	Made  dataset.Made
	Token string
}

// fill creates Vitrine's data.
func (cmd command) fill(ctx context.Context, cfg config.Config) (made dataset.Made, token string, err error) {
	cfg.SQLiteSynchronous = "off" // after a power failure, just run this again
	db, err := server.Open(ctx, cfg)
	if err != nil {
		return made, "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := server.Migrate(ctx, db, slog.New(slog.DiscardHandler)); err != nil {
		return made, "", err
	}
	s, small := store.New(db), 100
	made, err = dataset.Fill(ctx, s, dataset.Size{Users: cmd.Users, Channels: cmd.Channels,
		Blocks: max(1, cmd.Blocks-cmd.Large-small), Connections: max(0, cmd.Connections-cmd.Large-small),
		Large: cmd.Large, Small: small, Seed: cmd.Seed})
	if err == nil {
		token, err = stranger(ctx, s)
	}
	return made, token, err
}

// stranger creates a user and returns their token.
func stranger(ctx context.Context, s *store.Store) (token string, err error) {
	n := store.NewUser{Name: "Stranger", Email: "stranger@example.org", Tier: domain.TierSupporter, Now: time.Now()}
	var id domain.UserID
	err = s.InTx(ctx, func(tx *store.Tx) (err error) {
		if n.Slug, err = tx.Slugs().SlugFor(ctx, store.UserSlug, n.Name, n.Now); err != nil {
			return err
		}
		if id, err = tx.Users().CreateUser(ctx, n); err != nil {
			return err
		}
		return tx.Slugs().BindSlug(ctx, store.UserSlug, n.Slug, int64(id))
	})
	if err != nil {
		return "", err
	}
	token, _, err = app.New(app.Options{Store: s}).Accounts.CreateToken(ctx, id, accounts.TokenInput{Name: "benchmark", Scope: domain.ScopeRead})
	return token, err
}

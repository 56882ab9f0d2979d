package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"vitrine/internal/colour"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/sqlx"
)

// palettes is the number of different palettes of the images.
const palettes = 20_000

// coloured are queries by colour. The vocabulary of the data set is small, so "amber" is in one block of sixteen.
var coloured = []string{"color:teal", "color:#d2691e", "color:red color:blue", "color:gray", "amber color:teal", "amber -color:teal"}

// looks measures searches by colour and for similar images, with every block an image of a random palette and hash.
func (cmd command) looks(ctx context.Context, b bench) error {
	if err := b.addLooks(ctx); err != nil {
		return err
	}
	fmt.Printf("%-42s %8s %8s %8s\n", "case, ms", "median", "longest", "found")
	measure := func(name string, do func() (int64, error)) error {
		var all times
		var n int64
		for range cmd.Rounds {
			if err := all.spend(b, func() (err error) { n, err = do(); return err }); err != nil {
				return err
			}
		}
		fmt.Printf("%-42s %8.1f %8.1f %8d\n", name, all.at(0.5), all.at(1), n)
		return nil
	}
	viewer := domain.Actor{UserID: domain.UserID(cmd.Viewer), Tier: domain.TierPremium, Scope: domain.ScopeRead}
	for _, query := range coloured {
		err := measure(query, func() (int64, error) {
			l, err := b.app.Finder.Explore(ctx, viewer, question(query), nil)
			return l.Total, err
		})
		if err != nil {
			return err
		}
	}
	var last int64
	if err := b.db.Reader().QueryRow(ctx, "SELECT max(id) FROM blocks").Scan(&last); err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(2, 2))
	return measure("similar images of a block", func() (int64, error) {
		block, err := b.s.Blocks().AnyBlock(ctx, domain.BlockID(1+r.Int64N(last)))
		if err != nil {
			return 0, err
		}
		found, err := b.app.Finder.Similar(ctx, viewer, block)
		return int64(len(found)), err
	})
}

// addLooks adds an image to each block, unless some have one, and writes the documents again. This takes some minutes.
func (b bench) addLooks(ctx context.Context) error {
	var seen bool
	random := "random()"
	d := sqlx.Dialect(b.db.Dialect())
	if d == sqlx.Postgres {
		random = "('x' || substr(md5(b.id::text), 1, 16))::bit(64)::bigint"
	}
	r := rand.New(rand.NewPCG(1, 1))
	texts := make([]string, palettes)
	for i := range texts {
		var p []string
		for range 1 + r.IntN(5) {
			p = append(p, fmt.Sprintf("%s:%d", strings.TrimPrefix(colour.RGB(r.IntN(1<<24)).String(), "#"), 10+r.IntN(20)))
		}
		texts[i] = strings.Join(p, " ")
	}
	err := b.db.Transact(ctx, func(tx *database.Tx) error {
		if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM files WHERE look_hash IS NOT NULL)").Scan(&seen); err != nil || seen {
			return err
		}
		for _, statement := range []string{
			"CREATE TABLE bench_palettes (n BIGINT PRIMARY KEY, palette TEXT NOT NULL)",
			"INSERT INTO bench_palettes (n, palette) SELECT row_number() OVER () - 1, text FROM " + d.TextRows("$1"),
			"INSERT INTO blobs (hash, object, size, stored_at, used_at) VALUES ('bench', 'bench', 7, 1, 1)",
			`INSERT INTO files (key, blob_id, name, content_type, extension, size, created_at, user_id, blurhash, palette, look_hash)
				SELECT 'bench ' || b.id, (SELECT max(id) FROM blobs), 'a.png', 'image/png', 'png', 7, b.created_at, b.user_id, 'x', p.palette, ` + random + `
				FROM blocks b JOIN bench_palettes p ON p.n = b.id % ` + fmt.Sprint(palettes) + ` ORDER BY b.id`,
			"UPDATE blocks SET type = 'Image', image_id = (SELECT f.id FROM files f WHERE f.key = 'bench ' || blocks.id)",
			"UPDATE search_documents SET type = 'Image' WHERE kind = 'Block'",
			"UPDATE backfill_progress SET done = 0, repeat_at = 0 WHERE kind = 'refresh_documents'",
			"DROP TABLE bench_palettes",
		} {
			var args []any
			if strings.Contains(statement, "$1") {
				args = []any{sqlx.Texts(d, texts)}
			}
			if _, err := tx.Exec(ctx, statement, args...); err != nil {
				return fmt.Errorf("%.60s: %w", statement, err)
			}
		}
		return nil
	})
	if err != nil || seen {
		return err
	}
	if err := b.app.Finder.IndexWords(ctx); err != nil {
		return err
	}
	return b.app.Finder.RefreshDocuments(ctx)
}

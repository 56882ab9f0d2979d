package store_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/sqlx"
	"vitrine/internal/store/storetest"
)

// declared returns the columns of a table in its declaration, sorted.
func declared[R any](t sqlx.Table[R]) (names []string) {
	for _, c := range t.Columns {
		if c.Name != "" {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Each column of the migrated schema is declared, and each declared column exists.
func TestColumnsAreDeclared(t *testing.T) {
	t.Parallel()
	hidden := func(names string, others ...string) []string {
		return slices.Sorted(slices.Values(append(strings.Split(names, ", "), others...)))
	}
	want := map[string][]string{
		rowmap.Blocks.Name: declared(rowmap.Blocks), rowmap.Channels.Name: declared(rowmap.Channels),
		rowmap.Connections.Name: declared(rowmap.Connections), rowmap.Users.Name: declared(rowmap.Users),
		rowmap.Groups.Name: declared(rowmap.Groups), rowmap.Comments.Name: declared(rowmap.Comments), rowmap.Files.Name: declared(rowmap.Files),
		"hidden_comments": hidden(rowmap.Comments.Names(sqlx.Hide), "id", "hidden_id", "version"),
		"hidden_connections": hidden(rowmap.Connections.Names(sqlx.Hide),
			"id", "hidden_id", "block_id", "position_key", "version", "created_at"),
		"trash_comments": hidden(rowmap.Comments.Names(sqlx.Hide), "id", "thing_id", "version"),
		"trash_connections": hidden(rowmap.Connections.Names(sqlx.Hide),
			"id", "thing_id", "below_id", "above_id", "position_key", "version", "created_at"),
	}
	storetest.EachDB(t, func(t *testing.T, _ *store.Store, db *database.DB) {
		for table, columns := range want {
			exist := readRows(t, db, "SELECT * FROM "+table+" WHERE FALSE").columns
			slices.Sort(exist)
			if !slices.Equal(exist, columns) {
				t.Errorf("%s: the declaration lacks %q, and the schema lacks %q", table, except(exist, columns), except(columns, exist))
			}
		}
	})
}

// Each statement that writes blocks writes all their short texts, and each that reads blocks reads them.
func TestBlockTexts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, author := t.Context(), domain.Principal{PrincipalRef: domain.UserRef(storetest.User(t, s, "Ada"))}
		texts := func(when string) (all domain.BlockTexts) {
			for _, f := range domain.BlockTextFields {
				*f.Of(&all) = new(f.Name + " " + when)
			}
			return all
		}
		block := func(when string) domain.Block {
			return domain.Block{Type: domain.TextBlock, State: domain.Available, Author: author, BlockTexts: texts(when),
				Content: &domain.Text{Markdown: "x", HTML: "<p>x</p>", Plain: "x"}, CreatedAt: storetest.Now, UpdatedAt: storetest.Now}
		}
		var id domain.BlockID
		changed := func(change func(tx *store.Tx, was, b domain.Block) error, when string) func(tx *store.Tx) error {
			return func(tx *store.Tx) error {
				was, err := tx.Blocks().LockedBlock(ctx, domain.UserID(author.ID), id)
				if err != nil {
					return err
				}
				b := was
				b.BlockTexts = texts(when)
				return change(tx, was, b)
			}
		}
		for _, c := range []struct {
			when  string
			write func(tx *store.Tx) error
		}{
			{"created", func(tx *store.Tx) (err error) {
				id, err = tx.Blocks().CreateBlock(ctx, block("created"), storetest.Now)
				return err
			}},
			{"updated", changed(func(tx *store.Tx, was, b domain.Block) error {
				return tx.Blocks().UpdateBlock(ctx, was, &b, storetest.Now)
			}, "updated")},
			{"filled", changed(func(tx *store.Tx, was, b domain.Block) error {
				return tx.Blocks().FillBlock(ctx, was, b, storetest.Now)
			}, "filled")},
			{"loaded", func(tx *store.Tx) (err error) {
				id, err = tx.Bulk().LoadBlocks(ctx, []domain.Block{block("loaded")})
				return errors.Join(err, tx.Documents().AddDocuments(ctx))
			}},
		} {
			storetest.In(t, s, c.write)
			one, err := s.Blocks().AnyBlock(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			listed, err := s.Blocks().BlocksByID(ctx, []domain.BlockID{id})
			if err != nil {
				t.Fatal(err)
			}
			if want := texts(c.when); !reflect.DeepEqual(one.BlockTexts, want) || !reflect.DeepEqual(listed[id].BlockTexts, want) {
				t.Errorf("%s: the block has %+v, and in a list %+v", c.when, one.BlockTexts, listed[id].BlockTexts)
			}
		}
	})
}

package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// harm is a change that bypasses the store, with its undo and the difference that Check reports.
type harm struct{ do, undo, finds string }

// shifted adds 1 to a column of a row.
func shifted(table, column, where, finds string) harm {
	set := "UPDATE " + table + " SET " + column + " = " + column
	return harm{set + " + 1 WHERE " + where, set + " - 1 WHERE " + where, finds}
}

// runOf adds rows to the pending transitions of channel 4.
func runOf(row, finds string) harm {
	return harm{"INSERT INTO pending_transitions (channel_id, after_at, upto, open_n, private_n, group_id) SELECT 4, " + row +
		" FROM channels WHERE id = 4", "DELETE FROM pending_transitions", finds}
}

// harms contains one harm for each kind of difference. In its world, user 1 owns channel 1
// (large), which has blocks, channel 2 (private, containing block 1) and group 1 as a
// collaborator. The group owns channel 3 (empty). Channel 4 is deleted.
func harms() []harm {
	all := []harm{
		shifted("channels", "blocks_count", "id = 1", "channels.blocks_count"),
		shifted("channels", "channels_count", "id = 1", "channels.channels_count"),
		shifted("channels", "private_count", "id = 1", "channels.private_count"),
		shifted("channels", "collaborators_count", "id = 1", "channels.collaborators_count"),
		shifted("blocks", "open_count", "id = 1", "blocks.open_count"),
		shifted("blocks", "private_count", "id = 1", "blocks.private_count"),
		shifted("users", "open_channels", "id = 1", "users.open_channels"),
		shifted("users", "private_channels", "id = 1", "users.private_channels"),
		shifted("groups", "open_channels", "id = 1", "groups.open_channels"),
		shifted("groups", "private_channels", "id = 1", "groups.private_channels"),
		shifted("groups", "users_count", "id = 1", "groups.users_count"),
		shifted("users", "followers_count", "id = 1", "users.followers_count"),
		shifted("users", "following_count", "id = 1", "users.following_count"),
		shifted("blocks", "comment_count", "id = 1", "blocks.comment_count"),
		shifted("follows", "followed_id", "followed_type = 'Group'", "followers of a group that is gone"),
		{"INSERT INTO invitations (group_id, invitee_id, invited_by, token_hash, expires_at, created_at, updated_at) VALUES (1, 1, 1, 'x', 9, 1, 1)",
			"DELETE FROM invitations", "invitations that are pending for a member"},
		shifted("connections", "item_updated_at", "channel_id = 1 AND item_type = 'Block' AND item_id = 1",
			"connections.item_updated_at of a block"),
		shifted("connections", "item_updated_at", "channel_id = 1 AND item_type = 'Channel'",
			"connections.item_updated_at of a channel"),
		{"UPDATE connections SET item_private = FALSE WHERE item_type = 'Channel'",
			"UPDATE connections SET item_private = TRUE WHERE item_type = 'Channel'", "connections.item_private"},
		{"UPDATE connections SET item_private = TRUE WHERE channel_id = 1 AND item_type = 'Block' AND item_id = 7",
			"UPDATE connections SET item_private = FALSE WHERE item_type = 'Block'", "connections.item_private of a block"},
		{"UPDATE channels SET state = 'deleted' WHERE id = 2",
			"UPDATE channels SET state = 'available' WHERE id = 2", "connections to a deleted channel"},
		shifted("connections", "item_id", "channel_id = 1 AND item_type = 'Block' AND item_id >= (SELECT max(id) FROM blocks)",
			"connections without their block"),
		{"UPDATE connections SET item_id = 1000 WHERE item_type = 'Channel'",
			"UPDATE connections SET item_id = 2 WHERE item_type = 'Channel'", "connections without their channel"},
		{"UPDATE connections SET position_key = position_key - 4294967296 WHERE channel_id = 1 AND item_type = 'Block' AND item_id = 9",
			"UPDATE connections SET position_key = position_key + 4294967296 WHERE channel_id = 1 AND item_type = 'Block' AND item_id = 9",
			"connections.position_key given twice"},
		shifted("connections", "created_at", "channel_id = 1 AND item_type = 'Block' AND item_id = 9",
			"connections.created_at given twice"),
		{"UPDATE channels SET updated_at = last_connected_at - 1 WHERE id = 1",
			"UPDATE channels SET updated_at = (SELECT updated_at FROM search_documents WHERE kind = 'Channel' AND item_id = 1) WHERE id = 1",
			"channels.updated_at before its last addition"},
		{"UPDATE channels SET last_connected_at = last_connected_at - 1 WHERE id = 1",
			"UPDATE channels SET last_connected_at = last_connected_at + 1 WHERE id = 1", "channels.last_connected_at before a connection"},
		shifted("channels", "owner_id", "id = 3", "channels without their owner"),
		shifted("collaborators", "member_id", "channel_id = 1", "collaborators without their user or group"),
		{"UPDATE groups SET owner_id = 2", "UPDATE groups SET owner_id = 1", "groups.owner_id without membership"},
		{"INSERT INTO slugs (kind, slug, target_id, created_at) VALUES ('User', 'lost', 0, 1)",
			"DELETE FROM slugs WHERE slug = 'lost'", "slugs of nothing"},
		{"UPDATE channels SET slug = 'other' WHERE id = 1", "UPDATE channels SET slug = 'large' WHERE id = 1",
			"channels.slug without its claim"},
		{"UPDATE users SET slug = 'other' WHERE id = 1", "UPDATE users SET slug = 'ada' WHERE id = 1", "users.slug without its claim"},
		{"UPDATE slugs SET target_id = 2 WHERE kind = 'Group'", "UPDATE slugs SET target_id = 1 WHERE kind = 'Group'",
			"groups.slug without its claim"},
		{"UPDATE users SET deleted_at = 1 WHERE id = 1", "UPDATE users SET deleted_at = NULL", "channels of a deleted account"},
		runOf("0, last_connected_at, 0, 0, 99", "pending_transitions of a group that is gone"),
		runOf("0, last_connected_at, 0, 0, 0 FROM channels WHERE id = 4 UNION ALL SELECT 4, last_connected_at - 9, last_connected_at - 1, 0, 0, 0",
			"pending_transitions that overlap"),
		runOf("last_connected_at, last_connected_at - 1, 0, 0, 0", "pending_transitions that end before they begin"),
		runOf("last_connected_at, last_connected_at + 1, 0, 0, 0", "pending_transitions beyond the last connection"),
		{"INSERT INTO text_versions (item_type, item_id, slot, number, user_id, since, replaced_at) VALUES ('Block', 999999, 0, 1, 1, 5, 5)",
			"DELETE FROM text_versions", "text_versions of blocks that do not exist"},
		{"INSERT INTO text_versions (item_type, item_id, slot, number, user_id, since, replaced_at) VALUES ('Channel', 999999, 0, 1, 1, 5, 5)",
			"DELETE FROM text_versions", "text_versions of channels that do not exist"},
		{"INSERT INTO text_versions (item_type, item_id, slot, number, user_id, since, replaced_at) VALUES ('User', 999999, 0, 1, 1, 5, 5)",
			"DELETE FROM text_versions", "text_versions of users that do not exist"},
		{"INSERT INTO text_versions (item_type, item_id, slot, number, user_id, since, replaced_at) VALUES ('Group', 999999, 0, 1, 1, 5, 5)",
			"DELETE FROM text_versions", "text_versions of groups that do not exist"},
		shifted("adder_counts", "n", "channel_id = 1 AND user_id = 1", "adder_counts.n"),
		shifted("updated_counts", "n", "channel_id = 1 AND shift = 38", "updated_counts.n"),
	}
	for sort, by := range []string{" by position_key", " by created_at"} {
		at := fmt.Sprint("channel_id = 1 AND sort = ", sort, " AND level = ")
		least, sought := fmt.Sprint(" AND first_key = ", -1<<63), fmt.Sprint(" AND first_key > ", -1<<63)
		all = append(all,
			shifted("order_nodes", "n", at+"0"+least, "order_nodes.n of a leaf"+by),
			shifted("order_nodes", "n_private", at+"0"+least, "order_nodes.n_private of a leaf"+by),
			shifted("order_nodes", "n", at+"1"+least, "order_nodes.n"+by),
			shifted("order_nodes", "n_private", at+"1"+least, "order_nodes.n_private"+by),
			shifted("order_nodes", "first_key", at+"1"+sought, "order_nodes without a child at their first key"+by),
			harm{"UPDATE order_nodes SET first_key = first_key + 1 WHERE " + at + "2" + least,
				fmt.Sprint("UPDATE order_nodes SET first_key = first_key - 1 WHERE ", at, "2 AND first_key = ", -1<<63+1),
				"order_nodes: level that begins late" + by},
			harm{"UPDATE order_nodes SET sort = sort + 5 WHERE " + at + "0", fmt.Sprint("UPDATE order_nodes SET sort = ", sort,
				" WHERE sort = ", sort+5), "order_nodes: channel without an order" + by})
	}
	return all
}

// Check finds and names every difference.
func TestCheckFindsEveryHarm(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		harmless(t, s, db)
		storetest.Check(t, s)
		doHarm(t, s, db, store.CheckNames(), harms())
	})
}

// harmless creates the world of harms.
func harmless(t *testing.T, s *store.Store, db *database.DB) {
	m := newModel(t, s) // Ada's channel 1, to be called large
	storetest.Exec(t, db, "UPDATE channels SET slug = 'large'")
	storetest.Exec(t, db, "UPDATE slugs SET slug = 'large' WHERE kind = 'Channel'")
	bob := storetest.User(t, s, "Bob")
	hidden := storetest.Channel(t, s, m.owner, "Hidden", domain.Private)
	group := storetest.Group(t, s, "Group", m.owner)
	storetest.OwnedChannel(t, s, domain.GroupRef(group), m.owner, "Of the group", domain.Public)
	gone := storetest.Channel(t, s, bob, "Gone", domain.Closed)
	storetest.Fill(t, s, db, m.owner, m.channel, 100)
	m.plant(db, rand.New(rand.NewPCG(10, 0)))
	storetest.Connect(t, s, m.owner, hidden, domain.BlockRef(1), 0)
	storetest.Connect(t, s, bob, gone, domain.BlockRef(1), 0)
	storetest.Connect(t, s, m.owner, m.channel, domain.ChannelRef(hidden), 0)
	storetest.In(t, s, func(tx *store.Tx) error {
		_, err := tx.Activity().Follow(t.Context(), bob, domain.Subject{Type: domain.SubjectGroup, ID: int64(group)}, storetest.Now)
		return err
	})
	storetest.In(t, s, func(tx *store.Tx) error {
		c, err := tx.Channels().Channel(t.Context(), bob, domain.Ref{ID: int64(gone)})
		if err != nil {
			return err
		}
		if _, err := tx.Membership().AddCollaborator(t.Context(), m.channel, domain.GroupRef(group), storetest.Now); err != nil {
			return err
		}
		return tx.Channels().DeleteChannel(t.Context(), c, storetest.Now)
	})
}

// doHarm makes each change and undoes it. The check must report it, and nothing afterwards. Each
// of the checks in `unseen` must be reported at least once.
func doHarm(t *testing.T, s *store.Store, db *database.DB, unseen []string, all []harm) {
	t.Helper()
	for _, h := range all {
		storetest.Exec(t, db, h.do)
		if found := findings(t, s); !slices.Contains(found, h.finds) {
			t.Errorf("%s\nnames %q, not %s", h.do, found, h.finds)
		}
		unseen = slices.DeleteFunc(unseen, func(name string) bool { return name == h.finds })
		storetest.Exec(t, db, h.undo)
		if found := findings(t, s); found != nil {
			t.Fatalf("%s\nleaves %q", h.undo, found)
		}
	}
	if len(unseen) > 0 {
		t.Errorf("no harm is done for %q", unseen)
	}
}

// findings returns the names of the differences that Check finds.
func findings(t *testing.T, s *store.Store) (found []string) {
	t.Helper()
	all, err := s.Check(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		if !strings.HasPrefix(d.String(), d.What+" of ") || d.Stored == d.Actual {
			t.Errorf("a difference is told as %q", d)
		}
		found = append(found, d.What)
	}
	return found
}

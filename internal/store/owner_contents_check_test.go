package store_test

import (
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// ownerHarms contains one harm for each kind of difference, for a public channel of Ada's group
// that contains her block.
func ownerHarms() []harm {
	const block = "kind = 'Block'"
	return []harm{
		shifted("content_counts", "open", "owner_type = 'User' AND type = 'Text'", "content_counts of a User"),
		shifted("content_counts", "hidden", "owner_type = 'Group' AND type = 'Text'", "content_counts of a Group"),
		shifted("group_items", "open_n", block, "group_items.open_n"),
		shifted("group_items", "private_n", block, "group_items.private_n"),
		shifted("group_items", "item_id", block, "group_items.open_n"), // one is missing, and there is one too many
		{"INSERT INTO group_items (group_id, kind, item_id, type, open_n, private_n, open, created_at, updated_at) VALUES (99, 'Block', 99, 'Text', 0, 0, FALSE, 1, 1)",
			"DELETE FROM group_items WHERE group_id = 99", "group_items that are in no channel"},
		{"UPDATE group_items SET open = FALSE WHERE kind = 'Block'", "UPDATE group_items SET open = TRUE WHERE kind = 'Block'", "group_items.open"},
		{"UPDATE group_items SET type = 'Link' WHERE kind = 'Block'", "UPDATE group_items SET type = 'Text' WHERE kind = 'Block'", "group_items.type"},
		shifted("group_items", "created_at", block, "group_items.created_at"),
		shifted("group_items", "updated_at", block, "group_items.updated_at"),
	}
}

// Check finds and names every difference in the tables for lists of contents.
func TestCheckFindsEveryHarmToOwnerContents(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		ada := storetest.User(t, s, "Ada")
		group := storetest.Group(t, s, "Group", ada)
		channel := storetest.OwnedChannel(t, s, domain.GroupRef(group), ada, "Of the group", domain.Public)
		storetest.Connect(t, s, ada, channel, domain.BlockRef(storetest.Block(t, s, ada, "x")), 0)
		doHarm(t, s, db, store.OwnerCheckNames(), ownerHarms())
	})
}

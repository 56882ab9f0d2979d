package store_test

import (
	"testing"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// contentHarms contains one harm for each kind of difference in the content of blocks. Block 1 is
// an Image of file 1 that also has file 2, block 2 is waiting, and block 3 is a Text. Upload 1 is
// unused.
func contentHarms() []harm {
	set := func(what, from, to, finds string) harm {
		return harm{"UPDATE " + what + " = " + to + " WHERE id = 1", "UPDATE " + what + " = " + from + " WHERE id = 1", finds}
	}
	kind := func(is, finds string) harm {
		return harm{"UPDATE blocks SET type = '" + is + "' WHERE id = 3", "UPDATE blocks SET type = 'Text' WHERE id = 3", finds}
	}
	return []harm{
		{"INSERT INTO files (key, blob_id, name, content_type, extension, size, created_at) VALUES ('k', 1, 'a', 'b', 'c', 7, 1)",
			"DELETE FROM files WHERE key = 'k'", "files that nothing shows"},
		set("blobs SET stored_at", "1", "NULL", "files whose bytes are not stored"),
		set("blobs SET size", "7", "8", "files.size"),
		set("blobs SET size", "7", "8", "uploads.size"),
		set("blobs SET stored_at", "1", "NULL", "snapshots whose bytes are not stored"),
		set("blobs SET size", "7", "8", "snapshots.size"),
		set("uploads SET used_at", "NULL", "1", "byte_usage.unused"),
		{"UPDATE byte_usage SET files = files + 1", "UPDATE byte_usage SET files = files - 1", "byte_usage.files"},
		{"UPDATE byte_usage SET texts = texts - 1", "UPDATE byte_usage SET texts = texts + 1", "byte_usage.texts"},
		set("files SET user_id", "1", "2", "files.user_id of a block's image"),
		{"UPDATE files SET user_id = 2 WHERE id = 2", "UPDATE files SET user_id = 1 WHERE id = 2", "files.user_id of a block's file"},
		kind("Image", "Image without image_id"), kind("Attachment", "Attachment without file_id"), kind("Embed", "Embed without embed"),
		{"UPDATE blocks SET content_markdown = NULL WHERE id = 3", "UPDATE blocks SET content_markdown = 'x' WHERE id = 3",
			"Text without content_markdown"},
		{"UPDATE blocks SET type = 'Link' WHERE id = 2", "UPDATE blocks SET type = 'PendingBlock' WHERE id = 2",
			"blocks.state of a block that is pending"},
		{"UPDATE processings SET state = 'done' WHERE block_id = 2", "UPDATE processings SET state = 'waiting' WHERE block_id = 2",
			"blocks that nobody gets the content of"},
		{"UPDATE blocks SET type = 'Link', state = 'failed' WHERE id = 2",
			"UPDATE blocks SET type = 'PendingBlock', state = 'processing' WHERE id = 2", "blocks that have failed before an attempt"},
		{"INSERT INTO processings (block_id, state, created_at, updated_at) VALUES (3, 'done', 1, 1)",
			"DELETE FROM processings WHERE block_id = 3", "processings of a block of text"},
	}
}

// Check finds and names every difference in the content of blocks.
func TestCheckFindsEveryHarmToContent(t *testing.T) {
	t.Parallel()
	storetest.EachDB(t, func(t *testing.T, s *store.Store, db *database.DB) {
		shownWaitingAndText(t, s)
		storetest.Check(t, s)
		doHarm(t, s, db, store.ContentCheckNames(), contentHarms())
	})
}

// shownWaitingAndText creates the world of contentHarms, and a user's avatar, which is a file that
// no block shows.
func shownWaitingAndText(t *testing.T, s *store.Store) {
	t.Helper()
	ada := storetest.User(t, s, "Ada")
	sent := upload(t, s, "unused", ada, storetest.Now)
	storetest.In(t, s, func(tx *store.Tx) error {
		blob := storedBlob(t, tx, "1", storetest.Now)
		if _, err := tx.Blobs().FillUpload(t.Context(), sent, domain.Blob{ID: blob, Size: 7}); err != nil {
			return err
		}
		by := domain.Principal{PrincipalRef: domain.UserRef(ada)}
		pending := domain.Block{Author: by, Type: domain.PendingBlock, State: domain.Processing}
		for range 2 {
			id, err := tx.Blocks().CreateBlock(t.Context(), pending, storetest.Now)
			if err == nil {
				err = tx.Blobs().StartProcessing(t.Context(), id, domain.BlockUploads{}, storetest.Now)
			}
			if err != nil {
				return err
			}
		}
		if err := tx.Blobs().EndProcessing(t.Context(), 1, domain.ProcessingDone, nil, storetest.Now); err != nil {
			return err
		}
		file := addedFile(t, tx, "anaddressof22characters"[:22], ada, blob)
		shown := pending
		shown.ID, shown.Type, shown.State, shown.Image = 1, domain.ImageBlock, domain.Available, &file
		attached := addedFile(t, tx, "anotherofthe22characters"[:22], ada, blob)
		shown.File = &attached
		if err := tx.Blocks().FillBlock(t.Context(), pending, shown, storetest.Now); err != nil {
			return err
		}
		copied := domain.Snapshot{Block: 1, Owner: ada, BlobID: blob, Size: 7, Kind: domain.SnapshotPage, Source: domain.FromBrowser}
		if _, err := tx.Blobs().AddSnapshot(t.Context(), copied); err != nil {
			return err
		}
		picture := addedFile(t, tx, "apictureof22characters", ada, blob)
		path := picture.Key + "/square-2x.jpg"
		if err := tx.Avatars().SetAvatar(t.Context(), domain.UserRef(ada), &path, storetest.Now); err != nil {
			return err
		}
		_, err := tx.Blocks().CreateBlock(t.Context(), domain.Block{Author: by, Type: domain.TextBlock, State: domain.Available,
			Content: &domain.Text{Markdown: "x", HTML: "x", Plain: "x"}}, storetest.Now)
		return err
	})
}

package derived

import (
	"fmt"
	"slices"

	"vitrine/internal/store/counters"
	"vitrine/internal/store/sqlx"
)

// lacking finds blocks of a type that are processed and lack the content of that type.
func lacking(kind, column string) sqlx.Check {
	return sqlx.Check{What: kind + " without " + column, Query: fmt.Sprintf(`SELECT b.id, 0, 1 FROM blocks b
		WHERE b.type = '%s' AND b.%s IS NULL`, kind, column)}
}

// waits reports whether the block `b` waits for its content.
const waits = `EXISTS (SELECT 1 FROM processings p WHERE p.block_id = b.id AND p.state = 'waiting')`

// ContentChecks compares blocks with their files and with the progress of fetching their content. A block that is
// shown may wait as well: its content is fetched again, or the last attempt failed.
func ContentChecks() []sqlx.Check {
	return slices.Concat(counters.ByteChecks, []sqlx.Check{
		{What: "files that nothing shows", Query: `SELECT f.id, 1, 0 FROM files f
			WHERE f.id NOT IN (SELECT b.image_id FROM blocks b WHERE b.image_id IS NOT NULL)
			AND f.id NOT IN (SELECT b.file_id FROM blocks b WHERE b.file_id IS NOT NULL)
			AND f.key NOT IN (SELECT substr(u.avatar, 1, 22) FROM users u WHERE u.avatar IS NOT NULL)
			AND f.key NOT IN (SELECT substr(g.avatar, 1, 22) FROM groups g WHERE g.avatar IS NOT NULL)
			AND f.id NOT IN (SELECT t.file_id FROM trash_files t)
			AND f.id NOT IN (SELECT s.picture_id FROM site s WHERE s.picture_id IS NOT NULL)`},
		{What: "files whose bytes are not stored", Query: `SELECT f.id, 0, 1 FROM files f
			JOIN blobs bl ON bl.id = f.blob_id WHERE bl.stored_at IS NULL`},
		{What: "files.size", Query: `SELECT f.id, f.size, bl.size FROM files f JOIN blobs bl ON bl.id = f.blob_id WHERE f.size <> bl.size`},
		{What: "snapshots whose bytes are not stored", Query: `SELECT s.id, 0, 1 FROM snapshots s
			JOIN blobs bl ON bl.id = s.blob_id WHERE bl.stored_at IS NULL`},
		{What: "snapshots.size", Query: `SELECT s.id, s.size, bl.size FROM snapshots s JOIN blobs bl ON bl.id = s.blob_id WHERE s.size <> bl.size`},
		lacking("Image", "image_id"),
		lacking("Attachment", "file_id"),
		lacking("Embed", "embed"),
		lacking("Text", "content_markdown"),
		{What: "blocks.state of a block that is pending", Query: `SELECT b.id, 1, 0 FROM blocks b
			WHERE (b.type = 'PendingBlock') <> (b.state = 'processing')`},
		{What: "blocks that nobody gets the content of", Query: `SELECT b.id, 0, 1 FROM blocks b
			WHERE b.state = 'processing' AND NOT ` + waits},
		{What: "blocks that have failed before an attempt", Query: `SELECT b.id, 1, 0 FROM blocks b JOIN processings p ON p.block_id = b.id
			WHERE b.state = 'failed' AND p.state = 'waiting' AND p.reason IS NULL`},
		{What: "processings of a block of text", Query: `SELECT b.id, 1, 0 FROM blocks b
			JOIN processings p ON p.block_id = b.id WHERE b.type = 'Text'`},
	})
}

package store

import (
	"fmt"
	"slices"
)

// lacking finds blocks of a kind that have been got and lack what such a block shows.
func lacking(kind, column string) check {
	return check{kind + " without " + column, fmt.Sprintf(`SELECT b.id, 0, 1 FROM blocks b
		WHERE b.type = '%s' AND b.%s IS NULL`, kind, column)}
}

// waits tells of a block whose content is being got.
const waits = `EXISTS (SELECT 1 FROM processings p WHERE p.block_id = b.id AND p.state = 'waiting')`

// contentChecks hold blocks against their files and against how far the getting of their
// content has come. A block that is shown may wait as well: its content is got again.
func contentChecks() []check {
	return slices.Concat(byteChecks, []check{
		{"files that nothing shows", `SELECT f.id, 1, 0 FROM files f
			WHERE f.id NOT IN (SELECT b.image_id FROM blocks b WHERE b.image_id IS NOT NULL)
			AND f.id NOT IN (SELECT b.file_id FROM blocks b WHERE b.file_id IS NOT NULL)
			AND f.key NOT IN (SELECT substr(u.avatar, 1, 22) FROM users u WHERE u.avatar IS NOT NULL)
			AND f.key NOT IN (SELECT substr(g.avatar, 1, 22) FROM groups g WHERE g.avatar IS NOT NULL)`},
		{"files whose bytes are not stored", `SELECT f.id, 0, 1 FROM files f
			JOIN blobs bl ON bl.id = f.blob_id WHERE bl.stored_at IS NULL`},
		{"files.size", `SELECT f.id, f.size, bl.size FROM files f JOIN blobs bl ON bl.id = f.blob_id WHERE f.size <> bl.size`},
		lacking("Image", "image_id"),
		lacking("Attachment", "file_id"),
		lacking("Embed", "embed"),
		lacking("Text", "content_markdown"),
		{"blocks.state of a block that is pending", `SELECT b.id, 1, 0 FROM blocks b
			WHERE (b.type = 'PendingBlock') <> (b.state = 'processing')`},
		{"blocks that nobody gets the content of", `SELECT b.id, 0, 1 FROM blocks b
			WHERE b.state = 'processing' AND NOT ` + waits},
		{"blocks that have failed and wait", `SELECT b.id, 1, 0 FROM blocks b WHERE b.state = 'failed' AND ` + waits},
		{"processings of a block of text", `SELECT b.id, 1, 0 FROM blocks b
			JOIN processings p ON p.block_id = b.id WHERE b.type = 'Text'`},
	})
}

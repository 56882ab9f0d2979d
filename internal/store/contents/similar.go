package contents

import (
	"context"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/sqlx"
)

// LookAlike is an Image block with the perceptual hash of its image.
type LookAlike struct {
	Block domain.BlockID
	Hash  int64
}

// What LookAlikes reads for each part of a hash. Plain images, such as white pages, agree in a part with many others.
const (
	maxAgreeing = 2_000 // files
	maxAlike    = 200   // blocks
)

// hashParts are the indexed parts of hashes. Hashes that differ in up to three bits agree in one of them.
var hashParts = []string{"(f.look_hash & 65535)", "((f.look_hash >> 16) & 65535)", "((f.look_hash >> 32) & 65535)", "((f.look_hash >> 48) & 65535)"}

// LookAlikes lists Image blocks that the viewer may see and whose hash agrees with one in a part. With own, they are
// the viewer's.
func (r NearbyReads) LookAlikes(ctx context.Context, viewer domain.UserID, hash int64, own bool) ([]LookAlike, error) {
	which, whose := access.VisibleBlock, ""
	if own {
		which, whose = "b.user_id = $1", " AND f.user_id = $1"
	}
	var args sqlx.Args
	args.Add(viewer)
	parts := make([]string, len(hashParts))
	for i, part := range hashParts {
		parts[i] = `SELECT * FROM (SELECT b.id, f.look_hash FROM (SELECT f.id, f.look_hash FROM files f WHERE f.look_hash IS NOT NULL AND ` +
			part + " = " + args.Add(hash>>(16*i)&65535) + whose + sqlx.Limit(args.Add(maxAgreeing)) + `) AS f JOIN blocks b ON b.image_id = f.id
			WHERE b.type = 'Image' AND ` + which + sqlx.Limit(args.Add(maxAlike)) + ") AS part"
	}
	rows, err := r.db.Query(ctx, strings.Join(parts, " UNION "), args...)
	return sqlx.Collect(ctx, rows, err, scanLookAlike)
}

// OwnLooks lists the newest Image blocks of a user that have a hash.
func (r NearbyReads) OwnLooks(ctx context.Context, user domain.UserID, limit int) ([]LookAlike, error) {
	rows, err := r.db.Query(ctx, `SELECT b.id, f.look_hash FROM blocks b JOIN files f ON f.id = b.image_id
		WHERE b.user_id = $1 AND b.type = 'Image' AND f.look_hash IS NOT NULL ORDER BY b.created_at DESC, b.id DESC`+sqlx.Limit("$2"), user, limit)
	return sqlx.Collect(ctx, rows, err, scanLookAlike)
}

func scanLookAlike(row sqlx.Row) (l LookAlike, err error) {
	err = row.Scan(&l.Block, &l.Hash)
	return l, err
}

// SamePages lists the blocks of a user that came from the same page as another of them, the newest page first, in groups
// by page.
func (r NearbyReads) SamePages(ctx context.Context, user domain.UserID, limit int) (groups [][]domain.BlockID, err error) {
	rows, err := r.db.Query(ctx, `SELECT d.item_id, d.source_key FROM search_documents d JOIN (
			SELECT source_key, max(item_id) AS newest FROM search_documents
			WHERE author_id = $1 AND kind = 'Block' AND type = 'Link' AND source_key <> 0 GROUP BY source_key HAVING count(*) > 1
			ORDER BY newest DESC`+sqlx.Limit("$2")+`) AS twice ON twice.source_key = d.source_key
		WHERE d.author_id = $1 AND d.kind = 'Block' AND d.type = 'Link' ORDER BY twice.newest DESC, d.source_key, d.item_id`, user, limit)
	var last int64
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (id domain.BlockID, err error) {
		var page int64
		if err = row.Scan(&id, &page); err != nil {
			return id, err
		}
		if page != last {
			groups, last = append(groups, nil), page
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], id)
		return id, nil
	})
	return groups, err
}

package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/access"
	"vitrine/internal/store/blobs"
	"vitrine/internal/store/rowmap"
	"vitrine/internal/store/search"
	"vitrine/internal/store/sqlx"
)

var (
	blockByID        = "SELECT " + rowmap.BlockColumns + rowmap.BlockFrom + "WHERE b.id = $2 AND "
	visibleBlockByID = blockByID + access.VisibleBlock
	guestBlockByID   = blockByID + access.GuestBlock
	anyBlock         = "SELECT " + rowmap.BlockColumns + rowmap.BlockFrom + "WHERE b.id = $1"
)

// Block reads a block that the viewer may see.
func (r BlockReads) Block(ctx context.Context, viewer domain.UserID, id domain.BlockID) (domain.Block, error) {
	return r.oneBlock(ctx, r.q.db.QueryRow(database.Uninterruptible(ctx), access.For(viewer, visibleBlockByID, guestBlockByID), viewer, id))
}

const blockRevisionByID = "SELECT " + rowmap.BlockRevisionColumns + rowmap.BlockFrom + "WHERE b.id = $2 AND "

// plainRevision is blockRevisionByID for most reads. It finds a block that is open or by the viewer,
// unless transitions are pending.
var plainRevision = access.Settled(blockRevisionByID) + "(b.open_count > 0 OR b.user_id = $1) AND NOT " + access.Pending

// BlockRevision reads the stamp of a block that the viewer may see.
func (r BlockReads) BlockRevision(ctx context.Context, viewer domain.UserID, id domain.BlockID) (domain.BlockRevision, error) {
	ctx = database.Uninterruptible(ctx)
	s, err := rowmap.ScanBlockRevision(r.q.db.QueryRow(ctx, plainRevision, viewer, id))
	if errors.Is(err, database.ErrNoRows) {
		s, err = rowmap.ScanBlockRevision(r.q.db.QueryRow(ctx,
			access.For(viewer, blockRevisionByID+access.VisibleBlock, blockRevisionByID+access.GuestBlock), viewer, id))
	}
	return s, sqlx.Found(err)
}

// Block reads a block that the viewer may see. Its files take a second statement, but both return
// one state, because the row of a file never changes. If a file was deleted in between, Block
// reads everything again in a snapshot.
func (s *Store) Block(ctx context.Context, viewer domain.UserID, id domain.BlockID) (domain.Block, error) {
	b, err := s.Queries.Blocks().Block(ctx, viewer, id)
	if err != nil || !lacksFile(b) {
		return b, err
	}
	err = s.InSnapshot(ctx, func(v *Snapshot) error {
		b, err = v.Blocks().Block(ctx, viewer, id)
		return err
	})
	return b, err
}

// lacksFile reports whether a file of the block was deleted before its row was read.
func lacksFile(b domain.Block) bool {
	return b.Image != nil && b.Image.ID == 0 || b.File != nil && b.File.ID == 0
}

// AnyBlock reads a block without checking access.
func (r BlockReads) AnyBlock(ctx context.Context, id domain.BlockID) (domain.Block, error) {
	return r.oneBlock(ctx, r.q.db.QueryRow(database.Uninterruptible(ctx), anyBlock, id))
}

func (r BlockReads) oneBlock(ctx context.Context, row sqlx.Row) (b domain.Block, err error) {
	if err := rowmap.ReadBlock(sqlx.Charged(ctx, row), &b); err != nil {
		return b, sqlx.Found(err)
	}
	return b, r.readFiles(ctx, &b)
}

// BlocksByID reads blocks whose visibility is already known, without the parts that lists omit
// (rowmap.ListedBlockColumns). Use AnyBlock or LockedBlock for a block that is written back.
func (r BlockReads) BlocksByID(ctx context.Context, ids []domain.BlockID) (map[domain.BlockID]*domain.Block, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return r.listed(database.Uninterruptible(ctx), len(ids), r.q.db.In("b.id", "$1"), sqlx.IDs(r.q.db.Dialect, ids))
}

// VisibleBlocksByID is BlocksByID for blocks that the viewer may not be able to see.
func (r BlockReads) VisibleBlocksByID(ctx context.Context, viewer domain.UserID, ids []domain.BlockID) (map[domain.BlockID]*domain.Block, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return r.listed(ctx, len(ids), r.q.db.In("b.id", "$2")+" AND "+access.For(viewer, access.VisibleBlock, access.GuestBlock),
		viewer, sqlx.IDs(r.q.db.Dialect, ids))
}

// BlockRevisions reads the stamps of blocks whose visibility is already known. If finished is set, it omits the blocks of
// others than the viewer whose content is pending or failed.
func (r BlockReads) BlockRevisions(ctx context.Context, viewer domain.UserID, ids []domain.BlockID, finished bool) (map[domain.BlockID]domain.BlockRevision, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.q.db.Query(database.Uninterruptible(ctx), "SELECT "+rowmap.BlockRevisionColumns+rowmap.BlockFrom+"WHERE "+r.q.db.In("b.id", "$2")+
		" AND (b.state = 'available' OR b.user_id = $1 OR NOT CAST($3 AS BOOLEAN))", viewer, sqlx.IDs(r.q.db.Dialect, ids), finished)
	all, err := sqlx.Collect(ctx, rows, err, rowmap.ScanBlockRevision)
	return sqlx.ByID(all, func(r domain.BlockRevision) domain.BlockID { return r.ID }), err
}

// listed reads about n blocks that meet a condition, without the parts that lists omit.
func (r BlockReads) listed(ctx context.Context, n int, where string, args ...any) (map[domain.BlockID]*domain.Block, error) {
	rows, err := r.q.db.Query(ctx, "SELECT "+rowmap.ListedBlockColumns+rowmap.BlockFrom+"WHERE "+where, args...)
	all, err := sqlx.CollectPage(ctx, rows, err, n, rowmap.ReadBlock)
	if err != nil {
		return nil, err
	}
	with := make([]*domain.Block, len(all))
	for i := range all {
		with[i] = &all[i]
	}
	err = r.readFiles(ctx, with...)
	return sqlx.ByID(with, func(b *domain.Block) domain.BlockID { return b.ID }), err
}

// BlocksForGuests reports which of the blocks guests can see.
func (r BlockReads) BlocksForGuests(ctx context.Context, ids []domain.BlockID) (map[domain.BlockID]bool, error) {
	seen := map[domain.BlockID]bool{}
	if len(ids) == 0 {
		return seen, nil
	}
	rows, err := r.q.db.Query(ctx, "SELECT b.id FROM blocks b WHERE "+r.q.db.In("b.id", "$2")+" AND "+access.GuestBlock, 0, sqlx.IDs(r.q.db.Dialect, ids))
	_, err = sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (id domain.BlockID, err error) {
		err = row.Scan(&id)
		seen[id] = true
		return id, err
	})
	return seen, err
}

// LockedBlock reads and locks a block that the viewer may see, in one statement. If it had to wait
// for the lock, the access check may be outdated, so it reads everything again.
func (w BlockWrites) LockedBlock(ctx context.Context, viewer domain.UserID, id domain.BlockID) (domain.Block, error) {
	var unmoved bool
	b, err := w.oneBlock(ctx, alongside{w.tx.db.QueryRow(ctx, "SELECT "+rowmap.BlockColumns+", "+w.tx.db.Unmoved("blocks", "b")+rowmap.BlockFrom+
		"WHERE b.id = $2 AND "+access.VisibleBlock+w.tx.db.ForUpdate("b"), viewer, id), &unmoved})
	if err == nil {
		err = w.tx.mayLoad(ctx, domain.Subject{Type: domain.SubjectBlock, ID: int64(id)})
	}
	if err != nil || unmoved {
		return b, err
	}
	return w.Block(ctx, viewer, id)
}

// alongside scans one additional column after the others.
type alongside struct {
	sqlx.Row
	last any
}

func (a alongside) Scan(dest ...any) error { return a.Row.Scan(append(dest, a.last)...) }

// LockBlock locks a block against changes until the transaction ends.
func (w BlockWrites) LockBlock(ctx context.Context, id domain.BlockID) error {
	if !w.tx.db.LocksRows() {
		return nil
	}
	_, err := sqlx.ScanInt64(w.tx.db.QueryRow(ctx, "SELECT b.id FROM blocks b WHERE b.id = $1"+w.tx.db.ForUpdate("b"), id))
	return sqlx.Found(err)
}

// Touch increases the version of a locked block, because something that its page shows has changed.
func (w BlockWrites) Touch(ctx context.Context, id domain.BlockID) error {
	return w.tx.db.ExecOne(ctx, `UPDATE blocks SET version = version + 1 WHERE id = $1`, id)
}

var (
	insertBlock = rowmap.Blocks.Insert() + " RETURNING id"
	updateBlock = assignBlock(sqlx.Update) + " RETURNING version"
	fillBlock   = assignBlock(sqlx.Fill)
)

func assignBlock(use sqlx.Use) string {
	return "UPDATE blocks SET " + rowmap.Blocks.Assign(use, 3) + ", version = version + 1, updated_at = $2 WHERE id = $1"
}

// CreateBlock creates a block that is in no channel yet. See CreateBlockIn.
func (w BlockWrites) CreateBlock(ctx context.Context, b domain.Block, now time.Time) (domain.BlockID, error) {
	made, err := w.CreateBlockIn(ctx, b, now)
	return made.ID, err
}

// CreateBlockIn creates a block by b.Author from its type, state, texts, source, files, embed and
// metadata, connects it to locked channels, and returns it. It keeps the times of an imported
// block.
func (w BlockWrites) CreateBlockIn(ctx context.Context, b domain.Block, now time.Time, channels ...NewConnection) (domain.Block, error) {
	for _, n := range channels {
		open, private := search.Placed(n.Channel.Visibility, 1)
		b.OpenCount, b.PrivateCount = b.OpenCount+open, b.PrivateCount+private
	}
	b.Version = 1
	if b.CreatedAt.IsZero() {
		b.CreatedAt, b.UpdatedAt = sqlx.Time(sqlx.Micros(now)), sqlx.Time(sqlx.Micros(now))
	}
	err := w.tx.db.LaterEach(ctx, func(row sqlx.Row) error { return row.Scan(&b.ID) }, nil, insertBlock, rowmap.BlockArgs(sqlx.Insert, &b)...)
	if err == nil {
		w.tx.grow(domain.UserID(b.Author.ID), 0, blockBytes(b))
		err = w.tx.readStored(ctx)
	}
	created := sync.OnceValue(func() domain.ItemRef {
		w.tx.documents().Add(search.DocumentOfBlock(b))
		return domain.BlockRef(b.ID)
	})
	for _, n := range channels {
		if err == nil {
			_, err = w.tx.Connections().connect(ctx, n, entering{updatedAt: sqlx.Micros(b.UpdatedAt), created: created}, &domain.Connection{})
		}
	}
	if err == nil && b.ID == 0 {
		err = w.tx.db.Sync(ctx)
	}
	if err != nil {
		return b, err
	}
	created()
	return b, nil
}

// UpdateBlock writes the columns of a locked block that its author can change (sqlx.Update). It sets the new version and
// time of change in b.
func (w BlockWrites) UpdateBlock(ctx context.Context, was domain.Block, b *domain.Block, now time.Time) error {
	b.UpdatedAt = sqlx.Time(sqlx.Micros(now))
	err := w.tx.db.QueryRow(ctx, updateBlock, rowmap.BlockArgs(sqlx.Update, b, b.ID, sqlx.Micros(now))...).Scan(&b.Version)
	if err != nil {
		return err
	}
	w.tx.grow(domain.UserID(b.Author.ID), blockBytes(was), blockBytes(*b))
	w.tx.documents().Reword(search.DocumentOfBlock(*b))
	return w.tx.deltas().TouchBlock(ctx, b.ID, was.UpdatedAt, now)
}

// BlockConnections returns the connections of a block without checking access.
func (r BlockReads) BlockConnections(ctx context.Context, id domain.BlockID) ([]domain.Connection, error) {
	rows, err := r.q.db.Query(ctx, "SELECT "+rowmap.ConnectionColumns+" FROM connections c "+rowmap.ConnectionMaker+
		" WHERE c.item_type = 'Block' AND c.item_id = $1 ORDER BY c.channel_id", id)
	return sqlx.Collect(ctx, rows, err, rowmap.ScanConnection)
}

// LockBlockInChannels locks the channels that contain blocks, and then the blocks, after which no
// channel can be added. It returns the connections of the first block.
func (w BlockWrites) LockBlockInChannels(ctx context.Context, ids ...domain.BlockID) ([]domain.Connection, error) {
	ordered := slices.Sorted(slices.Values(ids))
	for range 2 { // the second time for channels added before the blocks were locked
		var channels []domain.ChannelID
		for _, id := range ids {
			conns, err := w.BlockConnections(ctx, id)
			if err != nil {
				return nil, err
			}
			for _, c := range conns {
				channels = append(channels, c.ChannelID)
			}
		}
		if err := w.tx.Channels().LockChannels(ctx, channels...); err != nil {
			return nil, err
		}
		for _, id := range ordered {
			if err := w.LockBlock(ctx, id); err != nil {
				return nil, err
			}
		}
	}
	return w.BlockConnections(ctx, ids[0])
}

// DeleteBlock deletes a locked block that is in no channel any more, with its comments, its files,
// its upload, and the activities about it.
func (w BlockWrites) DeleteBlock(ctx context.Context, id domain.BlockID, now time.Time) error {
	rows, err := w.tx.db.Query(ctx, `SELECT id FROM comments WHERE block_id = $1 UNION ALL SELECT id FROM hidden_comments WHERE block_id = $1`, id)
	comments, err := sqlx.Collect(ctx, rows, err, sqlx.ScanInt64)
	if err != nil {
		return err
	}
	if err := w.tx.db.Exec(ctx, `DELETE FROM comments WHERE block_id = $1`, id); err != nil {
		return err
	}
	rows, err = w.tx.db.Query(ctx, `DELETE FROM processings WHERE block_id = $1 RETURNING COALESCE(upload_id, 0), COALESCE(poster_upload_id, 0)`, id)
	used, err := sqlx.Collect(ctx, rows, err, func(row sqlx.Row) (u domain.BlockUploads, err error) {
		err = row.Scan(&u.UploadID, &u.PosterID)
		return u, err
	})
	if err != nil {
		return err
	}
	var image, file *domain.FileID
	err = w.tx.db.QueryRow(ctx, `DELETE FROM blocks WHERE id = $1 RETURNING image_id, file_id`, id).Scan(&image, &file)
	if err != nil {
		return sqlx.Found(err)
	}
	if err := w.tx.documents().Remove(ctx, domain.SubjectBlock, int64(id)); err != nil {
		return err
	}
	if err := w.tx.Versions().DropVersions(ctx, domain.BlockRef(id).Subject()); err != nil {
		return err
	}
	if err := blobs.DeleteFiles(ctx, w.tx.Blobs(), ids(image, file)...); err != nil {
		return err
	}
	for _, u := range used {
		for _, upload := range []domain.UploadID{u.UploadID, u.PosterID} {
			if upload == 0 {
				continue
			}
			if err := w.tx.Blobs().DropUpload(ctx, upload, now); err != nil {
				return err
			}
		}
	}
	return w.tx.Activity().ForgetBlock(ctx, id, comments)
}

func (r BlockReads) readFiles(ctx context.Context, blocks ...*domain.Block) error {
	var ids []domain.FileID
	for _, b := range blocks {
		for _, f := range []*domain.File{b.Image, b.File} {
			if f != nil {
				ids = append(ids, f.ID)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	files, err := r.q.Blobs().FilesByID(ctx, ids)
	if err != nil {
		return err
	}
	for _, b := range blocks {
		for _, at := range []*domain.File{b.Image, b.File} {
			if at != nil {
				*at = files[at.ID]
			}
		}
	}
	return nil
}

// ids returns the ids that are not nil.
func ids(all ...*domain.FileID) (some []domain.FileID) {
	for _, id := range all {
		if id != nil {
			some = append(some, *id)
		}
	}
	return some
}

// FillBlock writes the content of a locked block (sqlx.Fill), and deletes the previous files.
func (w BlockWrites) FillBlock(ctx context.Context, was, b domain.Block, now time.Time) error {
	err := w.tx.db.ExecOne(ctx, fillBlock, rowmap.BlockArgs(sqlx.Fill, &b, b.ID, sqlx.Micros(now))...)
	if err != nil {
		return err
	}
	w.tx.grow(domain.UserID(b.Author.ID), blockBytes(was), blockBytes(b))
	w.tx.documents().Refresh(domain.SubjectBlock, int64(b.ID))
	if err := blobs.DeleteFiles(ctx, w.tx.Blobs(), was.FileIDs()...); err != nil {
		return err
	}
	return w.tx.deltas().TouchBlock(ctx, b.ID, was.UpdatedAt, now)
}

package store

import (
	"context"
	"fmt"
	"slices"
	"vitrine/internal/domain"

	"vitrine/internal/store/derived"
	"vitrine/internal/store/sqlx"
)

const (
	repairRows  = 50     // repaired by one transaction
	repairFound = 10_000 // returned by one run of a check
)

// Repair runs each check and repairs its findings in small transactions. It returns the remaining
// differences, at most `limit` of each kind. It deletes nothing that users created.
func (s *Store) Repair(ctx context.Context, limit int, onProgress func(Checked)) (left []Difference, err error) {
	all := append(allChecks(), sqlx.Check{What: wordsCheck})
	for n, c := range all {
		at := Checked{What: c.What, N: n + 1, Of: len(all)}
		onProgress(at)
		found, err := s.repairCheck(ctx, c, func(repaired int) {
			at.Repaired += repaired
			onProgress(at)
		})
		if err != nil {
			return left, fmt.Errorf("%s: %w", c.What, err)
		}
		at.Found, at.Ended = len(found), true
		onProgress(at)
		left = append(left, found[:min(len(found), limit)]...)
	}
	return left, nil
}

// repairCheck repairs until the check finds only rows that were tried before, and returns those.
func (s *Store) repairCheck(ctx context.Context, c sqlx.Check, onProgress func(repaired int)) (found []Difference, err error) {
	put, tried := derived.RepairOf(c), map[int64]bool{}
	for {
		err := s.InSnapshot(ctx, func(v *Snapshot) (err error) {
			found, err = v.found(ctx, c, repairFound)
			return err
		})
		if err != nil || put == nil {
			return found, err
		}
		var ids []int64
		for _, d := range found {
			if !tried[d.ID] {
				tried[d.ID] = true
				ids = append(ids, d.ID)
			}
		}
		if ids == nil {
			return found, nil
		}
		slices.Sort(ids)
		for some := range slices.Chunk(ids, repairRows) {
			err := s.InTx(ctx, func(tx *Tx) error {
				on := derived.RepairTx{RepairStatements: repairs{tx}, DB: tx.db, Deltas: tx.deltas(), Documents: tx.documents()}
				for _, id := range some {
					if err := put(ctx, on, c, id); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return found, err
			}
			onProgress(len(some))
		}
	}
}

// repairs provides the statements that repairs need from several topics.
type repairs struct{ *Tx }

func (r repairs) LockChannels(ctx context.Context, ids ...domain.ChannelID) error {
	return r.Channels().LockChannels(ctx, ids...)
}

func (r repairs) LockGroupWithChannels(ctx context.Context, id domain.GroupID) error {
	return r.Groups().LockGroupWithChannels(ctx, id)
}

func (r repairs) Rebuild(ctx context.Context, id domain.ChannelID) error {
	return r.Bulk().Rebuild(ctx, id)
}

func (r repairs) RecountFollowers(ctx context.Context, id int64) error {
	return r.Activity().RecountFollowers(ctx, id)
}

func (r repairs) RecountBytes(ctx context.Context, id domain.UserID) error {
	return r.Counters().RecountBytes(ctx, id)
}

func (r repairs) UploadByID(ctx context.Context, id domain.UploadID) (domain.Upload, error) {
	return r.Blobs().UploadByID(ctx, id)
}

func (r repairs) Blob(ctx context.Context, id domain.BlobID) (domain.Blob, error) {
	return r.Blobs().Blob(ctx, id)
}

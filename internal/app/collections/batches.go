package collections

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"vitrine/internal/app/content"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
	"vitrine/internal/store"
)

// RunBatch is the job that creates the blocks of a batch.
type RunBatch struct {
	Batch string `json:"batch_id"`
}

// Kind implements jobs.Args.
func (RunBatch) Kind() string { return "run_batch" }

// CreateBatchInput contains blocks to create and where to connect each. In Plain channels, each new block goes on top.
// Placed channels have a position and metadata: every block is inserted at that position and pushes up the blocks before
// it, so later blocks are below earlier ones.
type CreateBatchInput struct {
	Plain, Placed []Target
	Blocks        []BlockInput
}

// batchChannel is the stored form of a channel of a batch.
type batchChannel struct {
	ID       domain.ChannelID `json:"id"`
	Position int64            `json:"position,omitempty"`
	Metadata domain.Metadata  `json:"metadata,omitempty"`
}

// CreateBatch accepts blocks to create in the background (behaviour.md section 12). It first checks all blocks and
// channels as if they were created now.
func (a *Collections) CreateBatch(ctx context.Context, actor domain.Actor, in CreateBatchInput) (b domain.Batch, err error) {
	if err := mayBatch(actor); err != nil {
		return b, err
	}
	targets, err := a.checkBatch(ctx, actor, in)
	if err != nil {
		return b, err
	}
	inputs := make([]string, len(in.Blocks))
	for i, block := range in.Blocks {
		text, err := json.Marshal(block)
		if err != nil {
			return b, fmt.Errorf("app: keep block %d of a batch: %w", i, err)
		}
		inputs[i] = string(text)
	}
	b = domain.Batch{ID: uuid.NewString(), By: actor, Total: int64(len(inputs)), CreatedAt: a.Now()}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		places, err := openPrivate(ctx, tx, actor, targets)
		if err != nil {
			return err
		}
		if err := tx.Bulk().AddBatch(ctx, b, keptPlaces(places), inputs); err != nil {
			return err
		}
		return tx.Enqueue(ctx, RunBatch{b.ID}, jobs.Attempts(batchJobAttempts), jobs.For(int64(actor.UserID)))
	})
	return b, err
}

// mayBatch refuses batches to tiers without them.
func mayBatch(actor domain.Actor) error {
	if actor.Tier != domain.TierPremium && actor.Tier != domain.TierSupporter {
		return domain.NewForbidden("Batches require the tier premium or supporter")
	}
	return nil
}

// checkBatch checks everything that does not depend on the channels, and returns the targets.
func (a *Collections) checkBatch(ctx context.Context, actor domain.Actor, in CreateBatchInput) (targets []target, err error) {
	var f domain.Faults
	switch {
	case len(in.Plain) == 0 && len(in.Placed) == 0:
		f.Add("channel_ids or channels", domain.FieldRequired, "one is required")
	case len(in.Plain) > 0 && len(in.Placed) > 0:
		f.Add("channel_ids, channels", domain.FieldExclusive, "give one or the other, not both")
	default:
		targets, err = checked(slices.Concat(in.Plain, in.Placed))
		if err := f.Include("", err); err != nil {
			return nil, err
		}
	}
	if !f.Count("blocks", len(in.Blocks), domain.MaxBatch) {
		return nil, f.Err()
	}
	for i, block := range in.Blocks {
		_, err := a.newBlock(ctx, actor, block)
		if err := f.IncludeItem("blocks", i, err); err != nil {
			return nil, err
		}
	}
	return targets, f.Err()
}

// openPrivate is openTargets for channels that must be private.
func openPrivate(ctx context.Context, tx *store.Tx, actor domain.Actor, targets []target) ([]place, error) {
	places, err := openTargets(ctx, tx, actor, targets, 0)
	if err != nil {
		return nil, err
	}
	for _, p := range places {
		if p.channel.Visibility != domain.Private {
			return nil, domain.NewUnprocessable("Channel " + p.channel.Slug + " is not private; a batch adds to private channels only")
		}
	}
	return places, nil
}

// keptPlaces returns the text that keptTargets reads.
func keptPlaces(places []place) string {
	all := make([]batchChannel, len(places))
	for i, p := range places {
		all[i] = batchChannel{p.channel.ID, p.target.Position, p.target.metadata}
	}
	text, _ := json.Marshal(all) // encoding numbers and text cannot fail
	return string(text)
}

func keptTargets(text string) ([]target, error) {
	var all []batchChannel
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, fmt.Errorf("app: read the channels of a batch: %w", err)
	}
	targets := make([]target, len(all))
	for i, c := range all {
		targets[i] = target{Target{Channel: domain.Ref{ID: int64(c.ID)}, Position: c.Position}, c.Metadata}
	}
	return targets, nil
}

// Batch returns the progress of a batch to its creator, for a day.
func (a *Collections) Batch(ctx context.Context, actor domain.Actor, id string) (b domain.Batch, err error) {
	if err := mayBatch(actor); err != nil {
		return b, err
	}
	if uuid.Validate(id) != nil { // not an id, and possibly not valid text for a database
		return b, domain.NewNotFound()
	}
	err = a.Store.InSnapshot(ctx, func(v *store.Snapshot) error {
		b, err = v.Bulk().Batch(ctx, actor.UserID, id, a.Now().Add(-content.KeptFor))
		return err
	})
	return b, err
}

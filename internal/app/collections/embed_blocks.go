package collections

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/embeddings"
	"vitrine/internal/store"
	stored "vitrine/internal/store/vectors"
	"vitrine/internal/vectors"
)

// Limits of the job that computes vectors.
const (
	textsAtOnce  = 64
	walkedAtOnce = 500             // documents
	maxText      = 2_000           // characters of a block
	shortText    = 500             // and if the endpoint refuses that
	batchTimeout = 2 * time.Minute // for a batch
	leaseTime    = batchTimeout + time.Minute
	walkInterval = 24 * time.Hour
	firstPause   = 15 * time.Second // after a failure; it doubles each time
	longestPause = 30 * time.Minute
)

// EmbedBlocks computes the vectors of all queued blocks. Only one process does so at a time. It may stop at any point and
// run again. After a failure of the endpoint it does nothing until the pause is over. If search by meaning is off, it only
// keeps further blocks from being queued.
func (a *Finder) EmbedBlocks(ctx context.Context) (err error) {
	m := a.Meaning
	if m == nil {
		return a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Vectors().Stop(ctx) })
	}
	if idle, err := a.Store.AtPrimary().Vectors().Idle(ctx, m.model(), a.Now()); idle || err != nil {
		return err
	}
	s, leased, err := a.leaseVectors(ctx)
	if !leased || err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, a.Note(ctx, func(ctx context.Context, tx *store.Tx) error { return tx.Vectors().Extend(ctx, time.UnixMicro(0)) }))
	}()
	for {
		var more bool
		err := a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
			if more, err = tx.Vectors().Walk(ctx, walkedAtOnce, a.Now(), walkInterval); err != nil {
				return err
			}
			return tx.Vectors().Extend(ctx, a.Now().Add(leaseTime))
		})
		if err != nil {
			return err
		}
		n := 0
		if !s.RetryAt.After(a.Now()) {
			if n, err = a.embedSome(ctx); err != nil {
				return err
			}
		}
		if n == 0 && !more {
			return nil
		}
	}
}

// leaseVectors reserves the job for this process, and reports whether no other process has it.
func (a *Finder) leaseVectors(ctx context.Context) (s stored.State, ok bool, err error) {
	err = a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
		now := a.Now()
		s, ok, err = tx.Vectors().Lease(ctx, a.Meaning.model(), now, now.Add(leaseTime))
		return err
	})
	return s, ok, err
}

// embedSome computes the vectors of the next queued blocks, and returns how many blocks it has read.
func (a *Finder) embedSome(ctx context.Context) (n int, err error) {
	m := a.Meaning
	waiting, err := a.Store.AtPrimary().Vectors().Waiting(ctx, m.private, textsAtOnce)
	if err != nil || len(waiting) == 0 {
		return 0, err
	}
	results := make([]stored.Result, 0, len(waiting))
	var send []stored.Waiting
	for _, w := range waiting {
		if w.State != "" {
			results = append(results, stored.Result{Waiting: w})
		} else {
			send = append(send, w)
		}
	}
	computed, failed := m.compute(ctx, send)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if failed == nil {
		failed = a.answered(ctx, &computed)
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error { return tx.Vectors().Put(ctx, m.client.Model(), append(results, computed...)) })
	if err == nil && failed != nil {
		err = a.failed(ctx, failed)
	}
	return len(waiting), err
}

// answered records the dimension of computed vectors. If it is another one than before, it drops the vectors the first
// time.
func (a *Finder) answered(ctx context.Context, computed *[]stored.Result) (err error) {
	for _, r := range *computed {
		if r.State != stored.Done {
			continue
		}
		var ok bool
		err := a.Store.InTx(ctx, func(tx *store.Tx) (err error) {
			ok, err = tx.Vectors().Answered(ctx, a.Meaning.client.Model(), int64(len(r.Vector)))
			return err
		})
		if err == nil && !ok {
			*computed = nil
			err = &embeddings.Error{Code: embeddings.Dimension}
		}
		return err
	}
	return nil
}

// failed records a failure of the endpoint, and returns it.
func (a *Finder) failed(ctx context.Context, failure error) error {
	now, code := a.Now(), embeddings.CodeOf(failure)
	err := a.Store.InTx(ctx, func(tx *store.Tx) error {
		s, err := tx.Vectors().Begin(ctx)
		if err != nil {
			return err
		}
		pause := min(firstPause<<min(s.Failures, 20), longestPause)
		pause -= rand.N(pause / 4) // so that several sites do not come back at the same time
		return tx.Vectors().Failed(ctx, string(code), now, now.Add(pause))
	})
	return errors.Join(fmt.Errorf("compute vectors: %w", failure), err)
}

// compute computes the vectors of texts. If the endpoint refuses them together, but not a text that is surely right, each
// is sent separately, and those that are refused again get no vector. After a failure it returns what it has.
func (m *Meaning) compute(ctx context.Context, all []stored.Waiting) (results []stored.Result, err error) {
	if len(all) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	texts := make([]string, len(all))
	for i, w := range all {
		texts[i] = beginning(w.Text, maxText)
	}
	got, err := m.client.Embed(ctx, texts)
	if err == nil {
		for i, w := range all {
			results = append(results, resultOf(w, got[i]))
		}
		return results, nil
	}
	if !isRefusal(err) {
		return nil, err
	}
	if _, probe := m.client.Embed(ctx, []string{"text"}); probe != nil {
		return nil, err
	}
	for i, w := range all {
		got, err := m.client.Embed(ctx, texts[i:i+1])
		if short := beginning(w.Text, shortText); err != nil && isRefusal(err) && short != texts[i] {
			got, err = m.client.Embed(ctx, []string{short})
		}
		switch {
		case err == nil:
			results = append(results, resultOf(w, got[0]))
		case isRefusal(err):
			w.State = stored.Refused
			results = append(results, stored.Result{Waiting: w})
		default:
			return results, err
		}
	}
	return results, nil
}

// isRefusal reports whether an error may be about one text. Some servers answer 500 for a text that is too long.
func isRefusal(err error) bool {
	code := embeddings.CodeOf(err)
	return code == embeddings.Refused || code == embeddings.Failing || code == embeddings.Values
}

func resultOf(w stored.Waiting, v []float32) stored.Result {
	values, ok := vectors.Quantised(v)
	if w.State = stored.Done; !ok {
		w.State = stored.Refused
	}
	return stored.Result{Waiting: w, Vector: values}
}

// beginning returns the first n characters of a text.
func beginning(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// VectorsWaiting returns the number of blocks without a current vector, and how often the endpoint has failed in a row.
func (a *Finder) VectorsWaiting(ctx context.Context) (waiting, failures int64, err error) {
	s, err := a.Store.Vectors().State(ctx)
	if err != nil {
		return 0, 0, err
	}
	waiting, err = a.Store.Vectors().CountWaiting(ctx)
	return waiting, s.Failures, err
}

// MeaningState is the state of search by meaning, for operators.
type MeaningState struct {
	stored.Counts
	Host, Model string
	Private     bool      // texts that not everyone sees are sent, too
	Full        bool      // there are more vectors than fit in memory
	Error       string    // code of the last failure, unless the endpoint has answered since; see embeddings.Code
	FailedAt    time.Time // when that was
}

// MeaningState returns the state of search by meaning, or nil if it is off.
func (a *Finder) MeaningState(ctx context.Context, actor domain.Actor) (*MeaningState, error) {
	if err := core.Operate(ctx, a.Store.Queries, actor); err != nil || a.Meaning == nil {
		return nil, err
	}
	s, err := a.Store.Vectors().State(ctx)
	if err != nil {
		return nil, err
	}
	counts, err := a.Store.Vectors().Counts(ctx)
	return &MeaningState{Counts: counts, Host: a.Meaning.client.Host(), Model: a.Meaning.client.Model(), Private: a.Meaning.private,
		Full: counts.Done > MaxVectors, Error: s.Error, FailedAt: s.FailedAt}, err
}

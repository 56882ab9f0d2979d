package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"vitrine/internal/obs"
	"vitrine/internal/scope"
)

// Outcome is the result of a run.
type Outcome string

// The outcomes of a run.
const (
	OutcomeDone    Outcome = "done"
	OutcomeFailed  Outcome = "failed"   // will be retried
	OutcomeGivenUp Outcome = "given_up" // will not be retried
	OutcomePutOff  Outcome = "put_off"  // postponed by the handler or by a shutdown
)

// runLogger is the middleware of all handlers: it logs each run, converts panics to errors, and puts jobs back
// that were cancelled by a shutdown.
type runLogger struct {
	river.MiddlewareDefaults
	log     *slog.Logger
	observe func(kind string, outcome Outcome, took time.Duration)
	tracer  *obs.Tracer
}

// Work implements rivertype.WorkerMiddleware. Its context ends on shutdown. The handler's context also
// ends at the job's timeout.
func (w *runLogger) Work(ctx context.Context, job *rivertype.JobRow, work func(context.Context) error) error {
	start := time.Now()
	var origin obs.Origin
	_ = json.Unmarshal(job.Metadata, &origin) // older jobs have none
	log := w.log.With("kind", job.Kind, "job", job.ID, "attempt", job.Attempt)
	inner, span := w.tracer.Root(ctx, obs.ConsumerSpan, job.Kind, origin.Trace, true)
	if span != nil {
		origin.Trace = span.Traceparent()
	}
	inner = scope.With(inner, &scope.Scope{Cause: origin, OwnCommit: true}) // jobs may have long transactions
	if origin.Request != "" {
		log = log.With("request_id", origin.Request)
	}
	if trace := origin.TraceID(); trace != "" {
		log = log.With("trace_id", trace)
	}
	err := guarded(inner, work)
	took := time.Since(start)
	outcome, err := judge(ctx, log.With("duration", took), job, err)
	w.observe(job.Kind, outcome, took)
	endSpan(span, job, origin, outcome)
	return err
}

// endSpan adds the same facts as the log message to a span. It omits the text of a handler's error, which
// may contain user data.
func endSpan(span *obs.Span, job *rivertype.JobRow, origin obs.Origin, outcome Outcome) {
	span.Number("vitrine.job.id", job.ID)
	span.Number("vitrine.job.attempt", int64(job.Attempt))
	span.Text("vitrine.job.outcome", string(outcome))
	span.Text("vitrine.request_id", origin.Request)
	if outcome == OutcomeFailed || outcome == OutcomeGivenUp {
		span.Fail(string(outcome))
	}
	span.End()
}

// judge returns the outcome of a run, and the error to return to River.
func judge(ctx context.Context, line *slog.Logger, job *rivertype.JobRow, err error) (Outcome, error) {
	var permanent *rivertype.JobCancelError
	var later *rivertype.JobSnoozeError
	switch {
	case err == nil:
		line.InfoContext(ctx, "job done")
		return OutcomeDone, nil
	case errors.As(err, &permanent):
		line.WarnContext(ctx, "job given up", "error", errors.Unwrap(permanent))
		return OutcomeGivenUp, err
	case errors.As(err, &later):
		if away, ok := errors.AsType[outage](err); ok {
			line.WarnContext(ctx, "job postponed because of an outage", "for", later.Duration, "error", away)
		} else {
			line.DebugContext(ctx, "job postponed", "for", later.Duration)
		}
		return OutcomePutOff, err
	case ctx.Err() != nil:
		line.InfoContext(ctx, "job returned to the queue", "error", err)
		return OutcomePutOff, river.JobSnooze(0) // does not use up an attempt
	case job.Attempt >= job.MaxAttempts:
		line.ErrorContext(ctx, "job given up", "error", err)
		return OutcomeGivenUp, err
	default:
		line.WarnContext(ctx, "job failed", "error", err)
		return OutcomeFailed, err
	}
}

func guarded(ctx context.Context, work func(context.Context) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return work(ctx)
}

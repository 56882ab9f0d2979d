package operating

import (
	"context"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/store"
)

// ReadOnlyInput describes the read-only mode to people.
type ReadOnlyInput struct {
	Reason string     // in the operator's words; "" for none
	Until  *time.Time // when it is expected to end; nil if unknown
}

// Validate checks the reason.
func (in ReadOnlyInput) Validate() error {
	var f domain.Faults
	f.OptionalText("reason", &in.Reason, domain.MaxReadOnlyReason)
	return f.Err()
}

// ReadOnly reads the mode of the site, nil if it is writable.
func (a *Operating) ReadOnly(ctx context.Context) (*domain.ReadOnly, error) {
	return a.Store.AtPrimary().Account().ReadOnly(ctx)
}

// Mode returns the mode as this server last read it, at most a second or two ago. It takes no statement.
func (a *Operating) Mode() *domain.ReadOnly { return a.Store.ReadOnly() }

// BeginReadOnly makes the site read-only, or changes the description of the mode. When it returns, no server commits a
// change any more; within two seconds all of them refuse changes before they do anything.
func (a *Operating) BeginReadOnly(ctx context.Context, o Operator, in ReadOnlyInput) (m domain.ReadOnly, err error) {
	if err := in.Validate(); err != nil {
		return m, err
	}
	if err := a.notPast(in.Until); err != nil {
		return m, err
	}
	m = domain.ReadOnly{Reason: in.Reason, Since: a.Now(), Until: in.Until}
	err = a.Store.PutReadOnly(ctx, &m, func(tx *store.Tx, was *domain.ReadOnly) error {
		if was != nil {
			m.Since = was.Since
		}
		return a.changeMode(ctx, tx, o, domain.ActReadOnlyBegun, map[string]any{"reason": in.Reason})
	})
	return m, err
}

// EndReadOnly makes the site writable again. was is the mode before, nil if it was writable.
func (a *Operating) EndReadOnly(ctx context.Context, o Operator) (was *domain.ReadOnly, err error) {
	err = a.Store.PutReadOnly(ctx, nil, func(tx *store.Tx, now *domain.ReadOnly) error {
		if was = now; was == nil {
			return o.Allowed(ctx, tx.Queries)
		}
		return a.changeMode(ctx, tx, o, domain.ActReadOnlyEnded, nil)
	})
	return was, err
}

// changeMode records a change of the mode by an operator.
func (a *Operating) changeMode(ctx context.Context, tx *store.Tx, o Operator, act domain.Act, details map[string]any) error {
	if err := o.Allowed(ctx, tx.Queries); err != nil {
		return err
	}
	return a.Audit(ctx, tx, o.Actor(), act, domain.AuditTarget{}, details)
}

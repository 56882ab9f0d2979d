package content

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"vitrine/internal/app/core"
	"vitrine/internal/capture"
	"vitrine/internal/domain"
	"vitrine/internal/fetch"
	"vitrine/internal/store"
	"vitrine/internal/weburl"
)

// of returns the operator's policy for the pages of a host.
func (s Snapshots) of(host string) domain.SnapshotPolicy {
	if s.Policy == domain.NoSnapshots {
		return s.Policy
	}
	for more := true; more; _, host, more = strings.Cut(host, ".") {
		if p, ok := s.Sites[host]; ok {
			return p
		}
	}
	return cmp.Or(s.Policy, domain.AskedSnapshots)
}

// operatorPolicy returns the operator's policy for the page of a block, or for all sites if it has none.
func (a *Content) operatorPolicy(b domain.Block) domain.SnapshotPolicy {
	host := ""
	if b.ValueURL != nil {
		if u, err := weburl.Parse(*b.ValueURL); err == nil {
			host = u.Hostname()
		}
	}
	return a.snapshots.of(host)
}

// Reasons why this server does not copy a page.
var (
	errNoSnapshots  = domain.NewUnprocessable("This site does not take copies of pages")
	errNotThisPage  = domain.NewUnprocessable("This site does not take copies of this page")
	errOwnSnapshots = domain.NewUnprocessable("The settings of this block or its channels allow no copies")
)

// SnapshotPolicies are the policies that apply to a block or a channel.
type SnapshotPolicies struct {
	Own       domain.SnapshotPolicy // as stored
	Effective domain.SnapshotPolicy
}

// snapshotPolicy returns the policies for a block of a web page or a mail. Channels count if the author of the block connected it to
// them: others cannot cause copies that count towards the author's quota, or prevent them.
func (a *Content) snapshotPolicy(ctx context.Context, q store.Queries, b domain.Block) (p SnapshotPolicies, err error) {
	own, channels, err := q.Blobs().SnapshotPolicies(ctx, b.ID, domain.UserID(b.Author.ID))
	return SnapshotPolicies{own, domain.ChooseSnapshotPolicy(a.operatorPolicy(b), own, channels...)}, err
}

// maySnapshot returns Unprocessable if this server never copies the page of a block, or the images of a mail.
func (a *Content) maySnapshot(ctx context.Context, q store.Queries, b domain.Block) error {
	switch {
	case !a.CanTakeSnapshots():
		return errNoSnapshots
	case a.operatorPolicy(b) == domain.NoSnapshots:
		return errNotThisPage
	}
	p, err := a.snapshotPolicy(ctx, q, b)
	if err == nil && p.Effective == domain.NoSnapshots {
		err = errOwnSnapshots
	}
	return err
}

// permitSnapshot returns an error for addresses of sites whose pages are never copied.
func (a *Content) permitSnapshot(_ context.Context, to *url.URL) error {
	if a.snapshots.of(to.Hostname()) == domain.NoSnapshots {
		return &fetch.Error{Reason: errNotThisPage.Message}
	}
	return nil
}

// RequestedSnapshot is RequestSnapshot, and returns the request.
func (a *Content) RequestedSnapshot(ctx context.Context, actor domain.Actor, block domain.BlockID) (q domain.SnapshotRequest, err error) {
	err = a.requestAnd(ctx, actor, block, func(tx *store.Tx) error {
		q, err = tx.Blobs().SnapshotRequest(ctx, block)
		return err
	})
	return q, err
}

// BlockSnapshotPolicy returns the policies for a block of the actor.
func (a *Content) BlockSnapshotPolicy(ctx context.Context, actor domain.Actor, b domain.Block) (p SnapshotPolicies, err error) {
	if err := hasPageCopies(ctx, a.Store.Queries, actor, b); err != nil {
		return p, err
	}
	return a.snapshotPolicy(ctx, a.Store.Queries, b)
}

// SetBlockSnapshotPolicy sets when this server copies the page of a block of the actor. "always" takes the first copy now.
func (a *Content) SetBlockSnapshotPolicy(ctx context.Context, actor domain.Actor, id domain.BlockID, policy domain.SnapshotPolicy) (p SnapshotPolicies, err error) {
	var f domain.Faults
	domain.Among(&f, "policy", policy, domain.SnapshotPolicies()...)
	if err := f.Err(); err != nil {
		return p, err
	}
	err = a.Store.InTx(ctx, func(tx *store.Tx) error {
		b, err := tx.Blocks().LockedBlock(ctx, actor.UserID, id)
		if err != nil {
			return err
		}
		if err := hasPageCopies(ctx, tx.Queries, actor, b); err != nil {
			return err
		}
		was, err := a.snapshotPolicy(ctx, tx.Queries, b)
		if p = was; err != nil || was.Own == policy.Stored() {
			return err
		}
		if err := tx.Blobs().SetSnapshotPolicy(ctx, b.ID, policy.Stored()); err != nil {
			return err
		}
		if p, err = a.snapshotPolicy(ctx, tx.Queries, b); err != nil {
			return err
		}
		if err := a.TakeFirst(ctx, tx, b); err != nil {
			return err
		}
		return a.copiesChanged(ctx, tx, b, "", false)
	})
	return p, err
}

// ChannelSnapshotPolicy returns the policies for a channel, for its owners and collaborators. The effective one is that for
// pages of sites without a policy.
func (a *Content) ChannelSnapshotPolicy(c domain.Channel) (p SnapshotPolicies, err error) {
	if c.Role < domain.RoleCollaborator {
		return p, core.Forbidden("see when pages of this channel are copied")
	}
	return SnapshotPolicies{c.Snapshots, domain.ChooseSnapshotPolicy(a.snapshots.of(""), "", c.Snapshots)}, nil
}

// BlockSnapshotPolicies returns the policies of those of the actor's own blocks that have their own.
func (a *Content) BlockSnapshotPolicies(ctx context.Context, actor domain.Actor, blocks []*domain.Block) (map[domain.BlockID]domain.SnapshotPolicy, error) {
	var own []domain.BlockID
	for _, b := range blocks {
		if domain.IsAuthor(actor, *b) && HasPage(*b) {
			own = append(own, b.ID)
		}
	}
	return a.Store.Blobs().BlockSnapshotPolicies(ctx, own)
}

// TakeFirst requests the first copy of the page of a locked Link if this server takes one of each. The author's quota and
// the page are checked when it is taken.
func (a *Content) TakeFirst(ctx context.Context, tx *store.Tx, b domain.Block) error {
	if b.Type != domain.LinkBlock || b.ValueURL == nil || !a.CanTakeSnapshots() {
		return nil
	}
	p, err := a.snapshotPolicy(ctx, tx.Queries, b)
	if err != nil || p.Effective != domain.EverySnapshot {
		return err
	}
	n, err := tx.Blobs().CountSnapshots(ctx, b.ID)
	if err != nil || n > 0 {
		return err
	}
	_, err = a.requestSnapshot(ctx, tx, domain.UserID(b.Author.ID), b.ID)
	return err
}

// missingParts converts the parts that a copy lacks.
func missingParts(all []capture.Missing) []domain.MissingPart {
	parts := make([]domain.MissingPart, len(all))
	for i, m := range all {
		parts[i] = domain.MissingPart(m)
	}
	return parts
}

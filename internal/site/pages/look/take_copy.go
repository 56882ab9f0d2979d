package look

import (
	"strconv"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// copyForm is the form that requests a copy of a block's page from this server.
type copyForm struct {
	Path   string
	Waits  bool   // a copy is being taken
	Reason string // why the last one could not be taken
}

// copyFormOf returns the form of a Link for a reader who can manage it, or nil.
func copyFormOf(v *web.Visit, b domain.Block, own bool) (*copyForm, error) {
	if !own || b.Type != domain.LinkBlock || b.ValueURL == nil || !v.App().Content.CanTakeSnapshots() {
		return nil, nil
	}
	policy, err := v.App().Content.BlockSnapshotPolicy(v.R.Context(), v.Actor(), b)
	if err != nil || policy.Effective == domain.NoSnapshots {
		return nil, err
	}
	f := &copyForm{Path: "/block/" + strconv.FormatInt(int64(b.ID), 10) + "/copy"}
	q, err := v.App().Content.SnapshotRequest(v.R.Context(), v.Actor(), b)
	switch {
	case domain.KindOf(err) == domain.NotFound:
		return f, nil
	case err != nil:
		return nil, err
	}
	if f.Waits = !q.Failed; q.Reason != "" {
		f.Reason = strings.TrimSuffix(v.Lang.Fault(q.Reason), ".")
	}
	return f, nil
}

// tag distinguishes the states of the form in an ETag.
func (f *copyForm) tag() string {
	if f == nil {
		return ""
	}
	return strconv.FormatBool(f.Waits) + f.Reason
}

// takeCopy requests a copy of a block's page from this server.
func takeCopy(v *web.Visit) error {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	if err := v.App().Content.RequestSnapshot(v.R.Context(), v.Actor(), domain.BlockID(id)); err != nil {
		return err
	}
	return v.Done("/block/"+strconv.FormatInt(id, 10), "copy")
}

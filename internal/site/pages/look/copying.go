package look

import (
	"strconv"
	"strings"

	"vitrine/internal/app/content"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// copying is the form that chooses when this server copies the page of a block.
type copying struct {
	content.SnapshotPolicies
	Path string
	All  []domain.SnapshotPolicy
}

// copyingOf returns the form of a block of a web page for a reader who can manage it, or nil.
func copyingOf(v *web.Visit, b domain.Block, own bool) (*copying, error) {
	if !own || !content.HasPage(b) {
		return nil, nil
	}
	p, err := v.App().Content.BlockSnapshotPolicy(v.R.Context(), v.Actor(), b)
	p.Own = p.Own.Shown()
	return &copying{p, "/block/" + strconv.FormatInt(int64(b.ID), 10) + "/copying", domain.SnapshotPolicies()}, err
}

// setCopying chooses when this server copies the page of a block.
func setCopying(v *web.Visit) error {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	_, err = v.App().Content.SetBlockSnapshotPolicy(v.R.Context(), v.Actor(), domain.BlockID(id), domain.SnapshotPolicy(v.Form().Get("policy")))
	if err != nil {
		return err
	}
	return v.Done("/block/"+strconv.FormatInt(id, 10)+"/copies", "copy-changed")
}

// maxAbsent is how many of the missing parts of a copy a list shows.
const maxAbsent = 20

// listAbsent sets the missing parts to show.
func (c *copyView) listAbsent(v *web.Visit) {
	c.Absent = c.Missing[:min(len(c.Missing), maxAbsent)]
	for i := range c.Absent {
		c.Absent[i].Reason = strings.TrimSuffix(v.Lang.Fault(c.Absent[i].Reason), ".")
	}
	c.More = c.Omitted - int64(len(c.Absent))
}

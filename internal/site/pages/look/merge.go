package look

import (
	"slices"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// mergeView is the data of the page that asks before blocks are merged.
type mergeView struct {
	Keep   present.Block
	IDs    string // of all, as the form sent them
	Cells  web.Cells
	Places int // channels that contain the others
}

// mergeOf reads the ids of a merge: the block that stays, and the others.
func mergeOf(keep, all string) (domain.BlockID, []domain.BlockID, error) {
	n, err := web.ID(keep)
	if err != nil {
		return 0, nil, err
	}
	var others []domain.BlockID
	for part := range strings.SplitSeq(all, ",") {
		id, err := web.ID(part)
		if err != nil {
			return 0, nil, err
		}
		if id != n && !slices.Contains(others, domain.BlockID(id)) {
			others = append(others, domain.BlockID(id))
		}
	}
	if len(others) == 0 || len(others) > collections.MaxMerged {
		return 0, nil, domain.NewNotFound()
	}
	return domain.BlockID(n), others, nil
}

// mergePage shows what a merge deletes.
func mergePage(v *web.Visit) error {
	keep, others, err := mergeOf(v.Query("keep"), v.Query("ids"))
	if err != nil {
		return err
	}
	shown := mergeView{IDs: v.Query("ids")}
	var blocks []domain.Block
	for _, id := range append([]domain.BlockID{keep}, others...) {
		b, err := v.App().Collections.Block(v.R.Context(), v.Actor(), id)
		if err != nil {
			return err
		}
		if !domain.CanManage(v.Actor(), b) {
			return domain.NewNotFound()
		}
		blocks = append(blocks, b)
		if id != keep {
			shown.Places += int(b.OpenCount + b.PrivateCount)
		}
	}
	shown.Keep, shown.Cells = v.Addresses().Block(&blocks[0]), blockCells(v, blocks[1:])
	return v.Page("merge", v.T("look.merge"), nil, shown)
}

// merge merges blocks into one of them.
func merge(v *web.Visit) error {
	f := v.Form()
	if f.Get("sure") != "yes" {
		return web.UnknownButton()
	}
	keep, others, err := mergeOf(f.Get("keep"), f.Get("ids"))
	if err != nil {
		return err
	}
	n, err := v.App().Collections.Merge(v.R.Context(), v.Actor(), keep, others)
	if err != nil {
		return err
	}
	return v.DoneSo("/search/duplicates", "merged", "", n)
}

package look

import (
	"slices"
	"strconv"

	"vitrine/internal/difference"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// copiesView is the data of the list of a block's saved copies.
type copiesView struct {
	Item    itemView
	Own     bool // the reader may share and delete them
	Browser bool // one takes pictures of the pages that this server copies
	All     []copyView
	Take    *copyForm // nil if the reader cannot request one

	Copying *copying // for its owner
}

// copyView is a saved copy in a list.
type copyView struct {
	domain.Snapshot
	Path     string
	Compare  string     // path of the comparison with the next older copy, or ""
	Pictures []copyView // that were taken with it

	Absent []domain.MissingPart // some of the parts that it lacks, with translated reasons
	More   int64                // number of the others
}

// copiesPage lists the saved copies of a block.
func copiesPage(v *web.Visit) error {
	b, err := blockOf(v)
	if err != nil {
		return err
	}
	shown := copiesView{Item: newItemView(v, &b), Own: domain.CanManage(v.Actor(), b), Browser: v.App().Content.HasBrowser()}
	all, err := v.App().Content.BlockSnapshots(v.R.Context(), v.Actor(), b)
	if err != nil {
		return err
	}
	if len(all) == 0 && !shown.Own {
		return domain.NewNotFound()
	}
	if shown.Take, err = copyFormOf(v, b, shown.Own); err != nil {
		return err
	}
	if shown.Copying, err = copyingOf(v, b, shown.Own); err != nil {
		return err
	}
	pictures := picturesOf(all)
	for i, s := range all {
		one := copyView{Snapshot: s, Path: present.SnapshotPath(s)}
		if one.HasCompany() {
			one.Pictures = pictures[s.TakenAt]
			delete(pictures, s.TakenAt)
		}
		if s.Accompanies() && hasPage(all, s.TakenAt) {
			continue
		}
		one.listAbsent(v)
		for _, older := range all[i+1:] {
			if s.Kind == domain.SnapshotPage && older.Kind == domain.SnapshotPage {
				one.Compare = one.Path + "/compare/" + strconv.FormatInt(int64(older.ID), 10)
				break
			}
		}
		shown.All = append(shown.All, one)
	}
	return v.Page("copies", v.T("look.copies.title", shown.Item.Heading), nil, shown)
}

func blockOf(v *web.Visit) (b domain.Block, err error) {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return b, err
	}
	return v.App().Collections.Block(v.R.Context(), v.Actor(), domain.BlockID(id))
}

// snapshotOf reads the saved copy that an argument of the path names, of the block in the path.
func snapshotOf(v *web.Visit, arg int) (s domain.Snapshot, b domain.Block, err error) {
	id, err := web.ID(v.Args[arg])
	if err != nil {
		return s, b, err
	}
	block, err := web.ID(v.Args[0])
	if err != nil {
		return s, b, err
	}
	s, b, err = v.App().Content.Snapshot(v.R.Context(), v.Actor(), domain.SnapshotID(id))
	if err == nil && s.Block != domain.BlockID(block) {
		err = domain.NewNotFound()
	}
	return s, b, err
}

// copyPage answers with a saved copy itself.
func copyPage(v *web.Visit) error {
	s, _, err := snapshotOf(v, 1)
	if err != nil {
		return err
	}
	return v.ShowSnapshot(s)
}

// changeCopy shares, stops sharing or deletes a saved copy.
func changeCopy(v *web.Visit) error {
	s, b, err := snapshotOf(v, 1)
	if err != nil {
		return err
	}
	ctx, note := v.R.Context(), "copy-changed"
	switch do := v.Form().Get("do"); do {
	case "share", "unshare":
		_, err = v.App().Content.ShareSnapshot(ctx, v.Actor(), s.ID, do == "share")
	case "delete":
		note, err = "copy-deleted", v.App().Content.DeleteSnapshot(ctx, v.Actor(), s.ID)
	default:
		err = web.UnknownButton()
	}
	if err != nil {
		return err
	}
	return v.Done(v.Addresses().Block(&b).Snapshots(), note)
}

// comparisonView is the data of a comparison of two saved copies.
type comparisonView struct {
	Item          itemView
	Before, After copyView
	Parts         []comparedPart
	Same          bool
}

// comparedPart is a part of a comparison. A long part without changes is folded.
type comparedPart struct {
	Folded bool
	Lines  []difference.Part
}

// keptAround is how many unchanged lines are shown before and after changes. Fewer than minFolded others are not folded.
const keptAround, minFolded = 2, 3

// comparedParts folds the unchanged lines of a comparison that are far from changes.
func comparedParts(lines []difference.Part) (parts []comparedPart) {
	shown := 0 // lines up to here are in parts
	for start := 0; start < len(lines); {
		end := start
		for end < len(lines) && lines[end].Kind == difference.Kept {
			end++
		}
		from, to := start, end
		if start > 0 {
			from += keptAround
		}
		if end < len(lines) {
			to -= keptAround
		}
		if to-from >= minFolded {
			if from > shown {
				parts = append(parts, comparedPart{Lines: lines[shown:from]})
			}
			parts = append(parts, comparedPart{Folded: true, Lines: lines[from:to]})
			shown = to
		}
		start = end + 1
	}
	if shown < len(lines) {
		parts = append(parts, comparedPart{Lines: lines[shown:]})
	}
	return parts
}

// compareCopies shows the differences between the texts of two saved copies.
func compareCopies(v *web.Visit) error {
	after, b, err := snapshotOf(v, 1)
	if err != nil {
		return err
	}
	before, _, err := snapshotOf(v, 2)
	if err != nil {
		return err
	}
	shown := comparisonView{Item: newItemView(v, &b), Before: copyView{Snapshot: before, Path: present.SnapshotPath(before)},
		After: copyView{Snapshot: after, Path: present.SnapshotPath(after)}}
	lines := difference.Lines(before.Text, after.Text)
	shown.Same = !slices.ContainsFunc(lines, func(l difference.Part) bool { return l.Kind != difference.Kept })
	shown.Parts = comparedParts(lines)
	return v.Page("compare", v.T("look.copies.compare.title", shown.Item.Heading), nil, shown)
}

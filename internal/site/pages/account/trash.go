package account

import (
	"vitrine/internal/app/collections"
	"vitrine/internal/app/core"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// trashPerPage is how many things the page lists.
const trashPerPage = 25

// trashed is something in Trash.
type trashed struct {
	collections.TrashedThing
	Places []present.Channel
	On     *present.Block
	By     present.Principal
	Mine   bool // the reader deleted it
}

// trashView is a page of Trash.
type trashView struct {
	Days   int // how long things stay, 0 if Trash is off
	Things []trashed
	Newest domain.TrashID // the last deleted thing on the page
	Pager  web.Pager
}

// trashPage lists what the reader can restore.
func trashPage(v *web.Visit) error {
	n, err := v.PageNumber()
	if err != nil {
		return err
	}
	at := domain.Page{Number: n, Per: trashPerPage}
	l, err := v.App().Collections.Trash(v.R.Context(), v.Actor(), at)
	if err != nil {
		return err
	}
	shown := trashView{Days: int(v.App().Collections.TrashKept() / core.Day), Pager: v.Pager(at, l.Total)}
	for i := range l.Items {
		t := &l.Items[i]
		one := trashed{TrashedThing: *t, By: v.Addresses().Principal(&t.DeletedBy), Mine: t.DeletedBy.PrincipalRef == domain.UserRef(v.Actor().UserID)}
		for j := range t.Places {
			one.Places = append(one.Places, v.Addresses().Channel(&t.Places[j]))
		}
		if t.On != nil {
			on := v.Addresses().Block(t.On)
			one.On = &on
		}
		shown.Things = append(shown.Things, one)
		shown.Newest = max(shown.Newest, t.ID)
	}
	return v.Page("trash", v.T("account.title.trash"), nil, shown)
}

// changeTrash restores something, deletes it for good, or empties Trash.
func changeTrash(v *web.Visit) error {
	f, all := v.Form(), v.App().Collections
	do := "restore"
	for _, button := range []string{"purge", "empty"} {
		if f.Get(button) != "" {
			do = button
		}
	}
	id, err := web.ID(f.Get(do))
	if err != nil {
		return err
	}
	switch do {
	case "purge":
		if err := all.PurgeTrashed(v.R.Context(), v.Actor(), domain.TrashID(id)); err != nil {
			return err
		}
		return v.Done("/settings/trash", "purged")
	case "empty":
		if err := all.EmptyTrash(v.R.Context(), v.Actor(), domain.TrashID(id)); err != nil {
			return err
		}
		return v.Done("/settings/trash", "emptied")
	}
	r, err := all.RestoreTrashed(v.R.Context(), v.Actor(), domain.TrashID(id))
	if err != nil {
		return err
	}
	if r.Lost > 0 {
		return v.DoneSo(r.Path, "restored-some", "", r.Lost)
	}
	return v.Done(r.Path, "restored")
}

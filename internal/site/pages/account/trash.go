package account

import (
	"strings"

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
	Own    bool // the reader may delete it for good
	Names  []trashedName
	More   int // number of items without a name here
}

// trashedName is the name of a removed item. The path is empty if the reader does not see the item any more.
type trashedName struct{ Name, Path string }

// name names something that was removed, for the page and for its buttons.
func (t *trashed) name(v *web.Visit) {
	names := make([]string, 0, len(t.Items))
	for _, i := range t.Items {
		e := v.Addresses().Entity(domain.Entity{Block: i.Block, Channel: i.Channel})
		n := trashedName{Name: e.Heading()}
		if i.Seen {
			n.Path = e.Path()
		}
		t.Names, names = append(t.Names, n), append(names, n.Name)
	}
	t.More = t.Count - len(t.Items)
	if t.Label = strings.Join(names, ", "); len(names) == 0 {
		t.Label = v.T("account.trash.items", t.More)
	}
}

// trashView is a page of Trash.
type trashView struct {
	Days   int // how long things stay, 0 if Trash is off
	Things []trashed
	Newest domain.TrashID // the last deleted thing on the page that the reader may delete for good, 0 for none
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
		one.Own = t.Owner.Type == domain.TypeGroup || t.Owner == domain.UserRef(v.Actor().UserID)
		if t.Kind == domain.TrashedConnection {
			one.name(v)
		}
		for j := range t.Places {
			one.Places = append(one.Places, v.Addresses().Channel(&t.Places[j]))
		}
		if t.On != nil {
			on := v.Addresses().Block(t.On)
			one.On = &on
		}
		shown.Things = append(shown.Things, one)
		if one.Own {
			shown.Newest = max(shown.Newest, t.ID)
		}
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

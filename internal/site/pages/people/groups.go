package people

import (
	"net/http"
	"net/url"

	"vitrine/internal/app/core"
	"vitrine/internal/app/people"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// listed is the number of items per page of a list.
const listed = 50

// groups lists the reader's groups.
func groups(v *web.Visit) error {
	n, err := v.PageNumber()
	if err != nil {
		return err
	}
	at := domain.Page{Number: n, Per: listed}
	all, err := v.App().People.UserGroups(v.R.Context(), v.Actor(), domain.Ref{ID: int64(v.Account.ID)}, domain.GroupSort{}, at)
	if err != nil {
		return err
	}
	things := make([]domain.Entity, len(all.Items))
	for i := range all.Items {
		things[i].Group = &all.Items[i]
	}
	data := struct {
		Cells web.Cells
		Pager web.Pager
	}{v.Cells(things), v.Pager(at, all.Total)}
	v.Wide = true
	return v.Page("groups", v.T("people.groups"), nil, data)
}

// newGroupPage shows the form for a new group.
func newGroupPage(v *web.Visit) error { return showNewGroup(v, nil) }

func showNewGroup(v *web.Visit, f *web.Form) error {
	return v.Page("group-new", v.T("people.groups.new"), f, nil)
}

// newGroup creates a group, only once per form.
func newGroup(v *web.Visit) error {
	f, picture, err := v.FormWithPicture()
	if err != nil {
		return err
	}
	if f.Failed() {
		return showNewGroup(v, f)
	}
	name, description := f.Get("name"), f.Get("description")
	in := people.CreateGroupInput{Name: name, Description: &description, Avatar: picture.Value,
		Once: v.OnceKey("group", name, description)} // without the picture, since each upload has another key
	g, err := v.App().People.CreateGroup(v.R.Context(), v.Actor(), in)
	if err != nil {
		return refused(v, f, err, showNewGroup, "name", "description", "picture", "avatar_url")
	}
	return v.Done(v.Addresses().Group(&g).Path(), "group-new")
}

// refused shows a form again with its errors.
func refused(v *web.Visit, f *web.Form, err error, show func(*web.Visit, *web.Form) error, fields ...string) error {
	if f.Refused(err, fields...) {
		return show(v, f)
	}
	return err
}

// group returns the group in the path. If the path has a former slug, it redirects to the new one
// and moved is true.
func group(v *web.Visit) (g present.Group, moved bool, err error) {
	found, err := v.App().People.Group(v.R.Context(), v.Actor(), domain.ParseRef(v.Args[0]))
	if err != nil {
		return g, false, err
	}
	g = v.Addresses().Group(&found)
	if v.R.Method == http.MethodPost || v.Args[0] == g.Slug {
		return g, false, nil
	}
	to := url.URL{Path: g.Path() + v.R.URL.Path[len("/group/"+v.Args[0]):], RawQuery: v.R.URL.RawQuery}
	return g, true, v.Moved(to.String())
}

// ownGroup is like group, but returns an error for users who may not change the group.
func ownGroup(v *web.Visit) (g present.Group, moved bool, err error) {
	if g, moved, err = group(v); err == nil && !moved && !domain.CanOwnGroup(v.Actor(), *g.Group) {
		err = domain.NewForbidden(v.T("people.group.owner-only"))
	}
	return g, moved, err
}

// editGroupPage shows the form of a group.
func editGroupPage(v *web.Visit) error {
	g, moved, err := ownGroup(v)
	if err != nil || moved {
		return err
	}
	description := ""
	if g.Description != nil {
		description = g.Description.Markdown
	}
	return showGroup(g)(v, web.Filled("name", g.Name, "description", description))
}

func showGroup(g present.Group) func(*web.Visit, *web.Form) error {
	return func(v *web.Visit, f *web.Form) error {
		return v.Page("group-edit", v.T("people.group.edit", g.Name), f, g)
	}
}

// editGroup changes a group.
func editGroup(v *web.Visit) error {
	g, _, err := ownGroup(v)
	if err != nil {
		return err
	}
	f, picture, err := v.FormWithPicture()
	if err != nil {
		return err
	}
	if f.Failed() {
		return showGroup(g)(v, f)
	}
	name, description := f.Get("name"), f.Get("description")
	in := people.UpdateGroupInput{Name: &name, Description: core.Patch{Set: true, Value: &description}, Avatar: picture}
	changed, err := v.App().People.UpdateGroup(v.R.Context(), v.Actor(), domain.Ref{ID: int64(g.ID)}, in)
	if err != nil {
		return refused(v, f, err, showGroup(g), "name", "description", "picture", "avatar_url")
	}
	return v.Done(v.Addresses().Group(&changed).Path(), "group")
}

// deleteGroupPage explains the consequences and asks for confirmation.
func deleteGroupPage(v *web.Visit) error {
	g, moved, err := ownGroup(v)
	if err != nil || moved {
		return err
	}
	return v.Page("group-delete", v.T("people.group.delete", g.Name), nil, g)
}

func deleteGroup(v *web.Visit) error {
	g, _, err := group(v)
	if err != nil {
		return err
	}
	if v.Form().Get("do") != "delete" {
		return web.UnknownButton()
	}
	if err := v.App().People.DeleteGroup(v.R.Context(), v.Actor(), domain.Ref{ID: int64(g.ID)}); err != nil {
		return err
	}
	return v.Done("/groups", "group-deleted")
}

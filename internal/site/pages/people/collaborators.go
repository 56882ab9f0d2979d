package people

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// channel returns the channel in the path. If the path has another owner or a former slug, it
// redirects to the right one and moved is true.
func channel(v *web.Visit) (c present.Channel, moved bool, err error) {
	found, err := v.App().Collections.Channel(v.R.Context(), v.Actor(), domain.ParseRef(v.Args[1]))
	if err != nil {
		return c, false, err
	}
	c = v.Addresses().Channel(&found.Channel)
	was := "/" + v.Args[0] + "/" + v.Args[1]
	if v.R.Method == http.MethodPost || was == c.Path() {
		return c, false, nil
	}
	to := url.URL{Path: c.Path() + strings.TrimPrefix(v.R.URL.Path, was), RawQuery: v.R.URL.RawQuery}
	return c, true, v.Moved(to.String())
}

// collaboratorsPage lists the collaborators of a channel.
func collaboratorsPage(v *web.Visit) error {
	c, moved, err := channel(v)
	if err != nil || moved {
		return err
	}
	return showCollaborators(c)(v, nil)
}

// collaboratorView is a collaborator.
type collaboratorView struct {
	present.Principal
	Removable bool
}

// Key identifies the user or group in a form.
func (c collaboratorView) Key() string { return string(c.Type) + ":" + strconv.FormatInt(c.ID, 10) }

func showCollaborators(c present.Channel) func(*web.Visit, *web.Form) error {
	return func(v *web.Visit, f *web.Form) error {
		all, err := v.App().Collections.Collaborators(v.R.Context(), v.Actor(), domain.Ref{ID: int64(c.ID)})
		if err != nil {
			return err
		}
		data := struct {
			Channel       present.Channel
			Owner         present.Principal
			Collaborators []collaboratorView
			Can           bool // the reader may add and remove collaborators
			Private       bool
		}{Channel: c, Owner: v.Addresses().Principal(&c.Channel.Owner), Can: domain.CanOwn(v.Actor(), *c.Channel), Private: c.Visibility == domain.Private}
		for i := range all {
			p := v.Addresses().Principal(&all[i])
			mine := v.Account != nil && p.PrincipalRef == domain.UserRef(v.Account.ID)
			data.Collaborators = append(data.Collaborators, collaboratorView{p, data.Can || mine})
		}
		return v.Page("collaborators", v.T("people.collaborators.of", c.Title), f, data)
	}
}

// changeCollaborators adds or removes a collaborator.
func changeCollaborators(v *web.Visit) error {
	c, _, err := channel(v)
	if err != nil {
		return err
	}
	f, ref, here := v.Form(), domain.Ref{ID: int64(c.ID)}, c.Path()+"/collaborators"
	if gone := f.Get("remove"); gone != "" {
		who, err := named(gone)
		if err != nil {
			return err
		}
		if err := v.App().Collections.RemoveCollaborators(v.R.Context(), v.Actor(), ref, who); err != nil {
			return err
		}
		if who == domain.UserRef(v.Account.ID) {
			return v.Done("/", "collaboration-ended")
		}
		return v.Done(here, "collaborator-removed")
	}
	if f.Get("do") != "add" {
		return web.UnknownButton()
	}
	who, err := typed(v, f.Trimmed("who"))
	if domain.KindOf(err) == domain.NotFound {
		f.Wrong("who", v.T("people.nobody"))
		return showCollaborators(c)(v, f)
	}
	if err != nil {
		return err
	}
	_, added, err := v.App().Collections.AddCollaborator(v.R.Context(), v.Actor(), ref, who)
	switch {
	case domain.KindOf(err) == domain.Forbidden: // no other input can succeed
		return err
	case err != nil:
		return refused(v, f, err, showCollaborators(c), "who")
	case !added:
		return v.Done(here, "collaborator-already")
	}
	return v.Done(here, "collaborator-added")
}

// named parses the key of a user or group.
func named(key string) (domain.PrincipalRef, error) {
	kind, id, _ := strings.Cut(key, ":")
	n, err := web.ID(id)
	if err == nil && kind != string(domain.TypeUser) && kind != string(domain.TypeGroup) {
		err = domain.NewNotFound()
	}
	return domain.PrincipalRef{Type: domain.PrincipalType(kind), ID: n}, err
}

// typed finds a user by short name, or a group by "group/" and its short name, as in addresses.
func typed(v *web.Visit, name string) (domain.PrincipalRef, error) {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "@"), "/")
	if slug, ok := strings.CutPrefix(name, "group/"); ok {
		g, err := v.App().People.Group(v.R.Context(), v.Actor(), domain.ParseRef(slug))
		return domain.GroupRef(g.ID), err
	}
	if name == "" {
		return domain.PrincipalRef{}, domain.NewNotFound()
	}
	u, err := v.App().People.User(v.R.Context(), domain.ParseRef(name))
	return domain.UserRef(u.ID), err
}

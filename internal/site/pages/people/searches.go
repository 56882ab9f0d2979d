package people

import (
	"cmp"

	"vitrine/internal/app/searches"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// savedSearch is a saved search as the pages show it.
type savedSearch struct {
	domain.SavedSearch
	Path string     // of its results
	Feed secretFeed // with results that only the reader may see; only on its own page
}

// searchesPage lists the reader's saved searches.
func searchesPage(v *web.Visit) error {
	all, err := v.App().Searches.SavedSearches(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	shown := make([]savedSearch, len(all))
	for i, s := range all {
		shown[i] = savedSearch{SavedSearch: s, Path: searches.Path(s)}
	}
	return v.Page("searches", v.T("people.searches"), nil, shown)
}

// saveSearch saves a search, and redirects back to the page of the button.
func saveSearch(v *web.Visit) error {
	f := v.Form()
	if f.Get("do") != "save" {
		return web.UnknownButton()
	}
	_, _, err := v.App().Searches.SaveSearch(v.R.Context(), v.Actor(), searches.SaveInput{Query: f.Get("q"), Following: f.Get("following") != ""})
	if err != nil {
		return err
	}
	return v.Done(cmp.Or(v.Next(), "/search/saved"), "search-saved")
}

// searchPage shows a saved search, its feeds, and a form to change it.
func searchPage(v *web.Visit) error {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	s, err := v.App().Searches.SavedSearch(v.R.Context(), v.Actor(), domain.SavedSearchID(id))
	if err != nil {
		return err
	}
	form := web.Filled("name", s.Name)
	if s.Notify {
		form.Default("notify", "yes")
	}
	if s.Mail {
		form.Default("mail", "yes")
	}
	return showSearch(v, form, s)
}

func showSearch(v *web.Visit, f *web.Form, s domain.SavedSearch) error {
	secret, err := v.App().People.FeedSecret(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	at := v.Addresses().SecretFeeds(v.Account.ID, secret)
	return v.Page("search", v.T("people.search"), f, savedSearch{SavedSearch: s, Path: searches.Path(s),
		Feed: secretFeed{Atom: at.Search(s.ID, present.Atom), JSON: at.Search(s.ID, present.JSONFeed)}})
}

// changeSearch changes or deletes a saved search.
func changeSearch(v *web.Visit) error {
	n, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	id, f := domain.SavedSearchID(n), v.Form()
	switch f.Get("do") {
	case "delete":
		if err := v.App().Searches.DeleteSearch(v.R.Context(), v.Actor(), id); err != nil {
			return err
		}
		return v.Done(cmp.Or(v.Next(), "/search/saved"), "search-deleted")
	case "change":
	default:
		return web.UnknownButton()
	}
	in := searches.ChangeInput{Name: new(f.Get("name")), Notify: new(f.Get("notify") == "yes")}
	if v.Mails() { // otherwise the form does not offer it
		in.Mail = new(f.Get("mail") == "yes")
	}
	_, err = v.App().Searches.ChangeSearch(v.R.Context(), v.Actor(), id, in)
	if err == nil {
		return v.Done("/search/saved", "search")
	}
	if !f.Refused(err, "name") {
		return err
	}
	s, err := v.App().Searches.SavedSearch(v.R.Context(), v.Actor(), id)
	if err != nil {
		return err
	}
	return showSearch(v, f, s)
}

// unsubscribePage shows a button that stops the mails about saved searches. Opening the page changes nothing, because mail
// programs may open it on their own.
func unsubscribePage(v *web.Visit) error {
	if _, err := v.App().Searches.MailReader(v.R.Context(), v.Args[0]); err != nil {
		return err
	}
	return v.Page("unsubscribe", v.T("people.unsubscribe"), nil, unsubscribeView{Path: v.Here()})
}

// unsubscribeView is the page at the end of a mail about saved searches.
type unsubscribeView struct {
	Path string
	Done bool
}

// unsubscribe stops the mails about saved searches, for a form of the page or a mail program (RFC 8058).
func unsubscribe(v *web.Visit) error {
	if err := v.App().Searches.StopMails(v.R.Context(), v.Args[0]); err != nil {
		return err
	}
	return v.Page("unsubscribe", v.T("people.unsubscribe"), nil, unsubscribeView{Done: true})
}

// Marks returns the ids of the texts that say what happens with new results.
func (s savedSearch) Marks() (ids []string) {
	if s.Following {
		ids = append(ids, "people.search.following")
	}
	if s.Notify {
		ids = append(ids, "people.search.notified")
	}
	if s.Mail {
		ids = append(ids, "people.search.mailed")
	}
	return ids
}

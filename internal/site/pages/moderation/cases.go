package moderation

import (
	"fmt"

	"vitrine/internal/app/moderation"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// How many cases a page lists, and how many reports the page of a case.
const (
	casesPer   = 50
	reportsPer = 50
)

// casesView is a page of cases.
type casesView struct {
	Cases  []moderation.Case
	Closed bool
	Mailed bool   // the operator receives mail about new cases
	First  string // address of the newest page, "" on it
	Older  string // address of the next page, "" for none
}

// casesPage lists the open or the closed cases.
func casesPage(v *web.Visit) error {
	shown := casesView{Closed: v.Query("show") == "closed"}
	here, with := "/operator/reports", "?"
	if shown.Closed {
		here, with = here+"?show=closed", "&"
	}
	below, err := numberFrom(v, "below")
	if err != nil {
		return err
	}
	shown.Cases, err = v.App().Moderation.Cases(v.R.Context(), operatorOf(v), shown.Closed, moderation.CaseID(below), casesPer+1)
	if err != nil {
		return err
	}
	if v.Mails() {
		if shown.Mailed, err = v.App().Moderation.WantsCaseMail(v.R.Context(), v.Actor()); err != nil {
			return err
		}
	}
	if below != 0 {
		shown.First = here
	}
	if len(shown.Cases) > casesPer {
		shown.Cases = shown.Cases[:casesPer]
		shown.Older = fmt.Sprintf("%s%sbelow=%d", here, with, shown.Cases[casesPer-1].ID)
	}
	return v.Page("reports", v.T("moderation.reports"), nil, shown)
}

// mailCases turns mail about new cases on or off for the operator.
func mailCases(v *web.Visit) error {
	if !v.Mails() { // the form is not shown either
		return domain.NewNotFound()
	}
	wanted, note := v.Form().Get("mail") == "yes", "not-mailed"
	if wanted {
		note = "mailed"
	}
	if err := v.App().Moderation.WantCaseMail(v.R.Context(), v.Actor(), wanted); err != nil {
		return err
	}
	return v.Done("/operator/reports", note)
}

// numberFrom parses the number below which a page of a list begins; 0 for the first page.
func numberFrom(v *web.Visit, name string) (int64, error) {
	if v.Query(name) == "" {
		return 0, nil
	}
	return web.ID(v.Query(name))
}

// caseView is a case with a page of its reports.
type caseView struct {
	moderation.CaseView
	Path  string // of the item, "" if it was deleted
	Mine  bool   // the operator is responsible for the item
	Older string // address of the reports before these, "" for none
}

// CanHide reports whether the reported item can be hidden.
func (c caseView) CanHide() bool { return c.Subject != nil && hideable(c.About.Kind) }

// casePage shows a case.
func casePage(v *web.Visit) error { return showCase(v, nil) }

func showCase(v *web.Visit, f *web.Form) error {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	below, err := numberFrom(v, "below")
	if err != nil {
		return err
	}
	c, err := v.App().Moderation.ReadCase(v.R.Context(), operatorOf(v), moderation.CaseID(id), below, reportsPer+1)
	if err != nil {
		return err
	}
	shown := caseView{CaseView: c, Mine: c.OwnerID == v.Account.ID}
	if c.Subject != nil {
		switch shown.Path = v.Addresses().Entity(c.Subject.What).Path(); {
		case c.Seen:
		case c.ClosedAt == nil || c.Hidden != nil:
			shown.Path = lookPath(c.About)
		default: // operators can no longer look at it
			shown.Path = ""
		}
	}
	if len(c.Reports) > reportsPer {
		shown.Reports = c.Reports[:reportsPer]
		shown.Older = fmt.Sprintf("/operator/reports/%d?below=%d", id, shown.Reports[reportsPer-1].ID)
	}
	return v.Page("case", v.T("moderation.case", c.ID), f, shown)
}

// decide closes a case with a decision. Drastic ones need a confirmation first.
func decide(v *web.Visit) error {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	f := v.Form()
	_, err = v.App().Moderation.Decide(v.R.Context(), operatorOf(v), moderation.CaseID(id), moderation.Decision{
		Outcome: moderation.Outcome(f.Get("outcome")), Text: f.Trimmed("text"), Hide: f.Get("outcome") == string(moderation.Suspended) && f.Has("hide", "yes")})
	if err != nil {
		if f.Refused(err, "text") {
			return showCase(v, f)
		}
		return err
	}
	return v.Done("/operator/reports", "decided")
}

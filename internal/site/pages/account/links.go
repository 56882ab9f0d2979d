package account

import (
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// linksPerPage is how many links the page lists.
const linksPerPage = 50

// unreachable is a Link of the reader whose page is gone.
type unreachable struct {
	present.Block
	Failure domain.LinkFailure
	Reason  string // in the reader's language
	Archive string // address of the nearest copy in a web archive, or ""
}

// linksView is a page of them.
type linksView struct {
	Links []unreachable
	Pager web.Pager
}

// linksPage lists the reader's links that lead nowhere.
func linksPage(v *web.Visit) error {
	n, err := v.PageNumber()
	if err != nil {
		return err
	}
	at := domain.Page{Number: n, Per: linksPerPage}
	l, why, err := v.App().Content.DeadLinks(v.R.Context(), v.Actor(), at)
	if err != nil {
		return err
	}
	shown := linksView{Pager: v.Pager(at, l.Total)}
	for i := range l.Items {
		b := &l.Items[i]
		d := unreachable{Block: v.Addresses().Block(b), Failure: why[b.ID], Reason: v.Lang.Fault(why[b.ID].Reason)}
		if b.ValueURL != nil {
			d.Archive = v.App().Content.Archived(*b.ValueURL, b.CreatedAt)
		}
		shown.Links = append(shown.Links, d)
	}
	return v.Page("links", v.T("account.title.links"), nil, shown)
}

// checkLink requests the page of a link again soon.
func checkLink(v *web.Visit) error {
	id, err := web.ID(v.Form().Get("block"))
	if err != nil {
		return err
	}
	if err := v.App().Content.CheckLinkSoon(v.R.Context(), v.Actor(), domain.BlockID(id)); err != nil {
		return err
	}
	return v.Done("/settings/links", "link-check")
}

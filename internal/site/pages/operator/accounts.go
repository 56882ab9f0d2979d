package operator

import (
	"net/url"
	"slices"
	"strconv"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// accountsPer is the number of accounts per page.
const accountsPer = 50

// accountsView is a page of accounts.
type accountsView struct {
	domain.List[domain.User]
	Stored         map[domain.UserID]string // formatted sizes
	Search         string
	Sort           operating.AccountSort
	Previous, Next string // addresses, "" for none
}

// accountsPage lists all accounts, or those that a search finds.
func accountsPage(v *web.Visit) error {
	page := pageOf(v)
	search, sort := v.Query("q"), operating.AccountSort(v.Query("sort"))
	if !slices.Contains(operating.AccountSorts, sort) {
		sort = operating.AccountSorts[0]
	}
	found, err := v.App().Operating.FindAccounts(v.R.Context(), v.Actor(), search, sort, page)
	if err != nil {
		return err
	}
	shown := accountsView{List: found, Stored: map[domain.UserID]string{}, Search: search, Sort: sort}
	ids := make([]domain.UserID, len(found.Items))
	for i, u := range found.Items {
		ids[i] = u.ID
	}
	usages, err := v.App().Content.ByteUsages(v.R.Context(), ids)
	if err != nil {
		return err
	}
	for id, u := range usages {
		shown.Stored[id] = domain.FormatBytes(u.Total)
	}
	place := present.Page{Page: page, Total: found.Total}
	shown.Previous, shown.Next = accountsAt(search, sort, place.Prev()), accountsAt(search, sort, place.Next())
	return v.Page("accounts", v.T("operator.title.accounts"), web.Given("q", search), shown)
}

// pageOf returns the requested page of accounts, the first by default.
func pageOf(v *web.Visit) domain.Page {
	page := domain.Page{Number: 1, Per: accountsPer}
	if n, err := strconv.ParseInt(v.Query("page"), 10, 64); err == nil && n > 0 {
		page.Number = n
	}
	return page
}

func accountsAt(search string, sort operating.AccountSort, page int64) string {
	q := url.Values{}
	if sort != operating.AccountSorts[0] {
		q.Set("sort", string(sort))
	}
	if search != "" {
		q.Set("q", search)
	}
	return present.PageAddress("/operator/accounts", q, page)
}

// accountNamed returns the account in the path.
func accountNamed(v *web.Visit) (domain.User, error) {
	return v.App().People.User(v.R.Context(), domain.ParseRef(v.Args[0]))
}

// accountPage shows an account to an operator.
func accountPage(v *web.Visit) error {
	u, err := accountNamed(v)
	if err != nil {
		return err
	}
	return showAccount(v, nil, u, "")
}

// accountView is an account with its storage.
type accountView struct {
	domain.User
	Facts    *operating.AccountDetails
	Storage  web.Storage
	Reset    string // the address of a new link, shown only once
	Deletion accounts.DeletionPreview
}

func showAccount(v *web.Visit, f *web.Form, u domain.User, reset string) error {
	ctx, by, ref := v.R.Context(), operatorOf(v), domain.Ref{ID: int64(u.ID)}
	facts, err := v.App().Operating.AccountDetails(ctx, by, ref)
	if err != nil {
		return err
	}
	shown := accountView{User: u, Facts: &facts, Storage: web.NewStorage(v, facts.Usage), Reset: reset}
	if _, shown.Deletion, err = v.App().Operating.PreviewDeletion(ctx, by, ref); err != nil {
		return err
	}
	return v.Page("account", u.Name, f, shown)
}

// changeAccount applies the action of the form.
func changeAccount(v *web.Visit) error {
	u, err := accountNamed(v)
	if err != nil {
		return err
	}
	f := v.Form()
	if done, err := lookAfter(v, f, u); done {
		return err
	}
	change, err := accountChange(f)
	if err != nil {
		return err
	}
	if _, err := v.App().Operating.SetAccount(v.R.Context(), v.Actor(), u.ID, change); err != nil {
		if f.Refused(err, "tier") {
			return showAccount(v, f, u, "")
		}
		return err
	}
	return v.Done("/operator/accounts/"+u.Slug, "account")
}

// lookAfter applies an action on an account's address, password, second factor, sessions or
// deletion, and reports whether the form contained one.
func lookAfter(v *web.Visit, f *web.Form, u domain.User) (done bool, err error) {
	ctx, by, ref, here := v.R.Context(), operatorOf(v), domain.Ref{ID: int64(u.ID)}, "/operator/accounts/"+u.Slug
	note, reset := "account", ""
	switch f.Get("do") {
	case "email":
		_, err = v.App().Operating.SetEmail(ctx, by, ref, f.Trimmed("email"))
	case "password":
		_, err = v.App().Operating.SetPassword(ctx, by, ref, f.Secret("password"))
	case "reset":
		note = "reset-mailed"
		_, reset, err = v.App().Operating.SendReset(ctx, by, ref, v.Mails())
	case "sign-out":
		note = "account-signed-out"
		_, err = v.App().Operating.SignOutAccount(ctx, by, ref, f.Has("tokens", "yes"))
	case "factor":
		note = "factor-removed"
		_, err = v.App().Operating.RemoveSecondFactor(ctx, by, ref)
	case "export":
		note = "export-started"
		_, err = v.App().Transfer.StartExportFor(ctx, v.Actor(), ref)
	case "delete":
		note, here = "deleted", "/operator/accounts"
		_, err = v.App().Operating.DeleteAccountOf(ctx, by, ref, f.Trimmed("slug"))
	default:
		return false, nil
	}
	switch {
	case err != nil && f.Refused(err, "email", "password", "slug"):
		return true, showAccount(v, f, u, "")
	case err != nil:
		return true, err
	case reset != "":
		return true, showAccount(v, nil, u, reset)
	}
	return true, v.Done(here, note)
}

func accountChange(f *web.Form) (c operating.AccountChange, err error) {
	suspended, office, tier := f.Get("do") == "suspend", domain.OfficeMember, domain.Tier(f.Get("tier"))
	switch f.Get("do") {
	case "suspend", "restore":
		c.Suspended = &suspended
		c.Hide = suspended && f.Has("hide", "yes")
	case "hide":
		c.Hide = true
	case "promote":
		office = domain.OfficeOperator
		c.Office = &office
	case "demote":
		c.Office = &office
	case "tier":
		c.Tier = &tier
	default:
		err = web.UnknownButton()
	}
	return c, err
}

package site

import (
	"net/url"
	"strconv"

	"vitrine/internal/app"
	"vitrine/internal/domain"
)

// accountsPer is how many accounts are on a page.
const accountsPer = 50

// accountsView is a page of accounts.
type accountsView struct {
	domain.List[domain.User]
	Stored         map[domain.UserID]string // in words
	Search         string
	Page           domain.Page
	Previous, Next string // addresses, "" for none
}

// accountsPage lists accounts, all or those that a text finds.
func accountsPage(v *visit) error {
	page := domain.Page{Number: 1, Per: accountsPer}
	if n, err := strconv.ParseInt(v.query("page"), 10, 64); err == nil && n > 0 {
		page.Number = n
	}
	search := v.query("q")
	found, err := v.app().FindAccounts(v.r.Context(), v.actor(), search, page)
	if err != nil {
		return err
	}
	shown := accountsView{List: found, Stored: map[domain.UserID]string{}, Search: search, Page: page}
	ids := make([]domain.UserID, len(found.Items))
	for i, u := range found.Items {
		ids[i] = u.ID
	}
	usages, err := v.app().ByteUsages(v.r.Context(), ids)
	if err != nil {
		return err
	}
	for id, u := range usages {
		shown.Stored[id] = domain.FormatBytes(u.Total)
	}
	if page.Number > 1 {
		shown.Previous = accountsAt(search, page.Number-1)
	}
	if page.Offset()+page.Per < found.Total {
		shown.Next = accountsAt(search, page.Number+1)
	}
	return v.page("accounts", "Accounts", filled("q", search), shown)
}

func accountsAt(search string, page int64) string {
	q := url.Values{"page": {strconv.FormatInt(page, 10)}}
	if search != "" {
		q.Set("q", search)
	}
	return "/operator/accounts?" + q.Encode()
}

// accountNamed reads the account that the address names.
func (v *visit) accountNamed() (domain.User, error) {
	return v.app().User(v.r.Context(), domain.ParseRef(v.args[0]))
}

// accountPage shows an account to an operator.
func accountPage(v *visit) error {
	u, err := v.accountNamed()
	if err != nil {
		return err
	}
	return v.showAccount(nil, u)
}

// accountView is an account, and what it has stored.
type accountView struct {
	domain.User
	Storage storageView
}

func (v *visit) showAccount(f *form, u domain.User) error {
	usages, err := v.app().ByteUsages(v.r.Context(), []domain.UserID{u.ID})
	if err != nil {
		return err
	}
	return v.page("account", u.Name, f, accountView{u, v.newStorage(usages[u.ID])})
}

// changeAccount changes the one thing that the form is about.
func changeAccount(v *visit) error {
	u, err := v.accountNamed()
	if err != nil {
		return err
	}
	f := v.form()
	change, err := accountChange(f)
	if err != nil {
		return err
	}
	if _, err := v.app().SetAccount(v.r.Context(), v.actor(), u.ID, change); err != nil {
		if f.refused(err, "tier") {
			return v.showAccount(f, u)
		}
		return err
	}
	return v.done("/operator/accounts/"+u.Slug, "account")
}

func accountChange(f *form) (c app.AccountChange, err error) {
	suspended, office, tier := f.get("do") == "suspend", domain.OfficeMember, domain.Tier(f.get("tier"))
	switch f.get("do") {
	case "suspend", "restore":
		c.Suspended = &suspended
	case "promote":
		office = domain.OfficeOperator
		c.Office = &office
	case "demote":
		c.Office = &office
	case "tier":
		c.Tier = &tier
	default:
		err = unknownButton()
	}
	return c, err
}

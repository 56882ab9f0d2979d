package transfer

import (
	"vitrine/internal/domain"
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// exportsView is the page of exports. Live is the running one, if any.
type exportsView struct {
	Live *present.Export
	Past []present.Export
	Most int

	Receipts []domain.DataReceipt
}

// exportsPage lists exports, and the button for a new one.
func exportsPage(v *web.Visit) error { return showExports(v, nil) }

func showExports(v *web.Visit, f *web.Form) error {
	all, err := v.App().Transfer.Exports(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	shown := exportsView{Most: domain.MaxExports}
	if shown.Receipts, err = v.App().Accounts.OwnReceipts(v.R.Context(), v.Actor()); err != nil {
		return err
	}
	for n := range all {
		one := v.Addresses().Export(&all[n])
		if one.State.Live() {
			shown.Live = &one
		} else {
			shown.Past = append(shown.Past, one)
		}
	}
	return v.Page("exports", v.T("transfer.export"), f, shown)
}

// changeExports starts or deletes an export.
func changeExports(v *web.Visit) error {
	f := v.Form()
	switch f.Get("do") {
	case "start":
		if _, err := v.App().Transfer.StartExport(v.R.Context(), v.Actor()); err != nil {
			if f.Refused(err) {
				return showExports(v, f)
			}
			return err
		}
		return v.Redirect("/settings/export")
	case "delete":
		id, err := web.ID(f.Get("id"))
		if err != nil {
			return err
		}
		if err := v.App().Transfer.DeleteExport(v.R.Context(), v.Actor(), domain.ExportID(id)); err != nil {
			return err
		}
		return v.Done("/settings/export", "export-deleted")
	}
	return web.UnknownButton()
}

// exportFile answers with the file of an export.
func exportFile(v *web.Visit) error {
	id, err := web.ID(v.Args[0])
	if err != nil {
		return err
	}
	return v.DownloadExport(domain.ExportID(id))
}

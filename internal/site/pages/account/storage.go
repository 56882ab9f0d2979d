package account

import "vitrine/internal/site/web"

// storagePage shows how much the account stores.
func storagePage(v *web.Visit) error {
	u, _, err := v.App().Content.ByteUsage(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	copies, limit, err := v.App().Content.SnapshotUsage(v.R.Context(), v.Actor())
	if err != nil {
		return err
	}
	return v.Page("storage", v.T("account.title.storage"), nil, web.NewStorage(v, u).WithCopies(copies, limit))
}

package operator

import (
	"runtime"
	"time"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/operating"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// operatorView is the data of the overview.
type operatorView struct {
	operating.ServerStatus
	operating.ServerState
	Meaning     *collections.MeaningState // nil if search by meaning is off
	Totals      domain.Totals
	CountedAt   time.Time
	Version, Go string
}

// operatorPage shows the version, contents and state of the server.
func operatorPage(v *web.Visit) (err error) {
	ctx, actor := v.R.Context(), v.Actor()
	shown := operatorView{Version: v.Version(), Go: runtime.Version()}
	if shown.ServerStatus, err = v.App().Operating.ServerStatus(ctx, actor); err != nil {
		return err
	}
	if shown.ServerState, err = v.App().Operating.ServerState(ctx, actor); err != nil {
		return err
	}
	if shown.Meaning, err = v.App().Finder.MeaningState(ctx, actor); err != nil {
		return err
	}
	if shown.Totals, shown.CountedAt, err = v.App().Operating.Totals(ctx, actor); err != nil {
		return err
	}
	return v.Page("operator", v.T("operator.title.server"), nil, shown)
}

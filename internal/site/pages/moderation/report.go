package moderation

import (
	"vitrine/internal/app/moderation"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// kinds maps names in addresses to the types that can be reported.
var kinds = map[string]domain.SubjectType{"block": domain.SubjectBlock, "channel": domain.SubjectChannel, "comment": domain.SubjectComment,
	"user": domain.SubjectUser, "group": domain.SubjectGroup}

// reportView is an item that is about to be reported.
type reportView struct {
	moderation.SubjectDetails
	Kind    string // as in addresses
	Path    string // of the item
	Reasons []moderation.Reason
}

// reported returns the item in the path.
func reported(v *web.Visit) (r reportView, what domain.Subject, err error) {
	kind, ok := kinds[v.Args[0]]
	if !ok {
		return r, what, domain.NewNotFound()
	}
	id, err := web.ID(v.Args[1])
	if err != nil {
		return r, what, err
	}
	what = domain.Subject{Type: kind, ID: id}
	r = reportView{Kind: v.Args[0], Reasons: moderation.Reasons}
	if r.SubjectDetails, err = v.App().Moderation.Reported(v.R.Context(), v.Actor(), what); err == nil {
		r.Path = v.Addresses().Entity(r.What).Path()
	}
	return r, what, err
}

// reportPage shows the form for a report.
func reportPage(v *web.Visit) error {
	r, _, err := reported(v)
	if err != nil {
		return err
	}
	return v.Page("report", v.T("moderation.report."+r.Kind), nil, r)
}

// report files a report, and redirects to the item.
func report(v *web.Visit) error {
	r, what, err := reported(v)
	if err != nil {
		return err
	}
	f := v.Form()
	err = v.App().Moderation.Report(v.R.Context(), v.Actor(), moderation.ReportInput{About: what, Reason: moderation.Reason(f.Get("reason")), Text: f.Trimmed("text")})
	if err != nil {
		if f.Refused(err, "reason", "text") {
			return v.Page("report", v.T("moderation.report."+r.Kind), f, r)
		}
		return err
	}
	return v.Done(r.Path, "reported")
}

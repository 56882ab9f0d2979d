package operator

import "vitrine/internal/site/web"

// jobsShown is the maximum number of listed jobs.
const jobsShown = 200

// jobsPage lists the jobs that failed for good.
func jobsPage(v *web.Visit) error {
	failed, err := v.App().Operating.FailedJobs(v.R.Context(), v.Actor(), jobsShown)
	if err != nil {
		return err
	}
	return v.Page("jobs", v.T("operator.title.jobs"), nil, failed)
}

// retryJobs runs a job again.
func retryJobs(v *web.Visit) error {
	id, err := web.ID(v.Form().Get("retry"))
	if err != nil {
		return err
	}
	if err := v.App().Operating.RetryJobAs(v.R.Context(), v.Actor(), id, false); err != nil {
		return err
	}
	return v.Done("/operator/jobs", "job")
}

package operator

import "vitrine/internal/site/web"

// jobsShown is how many jobs the page lists.
const jobsShown = 200

// jobsPage lists the jobs that were given up.
func jobsPage(v *web.Visit) error {
	failed, err := v.App().FailedJobs(v.R.Context(), v.Actor(), jobsShown)
	if err != nil {
		return err
	}
	return v.Page("jobs", v.T("operator.title.jobs"), nil, failed)
}

// retryJobs has a job run again.
func retryJobs(v *web.Visit) error {
	id, err := web.ID(v.Form().Get("retry"))
	if err != nil {
		return err
	}
	if err := v.App().RetryFailedJob(v.R.Context(), v.Actor(), id); err != nil {
		return err
	}
	return v.Done("/operator/jobs", "job")
}

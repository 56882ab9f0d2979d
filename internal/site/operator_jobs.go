package site

// jobsShown is how many jobs the page lists.
const jobsShown = 200

// jobsPage lists the jobs that were given up.
func jobsPage(v *visit) error {
	failed, err := v.app().FailedJobs(v.r.Context(), v.actor(), jobsShown)
	if err != nil {
		return err
	}
	return v.page("jobs", "Failed jobs", nil, failed)
}

// retryJobs has a job run again.
func retryJobs(v *visit) error {
	id, err := idOf(v.form().get("retry"))
	if err != nil {
		return err
	}
	if err := v.app().RetryFailedJob(v.r.Context(), v.actor(), id); err != nil {
		return err
	}
	return v.done("/operator/jobs", "job")
}

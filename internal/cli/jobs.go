package cli

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/config"
	"vitrine/internal/domain"
	"vitrine/internal/jobs"
)

type jobsCmd struct {
	List  jobsListCmd  `cmd:"" default:"withargs" help:"List jobs, newest first. By default only failed jobs."`
	Retry jobsRetryCmd `cmd:"" help:"Run failed, interrupted or waiting jobs now."`

	Backfills jobsBackfillsCmd `cmd:"" help:"Show how many rows backfills still have to process after an upgrade."`
}

// jobJSON is the JSON form of a job.
type jobJSON struct {
	ID          int64  `json:"id"`
	Kind        string `json:"kind"`
	State       string `json:"state"`
	Attempts    int    `json:"attempts"`
	MaxAttempts int    `json:"max_attempts"`
	At          string `json:"at"`
	Error       string `json:"error"`
	Process     string `json:"process"`
}

func toJobJSON(j jobs.Job) jobJSON {
	return jobJSON{j.ID, j.Kind, string(j.State), j.Attempts, j.MaxAttempts, j.At.UTC().Format(time.RFC3339), j.Error, j.Process}
}

type jobsListCmd struct {
	config.Common
	State string `default:"failed" enum:"failed,waiting,running,done" help:"failed, waiting, running or done."`
	Limit int    `default:"100" placeholder:"N" help:"Number of jobs to list."`
	JSON  bool   `name:"json" help:"Print a JSON list."`
}

func (cmd *jobsListCmd) Run(c *console) error {
	if cmd.Limit < 1 || cmd.Limit > jobs.MaxListed {
		return usageError{fmt.Errorf("--limit: %d: want a number from 1 to %d", cmd.Limit, jobs.MaxListed)}
	}
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		list, err := a.Operating.Jobs(c.Ctx, jobs.State(cmd.State), cmd.Limit)
		if err != nil {
			return err
		}
		all := make([]jobJSON, len(list))
		for i, j := range list {
			all[i] = toJobJSON(j)
		}
		if cmd.JSON {
			return printJSON(c.Out, all)
		}
		w := tabwriter.NewWriter(c.Out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tKIND\tATTEMPTS\tAT\tERROR")
		for _, j := range all {
			_, _ = printf(w, "%d\t%s\t%d/%d\t%s\t%s\n", j.ID, j.Kind, j.Attempts, j.MaxAttempts, j.At, j.Error)
		}
		return w.Flush()
	})
}

type jobsRetryCmd struct {
	config.Common
	IDs   []int64 `arg:"" optional:"" name:"id" help:"IDs of the jobs, from the list."`
	All   bool    `help:"Retry all failed jobs."`
	Force bool    `help:"Also retry jobs that a living process is running. They may then run twice at once, which is harmless but slow."`
}

func (cmd *jobsRetryCmd) Run(c *console) error {
	if cmd.All == (len(cmd.IDs) > 0) {
		return usageError{errors.New("want the IDs of jobs, or --all")}
	}
	return withApp(c, cmd.Common, func(_ config.Config, a *app.App) error {
		if !cmd.All {
			return cmd.retry(c, a, cmd.IDs)
		}
		failed, err := a.Operating.Jobs(c.Ctx, jobs.Failed, jobs.MaxListed)
		if err != nil {
			return err
		}
		ids := make([]int64, len(failed))
		for i, j := range failed {
			ids[len(ids)-1-i] = j.ID // oldest first
		}
		return cmd.retry(c, a, ids)
	})
}

// retry continues after a job that cannot be retried, and returns all errors.
func (cmd *jobsRetryCmd) retry(c *console, a *app.App, ids []int64) error {
	var failed []error
	for _, id := range ids {
		err := a.Operating.RetryJob(c.Ctx, id, cmd.Force)
		if errors.Is(err, jobs.ErrAlive) {
			err = fmt.Errorf("%w; wait for it, or use --force", err)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("job %d: %w", id, err))
		}
	}
	_, _ = printf(c.Out, "Retrying %d of %s.\n", len(ids)-len(failed), domain.Counted(len(ids), "job", "jobs"))
	return errors.Join(failed...)
}

package cli

import (
	"errors"
	"fmt"
	"time"

	"vitrine/internal/config"
	"vitrine/internal/doctor"
	"vitrine/internal/server"
)

type doctorCmd struct {
	config.Flags
	SendTest  string        `name:"send-test" placeholder:"ADDRESS" help:"Also send a test mail to this address."`
	Integrity bool          `help:"Also check the structure of the SQLite file, which reads all of it."`
	Within    time.Duration `default:"10s" help:"How long each check may take. They run at the same time."`
	JSON      bool          `name:"json" help:"Print JSON."`
}

// Exit codes of the doctor.
const (
	exitWarnings = 1
	exitErrors   = 2
)

func (cmd *doctorCmd) Run(c *console) (err error) {
	if cmd.Within <= 0 {
		return usageError{fmt.Errorf("--within: %s: want a duration above zero", cmd.Within)}
	}
	cfg, log, err := serverSettings(c, cmd.Flags)
	if err != nil {
		return err
	}
	d, closing, err := server.Doctor(c.Ctx, cfg, server.Options{Log: log, Version: version()["version"]}, cmd.Within)
	if err != nil {
		return err
	}
	report := d.Examine(c.Ctx, doctor.Extent{Costly: true, Integrity: cmd.Integrity, TestMail: cmd.SendTest})
	if cmd.JSON {
		err = printJSON(c.Out, report)
	} else {
		err = printReport(c, report)
	}
	if err := errors.Join(err, closing()); err != nil {
		return err
	}
	switch report.Level {
	case doctor.Error:
		return exitWith(exitErrors)
	case doctor.Warning:
		return exitWith(exitWarnings)
	}
	return nil
}

// printReport prints a line for each result, and what to do below it.
func printReport(c *console, report doctor.Report) error {
	for _, r := range report.Results {
		if _, err := printf(c.Out, "%-7s  %s: %s\n", r.Level, r.ID, r.Summary); err != nil {
			return err
		}
		if r.Remedy != "" {
			_, _ = printf(c.Out, "         %s\n", r.Remedy)
		}
	}
	return nil
}

package config

import (
	"slices"
	"strings"
)

// Reread returns the flags for resolving again, with the current content of the configuration file and of the files with
// secrets. Variables and flags stay as they were when the program started.
func (f Flags) Reread() Flags {
	f.file = &readOnce{}
	return f
}

// Changes returns the flags of the settings that differ: those that a running server can take, and those that need a restart.
func Changes(was, now Config) (reloads, restart []string) {
	for _, d := range settings {
		text := d.print
		if d.raw != nil {
			text = d.raw
		}
		switch {
		case text == nil || text(&was) == text(&now):
		case d.Reloads && !(begins(d.Flag, "smtp-", "mail-from") && (was.SMTP == nil) != (now.SMTP == nil)) &&
			!(begins(d.Flag, "oidc-") && (was.OIDC.Issuer == "") != (now.OIDC.Issuer == "")): // the website's pages depend on these
			reloads = append(reloads, d.Flag)
		default:
			restart = append(restart, d.Flag)
		}
	}
	return reloads, restart
}

func begins(flag string, with ...string) bool {
	return slices.ContainsFunc(with, func(prefix string) bool { return strings.HasPrefix(flag, prefix) })
}

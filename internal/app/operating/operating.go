// Package operating contains the use cases of operators, on the website and the command line: accounts of others, jobs,
// and the state of the server.
package operating

import (
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
)

// Operating contains the use cases.
type Operating struct {
	*core.Core
	content  *content.Content
	accounts *accounts.Accounts
	site     siteCache
	totals   totalsCache

	auditKept time.Duration // 0 means forever
	backups   bool          // the servers make backups
}

// New creates the use cases. Entries of the audit log are deleted once they are older than auditKept; 0 keeps them
// forever. backups reports whether the servers make backups.
func New(c *core.Core, content *content.Content, accounts *accounts.Accounts, auditKept time.Duration, backups bool) *Operating {
	return &Operating{Core: c, content: content, accounts: accounts, auditKept: auditKept, backups: backups}
}

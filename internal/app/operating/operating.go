// Package operating has the use cases of those who run the server, by the website and by the
// command line: accounts of others, jobs, and the state of the server.
package operating

import (
	"time"

	"vitrine/internal/app/accounts"
	"vitrine/internal/app/content"
	"vitrine/internal/app/core"
)

// Operating are the use cases.
type Operating struct {
	*core.Core
	content  *content.Content
	accounts *accounts.Accounts
	site     siteCache
	totals   totalsCache

	auditKept time.Duration // 0: for good
}

// New makes the use cases. Entries of the audit log are deleted once they are older than
// auditKept; 0 keeps them for good.
func New(c *core.Core, content *content.Content, accounts *accounts.Accounts, auditKept time.Duration) *Operating {
	return &Operating{Core: c, content: content, accounts: accounts, auditKept: auditKept}
}

// Package operating has the use cases of those who run the server, by the website and by the
// command line: accounts of others, jobs, and the state of the server.
package operating

import (
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
}

// New makes the use cases.
func New(c *core.Core, content *content.Content, accounts *accounts.Accounts) *Operating {
	return &Operating{Core: c, content: content, accounts: accounts}
}

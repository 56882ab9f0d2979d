package look

import (
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// secretFeed returns the address of the user's secret feed for a page. The feed shows everything
// that the user may see, so the page links to it in its body and never in its head, where programs
// discover feeds.
func secretFeed(v *web.Visit, of func(present.SecretFeeds) string) (string, error) {
	secret, err := v.App().People.FeedSecret(v.R.Context(), v.Actor())
	if err != nil {
		return "", err
	}
	return of(v.Addresses().SecretFeeds(v.Account.ID, secret)), nil
}

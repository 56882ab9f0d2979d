package look

import (
	"vitrine/internal/present"
	"vitrine/internal/site/web"
)

// secretFeed finds among the feeds of who is signed in, which show what they alone may see,
// the one of a page. It is a link on the page and never in its head, where programs look.
func secretFeed(v *web.Visit, of func(present.SecretFeeds) string) (string, error) {
	secret, err := v.App().FeedSecret(v.R.Context(), v.Actor())
	if err != nil {
		return "", err
	}
	return of(v.Addresses().SecretFeeds(v.Account.ID, secret)), nil
}

package cli_test

import (
	"regexp"
	"strings"
	"testing"
)

// application is the JSON form of an application.
type application struct {
	ID           int64    `json:"id"`
	ClientID     string   `json:"client_id"`
	ClientSecret string   `json:"client_secret"`
	Name         string   `json:"name"`
	User         *string  `json:"user"`
	Public       bool     `json:"public"`
	ForV2        bool     `json:"for_v2"`
	Expiring     bool     `json:"expiring"`
	RedirectURIs []string `json:"redirect_uris"`
	CreatedAt    string   `json:"created_at"`
}

func TestApps(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.ada()
		var web application
		p.run("app", "create", "--user", "ada", "--name", "Web", "--redirect-uri", "https://app.test/a,b", "--redirect-uri", "http://localhost/c", "--json").json(&web)
		if !strings.HasPrefix(web.ClientSecret, "vitrine_sec_") || web.Public || *web.User != "ada" || len(web.RedirectURIs) != 2 || web.RedirectURIs[0] != "https://app.test/a,b" {
			t.Errorf("%+v", web)
		}
		made := p.run("app", "create", "--user", "ada", "--name", "Native", "--redirect-uri", "com.example.app:/x", "--public", "--for-v2").ok().out
		if !regexp.MustCompile(`^client_id: [0-9A-Za-z]{43}\n$`).MatchString(made) {
			t.Errorf("%q", made)
		}
		var all []application
		p.run("app", "list", "--json").json(&all)
		if len(all) != 3 || all[0].User != nil || !all[0].Public || all[1].ClientID != web.ClientID || all[1].ClientSecret != "" || !all[2].Public || all[1].ForV2 || !all[2].ForV2 {
			t.Errorf("%+v", all)
		}
		list := p.run("app", "list").ok().out
		if strings.Count(list, "\n") != 4 || !strings.Contains(list, web.ClientID) || !strings.Contains(list, "nobody") || strings.Contains(list, "vitrine_sec_") {
			t.Errorf("%q", list)
		}
		p.run("app", "delete", web.ClientID).ok()
		p.run("app", "delete", web.ClientID).fails(1, `there is no application "`+web.ClientID+`"`)
		p.run("app", "delete", all[0].ClientID).fails(1, "You may not delete the application of the command line")
		p.run("app", "create", "--user", "nobody", "--name", "x").fails(1, `there is no account "nobody"`)
		p.run("app", "create", "--user", "ada", "--name", " ", "--public", "--redirect-uri", "javascript:x", "--redirect-uri", "http://app.test").fails(2,
			"name: must be 1 to 255 characters long", "redirect_uris[0]: must be https, http at a loopback address, or a scheme of your own",
			"redirect_uris[1]: must be https, unless it is at 127.0.0.1, [::1] or localhost")
	})
}

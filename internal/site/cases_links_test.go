package site_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/database"
)

// linkCase is an address with its own host on the web of the cases.
type linkCase struct {
	Path string      `json:"path"`
	Only string      `json:"only"` // the only interface that an expensive case uses; "" for all
	Want wantedBlock `json:"want"` // Source is the address itself unless it says otherwise
}

// host returns the host of a case.
func (c linkCase) host() string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, strings.Trim(c.Path, "/"))
	return strings.Trim(name, "-") + ".example.com"
}

func (c linkCase) address() string { return "https://" + c.host() + c.Path }

// linkInterfaces import addresses, each as a different user.
var linkInterfaces = map[string]func(w *importer, addresses []string){
	"api": func(w *importer, addresses []string) {
		in := w.Channel(w.who, "Links of the API", "closed")
		for _, address := range addresses {
			w.Block(w.who, address, in)
		}
	},
	"form": func(w *importer, addresses []string) {
		w.Channel(w.who, "Links of the form", "closed")
		for _, address := range addresses {
			w.site.post("/"+w.who+"/links-of-the-form/add", "value", address).want(303)
		}
	},
	"save": func(w *importer, addresses []string) {
		in := fmt.Sprint(w.Channel(w.who, "Saved", "closed"))
		for _, address := range addresses {
			w.site.post("/save", "value", address, "channel", in).want(303)
		}
	},
	"bookmarks": func(w *importer, addresses []string) {
		list := "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<TITLE>Marks</TITLE><H1>Marks</H1><DL><p>\n"
		for _, address := range addresses {
			list += `<DT><A HREF="` + address + `"></A>` + "\n"
		}
		w.bring(bringing{door: "site", source: "bookmarks", name: "marks.html", text: list + "</DL>\n", visibility: "private"})
	},
	"csv": func(w *importer, addresses []string) {
		w.bring(bringing{door: "cli", source: "csv", name: "links.csv", text: "url\n" + strings.Join(addresses, "\n") + "\n", visibility: "private"})
	},
}

func TestLinkCases(t *testing.T) {
	t.Parallel()
	all := readCases[linkCase](t, "links.json")
	eachCases(t, func(t *testing.T, r *apptest.Rig, o database.Options) {
		serveCases(t, r)
		callers := map[string]*importer{}
		for via, bring := range linkInterfaces {
			callers[via] = newCaller(t, r, o, "via-"+via)
			var addresses []string
			for _, c := range all {
				if uses(c.Only, via) {
					addresses = append(addresses, c.address())
				}
			}
			bring(callers[via], addresses)
		}
		r.WorkJobs()
		for _, c := range all {
			t.Run(strings.Trim(c.Path, "/"), func(t *testing.T) {
				want := c.Want
				if want.Source == "" {
					want.Source = c.address()
				}
				for via, w := range callers {
					if !uses(c.Only, via) {
						continue
					}
					want.check(t, w, blockOf(t, w, `b.value_url LIKE $2`, "https://"+c.host()+"/%"))
				}
			})
		}
	})
}

package web

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// paperLight is the colour of the window around an installed site before its pages say theirs, as
// the style sheet has it.
const paperLight = "#fbfaf8"

// frame is the addresses of the frame itself: what a browser asks for to install the site, and
// to read pages of it offline.
func (s *Site) frame() Room {
	return Room{Routes: []Route{
		{Path: "/manifest.webmanifest", Get: s.manifest, Open: true},
		{Path: "/sw.js", Get: s.worker, Open: true},
		{Path: "/offline", Get: offline, Open: true},
		{Path: "/favicon.ico", Get: s.favicon, Open: true},
	}}
}

// manifest describes the site to who installs it (W3C Web Application Manifest). What is
// shared with it comes to the page for saving.
func (s *Site) manifest(v *Visit) error {
	type icon struct {
		Src     string `json:"src"`
		Sizes   string `json:"sizes"`
		Type    string `json:"type"`
		Purpose string `json:"purpose,omitempty"`
	}
	type share struct {
		Action string            `json:"action"`
		Method string            `json:"method"`
		Params map[string]string `json:"params"`
	}
	png := func(name, sizes, purpose string) icon { return icon{s.asset(name), sizes, "image/png", purpose} }
	return v.made("application/manifest+json", "public, max-age=3600", struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		ShortName   string `json:"short_name"`
		Lang        string `json:"lang"`
		StartURL    string `json:"start_url"`
		Scope       string `json:"scope"`
		Display     string `json:"display"`
		Background  string `json:"background_color"`
		Theme       string `json:"theme_color"`
		Icons       []icon `json:"icons"`
		ShareTarget share  `json:"share_target"`
	}{
		ID: s.root + "/", Name: v.Site().Name, ShortName: v.Site().Name, Lang: v.Lang.Code,
		StartURL: s.root + "/", Scope: s.root + "/", Display: "standalone", Background: paperLight, Theme: paperLight,
		Icons: []icon{
			png("icon-192.png", "192x192", ""), png("icon-512.png", "512x512", ""), png("icon-maskable.png", "512x512", "maskable"),
			{s.asset("logo.svg"), "any", "image/svg+xml", ""},
		},
		ShareTarget: share{s.root + "/save", http.MethodGet, map[string]string{"url": "url", "title": "title", "text": "text"}},
	})
}

// worker is the script that keeps pages for reading offline, with what it needs to know of the
// site. A browser asks for it again at every visit, since its address stays.
func (s *Site) worker(v *Visit) error {
	v.W.Header().Set("Service-Worker-Allowed", s.root+"/")
	assets := []string{s.asset("site.css"), s.asset("logo.svg"), s.asset("htmx.min.js"), s.asset("main.js")}
	for _, name := range s.assets().needed("main.js") {
		assets = append(assets, s.asset(name))
	}
	for _, lang := range s.texts().Languages {
		assets = append(assets, s.asset(textsIn(lang)))
	}
	about, err := json.Marshal(map[string]any{"version": s.assets().sum, "root": s.root, "offline": s.root + "/offline", "assets": assets})
	if err != nil {
		return err
	}
	return v.answerWith(http.StatusOK, "text/javascript; charset=utf-8", "no-cache", []byte("const site = "+string(about)+";\n"+workerScript()))
}

// workerScript is what of the worker is the same everywhere.
func workerScript() string {
	script, err := assetFiles.ReadFile("assets/worker/sw.js")
	if err != nil {
		panic(err) // it is part of the program
	}
	return string(script)
}

// offline is the page that is shown where there is none of another. The script lists on it what
// can be read. It is nobody's: the worker keeps it for all who use the browser.
func offline(v *Visit) error {
	v.Account, v.nobodys = nil, true
	return v.Page("offline", v.T("web.offline.title"), nil, nil)
}

// favicon is at the address that browsers ask for by themselves.
func (s *Site) favicon(v *Visit) error {
	return v.answerWith(http.StatusOK, "image/x-icon", "public, max-age=86400", s.assets().byHash[s.assets().hashed["favicon.ico"]].body)
}

// asset is the address of an asset on this site.
func (s *Site) asset(name string) string { return s.root + "/assets/" + s.assets().hashed[name] }

// reader tells the readers of one browser apart, for the worker: what it keeps for one is
// for nobody else. "" leaves it as it is.
func (v *Visit) reader() string {
	switch {
	case v.nobodys:
		return ""
	case v.Account == nil:
		return "guest"
	}
	return strconv.FormatInt(int64(v.Account.ID), 10)
}

package web

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// paperLight is the window colour of the installed site before a page is loaded. It must match the
// style sheet.
const paperLight = "#fbfaf8"

// frame returns the frame's own routes: those that browsers need to install the site and to read
// pages offline.
func (s *Site) frame() PageSet {
	return PageSet{Routes: []Route{
		{Path: "/manifest.webmanifest", Get: s.manifest, Open: true},
		{Path: "/sw.js", Get: s.worker, Open: true},
		{Path: "/offline", Get: offline, Open: true},
		{Path: "/favicon.ico", Get: s.favicon, Open: true},
	}}
}

// manifest describes the site to browsers that install it (W3C Web Application Manifest). Content and
// files shared with it open the page for saving.
func (s *Site) manifest(v *Visit) error {
	type icon struct {
		Src     string `json:"src"`
		Sizes   string `json:"sizes"`
		Type    string `json:"type"`
		Purpose string `json:"purpose,omitempty"`
	}
	type shareFiles struct {
		Name   string   `json:"name"`
		Accept []string `json:"accept"`
	}
	type shareParams struct {
		URL   string       `json:"url"`
		Title string       `json:"title"`
		Text  string       `json:"text"`
		Files []shareFiles `json:"files"`
	}
	type share struct {
		Action  string      `json:"action"`
		Method  string      `json:"method"`
		Enctype string      `json:"enctype"`
		Params  shareParams `json:"params"`
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
		ShareTarget: share{s.root + "/save/share", http.MethodPost, "multipart/form-data",
			shareParams{"url", "title", "text", []shareFiles{{"file", []string{"image/*", "video/*", "audio/*", "application/pdf", "text/*", "*/*"}}}}},
	})
}

// worker answers with the service worker, which stores pages for reading offline, and its
// configuration. Browsers request it on every visit, since its address does not change.
func (s *Site) worker(v *Visit) error {
	v.W.Header().Set("Service-Worker-Allowed", s.root+"/")
	assets := []string{s.asset("site.css"), s.asset("logo.svg"), s.asset("htmx.min.js"), s.asset("early.js"), s.asset("main.js")}
	for _, name := range s.assets().needed("main.js") {
		assets = append(assets, s.asset(name))
	}
	for _, lang := range s.texts().Languages {
		assets = append(assets, s.asset(textsIn(lang)))
	}
	about, err := json.Marshal(map[string]any{"version": s.assets().sum, "root": s.root, "offline": s.root + "/offline", "assets": assets,
		"largest": s.o.App.Content.UploadLimit()})
	if err != nil {
		return err
	}
	return v.answerWith(http.StatusOK, "text/javascript; charset=utf-8", "no-cache", []byte("const site = "+string(about)+";\n"+workerScript()))
}

// workerScript returns the part of the worker that is the same for all sites.
func workerScript() string {
	var all strings.Builder
	for _, name := range []string{"sw.js", "waiting.js"} {
		script, err := assetFiles.ReadFile("assets/worker/" + name)
		if err != nil {
			panic(err) // embedded file
		}
		all.Write(script)
	}
	return all.String()
}

// offline is shown if another page cannot be loaded. Its script lists the stored pages. It shows no
// user, since the worker stores it for all users of the browser.
func offline(v *Visit) error {
	v.Account, v.nobodys = nil, true
	return v.Page("offline", v.T("web.offline.title"), nil, nil)
}

// favicon answers at the default address of browsers.
func (s *Site) favicon(v *Visit) error {
	return v.answerWith(http.StatusOK, "image/x-icon", "public, max-age=86400", s.assets().byHash[s.assets().hashed["favicon.ico"]].body)
}

// asset returns the address of an asset.
func (s *Site) asset(name string) string { return s.root + "/assets/" + s.assets().hashed[name] }

// reader returns an id that distinguishes the users of a browser for the worker, which stores pages
// for each separately. "" means unchanged.
func (v *Visit) reader() string {
	switch {
	case v.nobodys:
		return ""
	case v.Account == nil:
		return "guest"
	}
	return strconv.FormatInt(int64(v.Account.ID), 10)
}

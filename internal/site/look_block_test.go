package site_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

func TestBlockOfEveryKind(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	guest, ada := newBrowser(t, r), signedIn(t, r, "ada")
	w := newWall(t, r)
	for kind, texts := range map[string][]string{
		"text":    {"<em>short</em>", "Added by", "In 1 channel", "No comments"},
		"image":   {"data-zoom", "900 × 500", "Original image", `srcset="`, "example.com"},
		"link":    {"The engine", `href="https://example.com/engine" rel="nofollow noopener"`, "Read the article", "1 minute", "The mill stores what"},
		"embed":   {"Wheels", "?play=1", "The player is loaded from example.com."},
		"file":    {"Download", "notes.csv", "CSV"},
		"audio":   {`<audio controls preload="metadata"`, "Download"},
		"pending": {"This is being processed"},
		"failed":  {"example.com/nothing", `href="https://example.com/nothing"`},
	} {
		p := guest.get(w.page(kind)).want(200).says(texts...).hides("Try again", "could not be fetched", "/edit", "<iframe", "alert(1)")
		if strings.Contains(p.header.Get("Content-Security-Policy"), "frame-src") {
			t.Errorf("%s may load frames", kind)
		}
		ada.get(w.page(kind)).want(200).says("/edit", "/delete", "/connect")
	}
	p := guest.get(w.page("embed")+"?play=1").want(200).says(`<iframe src="https://player.example.com/7?a=1&b=2"`, `sandbox="allow-scripts`)
	if csp := p.header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-src https://player.example.com;") {
		t.Errorf("the policy is %s", csp)
	}
	guest.get(w.page("text") + "?play=1").want(200).hides("<iframe")
	ada.get(w.page("failed")).says("Try again", "The page could not be fetched. The server answered 404 Not Found.", "It will not be tried again automatically.")
	for _, path := range []string{"/explore?type=blocks", "/explore/feed.atom"} {
		guest.get(path).want(200).hides("example.com/nothing")
	}
	for _, path := range []string{"/ada/studio-wall", "/ada/studio-wall?view=list", "/ada/studio-wall/print", "/ada/studio-wall/feed.atom"} {
		guest.get(path).want(200).says("example.com/nothing").hides("Could not be fetched", "The page could not be fetched", "404 Not Found")
	}
	ada.get("/ada/studio-wall").says("Could not be fetched", `action="`+w.page("failed")+`/retry"`)
	if entry := guest.get("/ada/studio-wall/feed.atom").body; !strings.Contains(entry, "<title>example.com/nothing</title>") {
		t.Errorf("the feed says %.2000s", entry)
	}
	ada.header.Set("Accept-Language", "de")
	ada.get(w.page("failed")).says("Der Server hat mit 404 Not Found geantwortet.", "Noch einmal versuchen")
	for _, path := range []string{"/block/0", "/block/x", "/block/99999999", "/block/-1", "/block/99999999999999999999", w.page("text") + "?page=x", w.page("text") + "?comments=0"} {
		guest.get(path).want(404)
	}
}

func TestBlockAmongOthers(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	channel, other := r.Channel("ada", "Moss", "public"), r.Channel("ada", "Drafts", "private")
	first, second, third := r.Block("ada", "First", channel), r.Block("ada", "Second", channel), r.Block("ada", "Third", channel)
	b, ada := newBrowser(t, r), signedIn(t, r, "ada")
	at := func(block, in int64) string { return fmt.Sprintf("/block/%d?in=%d", block, in) }
	link := func(rel, path string) string { return `<a rel="` + rel + `" href="` + path + `"` }
	b.get(at(second, channel)).want(200).says(link("prev", at(third, channel)), link("next", at(first, channel)), "/ada/moss")
	b.get(at(third, channel)).says(link("next", at(second, channel))).hides(`rel="prev"`)
	b.get(at(first, channel)).says(link("prev", at(second, channel))).hides(`<a rel="next"`)
	r.Connect("ada", "Block", second, other)
	b.get(at(second, other)).want(200).hides("Drafts", `rel="prev"`).says("In 1 channel")
	ada.get(at(second, other)).want(200).says("Drafts", "In 2 channels")
	for _, in := range []string{"x", "0", "99999999", "-1"} {
		b.get(fmt.Sprint("/block/", second, "?in=", in)).want(200).hides(`rel="prev"`)
	}
	hidden := r.Block("ada", "Nobody knows", other)
	nothing := b.get("/block/99999999").want(404)
	if p := b.get(fmt.Sprint("/block/", hidden)).want(404); p.body != nothing.body {
		t.Errorf("what is private and what is nowhere differ: %s", p.body)
	}
	ada.get(fmt.Sprint("/block/", hidden)).want(200).says("Nobody knows").hides(`rel="canonical"`, "oembed")
	b.get(fmt.Sprint("/block/", second)).says(`rel="canonical"`, "application/json+oembed")
	r.Do("ada", "DELETE", fmt.Sprint("/ext/v1/blocks/", second), nil).Want(204)
	b.get(at(second, channel)).want(404)
	b.get(at(third, channel)).says(link("next", at(first, channel)))
}

func TestBlockIsRemovedFromItsChannel(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel, other := r.Channel("ada", "Moss", "public"), r.Channel("ada", "Ferns", "closed")
		first, second := r.Block("ada", "First", channel), r.Block("bob", "Second", channel)
		r.Block("ada", "Third", channel)
		r.Connect("ada", "Block", second, other)
		ada, bob, eve, guest := signedIn(t, r, "ada"), signedIn(t, r, "bob"), signedIn(t, r, "eve"), newBrowser(t, r)
		at := func(block, in int64) string { return fmt.Sprintf("/block/%d?in=%d", block, in) }
		for _, reader := range []*browser{guest, eve} {
			reader.get(at(second, channel)).want(200).hides("Remove from this channel")
		}
		ada.get(fmt.Sprint("/block/", second)).hides("Remove from this channel")
		bob.get(at(first, channel)).hides("Remove from this channel")
		bob.get(at(second, other)).hides("Remove from this channel") // ada connected it there
		bob.get(at(second, channel)).says("Remove from this channel")
		form := ada.get(at(second, channel)).says(`name="next" value="/ada/moss"`, "Remove from this channel").find(`action="(/connection/\d+)" data-remove`)
		eve.post(form, "do", "remove").want(403)
		p := ada.post(form, "do", "remove", "next", "/ada/moss").leads("/ada/moss").follow().says("Removed from the channel.").hides("Second")
		ada.get(at(second, channel)).want(200).hides("Remove from this channel") // it is still in the other one
		ada.post("/connections/undo", "undo", p.find(`name="undo" value="(\w+)"`), "next", "/ada/moss").leads("/ada/moss")
		ada.get(at(second, channel)).says("Remove from this channel", fmt.Sprint(`<a rel="next" href="`, at(first, channel)))
	}, people)
}

func TestBlockIsRetried(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	ada, bob, guest := signedIn(t, r, "ada"), signedIn(t, r, "bob"), newBrowser(t, r)
	w := newWall(t, r)
	retry := w.page("failed") + "/retry"
	if p := guest.post(retry).want(303); !strings.HasPrefix(p.header.Get("Location"), "/sign-in") {
		t.Errorf("guests are led to %s", p.header.Get("Location"))
	}
	bob.post(retry).want(403)
	bob.post("/block/99999999/retry").want(404)
	ada.post(w.page("text") + "/retry").want(422)
	ada.get(retry).want(405)
	r.Web("example.com/nothing", apptest.Serve("text/html", []byte(`<title>Here after all</title>`)))
	ada.post(retry, "next", "/ada/studio-wall").leads("/ada/studio-wall").follow().says("The content will be fetched again.")
	ada.post(retry, "next", "//evil.example").leads(w.page("failed"))
	r.HastenJobs()
	r.WorkJobs()
	guest.get(w.page("failed")).want(200).says("Here after all")
}

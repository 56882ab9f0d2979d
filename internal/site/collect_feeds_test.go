package site_test

import (
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// People who may edit a channel subscribe it to feeds, see why one fails, and exchange lists with feed readers.
func TestSubscribedFeeds(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("moss.example.com/feed", apptest.Serve("application/rss+xml", []byte(
			`<rss><channel><title>Moss &lt;news&gt;</title><item><title>Green &amp;amp; "wet"</title><link>/one</link></item></channel></rss>`)))
		r.Web("moss.example.com/one", apptest.Serve("text/html", []byte("<title>One</title>")))
		r.Web("moss.example.com/page", apptest.Serve("text/html", []byte("<!doctype html><title>x</title>")))
		ada, eve, guest := signedIn(t, r, "ada"), signedIn(t, r, "eve"), newBrowser(t, r)
		r.Channel("ada", "Moss", "closed")
		const here = "/ada/moss/subscriptions"
		ada.get("/ada/moss").says(`href="` + here + `"`)
		ada.get("/ada/moss/edit").says(`href="` + here + `"`)
		ada.get(here).want(200).says("This channel has no subscribed feeds.").hides("Download as OPML")
		ada.post(here, "do", "add", "url", "").want(422).says("Must not be blank")
		ada.post(here, "do", "add", "url", "ftp://moss.example.com/").want(422).says("Must be an absolute http or https URL", `value="ftp://moss.example.com/"`)
		ada.post(here, "do", "add", "url", "http://10.0.0.1/").want(422).says("Cannot be used")
		ada.post(here, "do", "add", "url", "https://moss.example.com/feed").leads(here)
		ada.get(here).says("Waiting for the first check.", `hx-trigger="every 3s"`, "The feed has been added.")
		ada.post(here, "do", "add", "url", "http://www.moss.example.com/feed/").want(422).says("Is already a feed of this channel")
		ada.post(here, "do", "add", "url", "https://moss.example.com/page").leads(here)
		r.WorkJobs()
		ada.get("/ada/moss").says(`Green & "wet"`)
		shown := ada.get(here).says("Moss", "Last checked", "Next check", "This is a web page, not a feed.", "added by", "Download as OPML").hides("every 3s", "No longer checked", "<news>")
		ids := between(shown.body, `name="check" value="`, `"`)
		if len(ids) != 2 {
			t.Fatalf("buttons for %q", ids)
		}
		ada.post(here, "check", ids[0]).want(429).says("Try again in")
		ada.post(here, "check", "999999").want(404)
		ada.post(here, "check", "x").want(404)
		ada.post(here, "do", "other").want(400)
		eve.get("/ada/moss").hides(here)
		eve.get(here).want(403)
		eve.get(here + "/opml").want(403)
		eve.post(here, "do", "add", "url", "https://moss.example.com/feed").want(403)
		eve.post(here, "remove", ids[0]).want(403)
		guest.get(here).want(303)
		list := ada.get(here+"/opml").want(200).says(`xmlUrl="https://moss.example.com/feed"`, `title="Moss"`)
		ada.get("/settings/subscriptions").want(200).says("Moss", "This is a web page, not a feed.", here)
		eve.get("/settings/subscriptions").want(200).says("You have not added any feeds.")
		ada.get("/settings/subscriptions/opml").want(200).says(`xmlUrl="https://moss.example.com/page"`)

		eve.upload(here, nil, "feeds.opml", list.body).want(403)
		r.Channel("eve", "Stones", "private")
		const there = "/eve/stones/subscriptions"
		eve.upload(there, nil, "feeds.opml", list.body).want(200).says("2 feeds were added.")
		eve.upload(there, nil, "feeds.opml", strings.ReplaceAll(list.body, "https://moss.example.com/page", "javascript:alert(1)")).want(200).
			says("0 feeds were added.", "is already a feed of this channel", "must be an absolute http or https URL", "<bdi>javascript:alert(1)</bdi>")
		eve.upload(there, nil, "feeds.opml", "<rss/>").want(422).says("This file is not OPML")
		eve.upload(there, nil, "feeds.opml", strings.Repeat(" ", 3<<20)).want(422).says("An OPML file may have at most 2 MB")
		ada.post(here, "remove", ids[1]).leads(here)
		ada.get(here).says("The feed has been removed.").hides("This is a web page")
	}, people)
}

// between returns the texts between two marks.
func between(text, start, stop string) (all []string) {
	for _, part := range strings.Split(text, start)[1:] {
		found, _, _ := strings.Cut(part, stop)
		all = append(all, found)
	}
	return all
}

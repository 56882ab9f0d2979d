package site_test

import (
	"fmt"
	"net/http"
	"testing"

	"vitrine/internal/apptest"
)

func TestWebhooksPage(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		b, eve := first(t, r), member(t, r, "eve")
		r.Web("example.com/hook", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "<b>oops</b>", http.StatusInternalServerError)
		})
		b.get("/settings/webhooks").want(200).says("You have no webhooks.")
		b.post("/settings/webhooks", "url", "ftp://x", "payload", "thick", "channel", "nowhere", "events", "nonsense").want(422).
			says("Is not a channel that you can see.", "ftp://x", "nowhere")
		b.post("/settings/webhooks", "url", "ftp://x", "payload", "thick", "events", "nonsense").want(422).
			says("Must be an absolute http or https URL", "Must be thin or full.", "is not the type of an event")
		made := b.post("/settings/webhooks", "url", "http://example.com/hook", "name", "Mirror", "payload", "full", "events", "block.created").want(200).
			says("This is the secret of the webhook.", "Mirror", `value="block.created" checked`, `value="full" checked`)
		secret, at := made.secret(), made.find(`action="(/settings/webhooks/\d+)"`)
		b.get(at).want(200).says("Nothing was sent yet.", "The log is empty.").hides(secret)
		b.get("/settings/webhooks").want(200).says("Mirror", at)
		for _, p := range []*page{eve.get(at), eve.post(at, "do", "save"), eve.post(at, "do", "ping"), eve.post(at, "do", "rotate"), eve.post(at, "do", "delete"),
			eve.post(at, "again", "1"), eve.get("/settings/webhooks/x")} {
			p.want(404)
		}
		b.post(at, "do", "ping").leads(at).follow().says("The event will be sent in a moment.", "waiting")
		if err := r.S.App.Webhooks.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		shown := b.get(at).want(200).says("failed", "The receiver responded 500 Internal Server Error", "<b>oops</b>", "1 attempt")
		again := shown.find(`name="again" value="(\d+)"`)
		b.post(at, "again", again).leads(at).follow().says("waiting")
		b.post(at, "again", again).want(422).says("This delivery still waits to be sent.", `value="block.created" checked`)
		b.post(at, "again", "999999").want(404)
		if next := b.post(at, "do", "rotate").want(200).says("The former secret also signs until").secret(); next == secret {
			t.Error("the secret is the same")
		}
		channel := r.Channel("cy", "Loft", "private")
		b.post(at, "do", "save", "url", "http://example.com/hook", "payload", "thin", "channel", fmt.Sprint(channel)).want(422).says("Is not a channel that you can see.")
		open := r.Channel("cy", "Open", "public")
		b.post(at, "do", "save", "url", "http://example.com/hook", "name", "Copy", "payload", "thin", "channel", fmt.Sprint("https://vitrine.test/channel/", open)).leads(at).
			follow().says("The webhook has been saved.", "Copy", fmt.Sprintf(`value="%d"`, open)).hides(`value="block.created" checked`)
		b.post(at, "do", "off").leads(at).follow().says("It is off.", "Turn on")
		b.post(at, "do", "on").leads(at).follow().says("Turn off")
		b.post(at, "do", "dance").want(400)
		b.header.Set("Accept-Language", "de")
		b.get(at).want(200).says("Protokoll", "Der Empfänger antwortete 500")
		b.header.Del("Accept-Language")
		b.post(at, "do", "delete").leads("/settings/webhooks").follow().says("The webhook has been deleted.", "You have no webhooks.")
		b.get(at).want(404)
	}, people)
}

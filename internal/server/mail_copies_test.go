package server_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/content"
	"vitrine/internal/apptest"
	"vitrine/internal/domain"
	"vitrine/internal/mailin"
)

// newsletter returns a mail with an attached image, a drawing with a script, one in the text, one of another server and one that
// counts readers.
func newsletter(t *testing.T, id string) collections.MailInput {
	t.Helper()
	picture := base64.StdEncoding.EncodeToString(apptest.PNG(t, 4, 4))
	drawing := base64.StdEncoding.EncodeToString([]byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(2)</script><image href="cid:a"/></svg>`))
	m, err := mailin.Read([]byte("Message-ID: <" + id + ">\nSubject: Moss\nContent-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n\n" +
		`<p>Green ` + id + `<img class=one src="cid:a@moss"><img class=two src="cid:drawing"><img class=three src="data:image/png;base64,` + picture + `"><img class=four src="https://example.com/moss.png">` +
		`<img src="https://example.com/count.png" width=1 height=1><img src="/v3/me"><img src="cid:none"><img src="http://127.0.0.1/x"><script>alert(3)</script>` +
		"\n--b\nContent-Type: image/png\nContent-ID: <a@moss>\nContent-Transfer-Encoding: base64\n\n" + picture +
		"\n--b\nContent-Type: image/svg+xml\nContent-ID: <drawing>\nContent-Transfer-Encoding: base64\n\n" + drawing + "\n--b--\n"))
	if err != nil {
		t.Fatal(err)
	}
	return collections.MailInput{ID: m.ID, Subject: m.Subject, Text: m.Text, HTML: m.HTML}
}

// copies returns the saved copies of the newest block of the channel, and the HTML of the first one.
func (r *mailRig) copies() (id domain.BlockID, all []domain.Snapshot, text string) {
	r.T.Helper()
	id = domain.BlockID(r.Get("ada", "/v3/channels/%d/contents?sort=position_desc", r.channel.ID).Int("data.0.id"))
	b, err := r.S.App.Collections.Block(r.ctx, r.ada, id)
	if err != nil {
		r.T.Fatal(err)
	}
	if all, err = r.S.App.Content.BlockSnapshots(r.ctx, r.ada, b); err != nil || len(all) == 0 {
		return id, all, ""
	}
	f, err := r.S.App.Content.OpenSnapshot(r.ctx, all[0])
	if err != nil {
		r.T.Fatal(err)
	}
	defer f.Close()
	body, err := io.ReadAll(f)
	if err != nil {
		r.T.Fatal(err)
	}
	return id, all, string(body)
}

func TestMailWithImages(t *testing.T) {
	eachMailbox(t, func(t *testing.T, r *mailRig) {
		asked := map[string]int{}
		r.Web("example.com/", func(w http.ResponseWriter, q *http.Request) {
			asked[q.URL.Path]++
			apptest.Serve("image/png", apptest.PNG(t, 5, 5))(w, q)
		})
		for range 2 {
			if err := r.receive(newsletter(t, "1")); err != nil {
				t.Fatal(err)
			}
		}
		id, all, text := r.copies() // a server that stops here continues with the job
		if len(all) != 1 || all[0].Source != domain.FromMail || !all[0].Shared || all[0].Title != "Moss" || strings.Count(text, `src="data:`) != 3 {
			t.Fatalf("%+v\n%s", all, text)
		}
		q, err := r.S.App.Content.SnapshotRequest(r.ctx, r.ada, domain.Block{ID: id, Author: domain.Principal{PrincipalRef: domain.UserRef(r.ada.UserID)}})
		if err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		if err := r.S.App.Content.TakeSnapshot(r.ctx, content.TakeSnapshot{Block: id, Round: q.Round}); err != nil { // again
			t.Error(err)
		}
		if _, all, text = r.copies(); len(all) != 1 || strings.Count(text, `src="data:`) != 4 || strings.Contains(text, "alert") || strings.Contains(text, "http://127") ||
			strings.Contains(text, base64.StdEncoding.EncodeToString([]byte("alert"))) {
			t.Errorf("%+v\n%s", all, text)
		}
		if all[0].Omitted != 3 || len(asked) != 1 || asked["/moss.png"] != 1 {
			t.Errorf("requests %v, missing %+v", asked, all[0].Missing)
		}
		page := r.Get("ada", "/ext/v1/blocks/%d/snapshots", id)
		if page.Str("data.0.source") != "mail" {
			t.Errorf("%s", page.Body)
		}
		if got := r.Do("ada", "POST", fmt.Sprintf("/ext/v1/blocks/%d/snapshot-request", id), nil); got.Status != http.StatusUnprocessableEntity || !strings.Contains(string(got.Body), "came by mail") {
			t.Errorf("another copy: %d %s", got.Status, got.Body)
		}
	})
}

// Copies of mails count towards the quota, and the policy of a channel keeps the server from requests. Texts have no other copies.
func TestMailCopiesRefused(t *testing.T) {
	eachMailbox(t, func(t *testing.T, r *mailRig) {
		r.Web("example.com/", func(_ http.ResponseWriter, q *http.Request) { t.Errorf("a request for %s", q.URL) })
		r.Exec("UPDATE channels SET snapshots = 'never'")
		if err := r.receive(newsletter(t, "1")); err != nil {
			t.Fatal(err)
		}
		r.WorkJobs()
		id, all, text := r.copies()
		if len(all) != 1 || strings.Count(text, `src="data:`) != 3 || strings.Contains(text, "alert") || !strings.Contains(fmt.Sprint(all[0].Missing), "allow no copies") {
			t.Errorf("%+v\n%s", all, text)
		}
		in := content.SnapshotInput{Kind: domain.SnapshotPage, Source: domain.FromBrowser, Body: strings.NewReader("<html>x"), Length: 7}
		if _, err := r.S.App.Content.AddSnapshot(r.ctx, r.ada, id, in); domain.KindOf(err) != domain.Unprocessable {
			t.Errorf("a copy from a browser: %v", err)
		}
		if err := r.S.App.Content.DeleteSnapshot(r.ctx, r.ada, all[0].ID); err != nil {
			t.Fatal(err)
		}
		if err := r.receive(newsletter(t, "2")); err != nil {
			t.Fatal(err)
		}
		if id, all, _ = r.copies(); len(all) != 1 {
			t.Fatalf("%d copies", len(all))
		}
		if err := r.S.App.Content.DeleteSnapshot(r.ctx, r.ada, all[0].ID); err != nil { // before the job
			t.Fatal(err)
		}
		r.WorkJobs()
		if d := r.Dump(); len(d["snapshots"])+len(d["snapshot_requests"]) != 0 {
			t.Errorf("%v, %v", d["snapshots"], d["snapshot_requests"])
		}
		for name, text := range map[string]string{"too large": strings.Repeat("x", 60<<20), "too many elements": "<img src=https://example.com/>" + strings.Repeat("<b>", 200_000)} {
			if err := r.receive(collections.MailInput{ID: name, Subject: name, Text: "x", HTML: []byte(text)}); err != nil || r.titles()[0] != name {
				t.Errorf("%s: %v", name, err)
			}
		}
		r.WorkJobs()
		if d := r.Dump(); len(d["snapshots"]) != 1 || len(d["snapshot_requests"]) != 1 { // the mail stays as it came
			t.Errorf("%v, %v", d["snapshots"], d["snapshot_requests"])
		}
		in.Source, in.Body = domain.FromMail, strings.NewReader("<html>x") // as an import adds it
		if s, err := r.S.App.Content.AddSnapshot(r.ctx, r.ada, id, in); err != nil || s.Address != fmt.Sprintf("https://vitrine.test/block/%d", id) {
			t.Errorf("an imported copy: %+v, %v", s, err)
		}
	})
}

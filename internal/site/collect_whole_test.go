package site_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

func TestSortOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve := signedIn(t, r, "ada"), signedIn(t, r, "eve")
		channel := r.Channel("ada", "Moss", "public")
		for _, text := range []string{"pear", "Äpfel", "zebra", "\u201cBanana\u201d"} {
			r.Block("ada", text, channel)
		}
		ada.get("/ada/moss/sort").want(200).says("By title, A to Z", `value="title" checked`, "You can undo it right afterwards.")
		ada.get("/ada/moss").says("/ada/moss/sort")
		eve.get("/ada/moss").hides("/ada/moss/sort")
		eve.get("/ada/moss/sort").want(403)
		eve.post("/ada/moss/sort", "by", "title").want(403)
		ada.post("/ada/moss/sort", "by", "size").want(422).says("Must be one of title, newest, oldest, colour.")
		for _, sort := range [][2]string{{"title", "Äpfel Banana pear zebra"}, {"newest", "Banana zebra Äpfel pear"}, {"oldest", "pear Äpfel zebra Banana"}} {
			by, want := sort[0], sort[1]
			ada.post("/ada/moss/sort", "by", by).leads("/ada/moss").follow().says("items were moved.")
			for i, word := range strings.Fields(want) {
				ada.get(fmt.Sprint("/ada/moss/slideshow?page=", i+1)).says(word)
			}
		}
		ada.post("/ada/moss/sort", "by", "oldest").leads("/ada/moss").follow().says("Nothing had to be moved.").hides("/connections/undo")
		key := ada.post("/ada/moss/sort", "by", "title").leads("/ada/moss").follow().find(`name="undo" value="(\w+)"`)
		eve.post("/connections/undo", "undo", key).follow().says("This can no longer be undone.")
		ada.post("/connections/undo", "undo", key).leads("/ada/moss").follow().says("It is back where it was.")
		for i, word := range []string{"pear", "Äpfel", "zebra", "Banana"} {
			ada.get(fmt.Sprint("/ada/moss/slideshow?page=", i+1)).says(word)
		}
	}, people)
}

func TestCopyContents(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, bob := signedIn(t, r, "ada"), signedIn(t, r, "bob")
		from, to := r.Channel("ada", "Moss", "closed"), r.Channel("bob", "Ferns", "closed")
		var blocks []int64
		const n = 120 // three transactions
		for i := range n {
			blocks = append(blocks, r.Block("ada", fmt.Sprint("Block ", i), from))
		}
		r.Connect("ada", "Channel", r.Channel("ada", "Hidden", "private"), from)
		r.Connect("bob", "Block", blocks[3], to)
		at := fmt.Sprintf("/channel/%d/copy", from)
		bob.get("/ada/moss").says(at)
		newBrowser(t, r).get("/ada/moss").hides(at)
		bob.get(at).want(200).says("Copy to a new channel", "Ferns").hides("Moss</strong>")
		bob.post(at).want(422).says("Choose a channel, or make a new one.")
		bob.post(at, "channel", fmt.Sprint(from)).want(422) // ada's channel, and the same
		open := r.Channel("ada", "Open", "public")
		bob.get(at + "?q=Open").want(200).hides("Open</strong>")
		bob.post(at, "channel", fmt.Sprint(open)).want(422).says("You may not copy to channel open")
		bob.post(at, "channel", fmt.Sprint(to)).leads("/ada/moss")
		mine := bob.post(at, "title", "Mine", "visibility", "private", "once", "k").want(303).header.Get("Location")
		bob.post(at, "title", "Mine", "visibility", "private", "once", "k").leads(mine)
		r.WorkJobs()
		r.WorkJobs()
		for path, want := range map[string]string{"/bob/ferns": "120 items", mine: "120 items"} {
			bob.get(path).says(want).hides("Hidden")
		}
		bob.get(mine + "/slideshow").says("Block 119")
		bob.get(mine + "/slideshow?page=120").says("Block 0")
		bob.get("/bob/ferns/slideshow?page=120").says("Block 3") // it stays where it was
		ada.get("/notifications").hides("Block 4", "Mine")
	}, people)
}

func TestListByTitle(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		b, ada := newBrowser(t, r), signedIn(t, r, "ada")
		channel := r.Channel("ada", "Moss", "public")
		for _, text := range []string{"pear", "Zebra", "Äpfel"} {
			r.Block("ada", text, channel)
		}
		r.Connect("ada", "Channel", r.Channel("ada", "Quinces", "private"), channel)
		order := func(p *page, words ...string) {
			t.Helper()
			at := -1
			for _, word := range words {
				next := strings.Index(p.body, ">"+word+"<")
				if next <= at {
					t.Errorf("%s is at %d, after %d", word, next, at)
				}
				at = next
			}
		}
		order(b.get("/ada/moss?view=list&sort=title").want(200).says("(A to Z)", "sort=title-back", `<svg class="kind-sign"`).hides("Quinces"), "Äpfel", "pear", "Zebra")
		order(b.get("/ada/moss?view=list&sort=title-back").want(200).says("(Z to A)"), "Zebra", "pear", "Äpfel")
		ada.get("/ada/moss?view=list&sort=title").want(200).says("Quinces")
		ada.get("/ada/moss?sort=title&page=2").want(200).says("The list does not go this far")
	}, people)
}

package site_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
)

// The author of a block, and the people who may edit a channel, compare versions of its texts and restore one.
func TestHistoryPages(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve, guest := signedIn(t, r, "ada"), signedIn(t, r, "eve"), newBrowser(t, r)
		moss := r.Channel("ada", "Moss", "public")
		block := r.Block("ada", "The green <moss>", moss)
		at := fmt.Sprint("/block/", block)
		here := at + "/history"
		ada.get(at + "/edit").says(`href="` + here + `"`)
		ada.get(here).want(200).says("Version 1", "Current", "The green <moss>").hides("Restore version")
		ada.post(at+"/edit", "do", "save", "content", "The wet <moss>", "title", "Wet").leads(at)
		r.Clock.Advance(10 * time.Minute)
		shown := ada.get(here).want(200).says("Version 2", "<del>green</del><ins>wet</ins>", "<ins>Wet</ins>").hides("Restore version")
		seen := between(shown.body, `name="seen" value="`, `"`)
		if len(seen) != 0 {
			t.Errorf("the current version can be restored: %q", seen)
		}
		seen = between(ada.get(here+"?version=1").want(200).says("Restore version 1", "The green <moss>").body, `name="seen" value="`, `"`)
		if len(seen) != 1 {
			t.Fatalf("the form has the digests %q", seen)
		}
		ada.get(here + "?version=3").want(404)
		ada.get(here + "?version=x").want(404)
		ada.post(here, "restore", "9", "seen", seen[0]).want(404)
		ada.post(here, "restore", "x", "seen", seen[0]).want(404)
		ada.post(here, "restore", "1").want(422).says("The texts were changed in the meantime")
		ada.post(here, "restore", "1", "seen", seen[0]).leads(at)
		ada.get(at).says("The version has been restored.", "The green")
		ada.get(here).says("Version 3", "<del>wet</del><ins>green</ins>", "<del>Wet</del>")
		ada.post(here, "restore", "2", "seen", seen[0]).want(422).says("The texts were changed in the meantime")
		for _, to := range []string{here, "/ada/moss/history"} {
			eve.get(to).want(403)
			eve.post(to, "restore", "1", "seen", seen[0]).want(403)
			guest.get(to).want(303)
		}

		ada.get("/ada/moss").says(`href="/ada/moss/history"`)
		eve.get("/ada/moss").hides("/ada/moss/history")
		ada.post("/ada/moss/edit", "title", "Green moss", "description", "Wet").leads("/ada/green-moss")
		seen = between(ada.get("/ada/green-moss/history?version=1").want(200).body, `name="seen" value="`, `"`)
		ada.post("/ada/green-moss/history", "restore", "1", "seen", strings.Join(seen, "")).leads("/ada/moss")
		ada.get("/ada/moss/history").want(200).says("Version 3", "<del>Wet</del>")
	}, people)
}

// People compare versions of their profile, owners those of their group, and restore one.
func TestHistoryOfPeople(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve, guest := signedIn(t, r, "ada"), signedIn(t, r, "eve"), newBrowser(t, r)
		ada.post("/groups/new", "name", "Makers", "description", "We make").leads("/group/makers")
		for _, at := range []string{"/settings/profile", "/group/makers"} {
			edit, field := at, "bio"
			if at == "/group/makers" {
				edit, field = at+"/edit", "description"
			}
			ada.get(edit).says(`href="` + at + `/history"`)
			ada.get(at+"/history").want(200).says("Version 1", "Current").hides("Restore version")
			ada.post(edit, "name", "Makers", field, "We <make> pots").want(303)
			r.Clock.Advance(10 * time.Minute)
			ada.post(edit, "name", "Menders", field, "We <mend> pots").want(303)
			if at == "/group/makers" {
				at = "/group/menders"
			}
			here := at + "/history"
			ada.get(here).want(200).says("Version 3", "<del>Makers</del><ins>Menders</ins>", "mend", "<h3>Name</h3>")
			seen := between(ada.get(here+"?version=2").want(200).says("Restore version 2").body, `name="seen" value="`, `"`)
			if len(seen) != 1 {
				t.Fatalf("the form has the digests %q", seen)
			}
			ada.get(here + "?version=9").want(404)
			ada.post(here, "restore", "9", "seen", seen[0]).want(404)
			ada.post(here, "restore", "x", "seen", seen[0]).want(404)
			ada.post(here, "restore", "2").want(422).says("The texts were changed in the meantime")
			guest.get(here).want(303)
			if at == "/group/menders" {
				eve.get(here).want(403)
				eve.post(here, "restore", "2", "seen", seen[0]).want(403)
				ada.get("/group/makers/history").want(301)
				ada.post(here, "restore", "2", "seen", seen[0]).leads("/group/makers")
				ada.get("/group/makers/history").want(200).says("Version 4", "<ins>Makers</ins>")
				continue
			}
			eve.get(here).want(200).says("Version 1").hides("Version 2")
			ada.post(here, "restore", "2", "seen", seen[0]).leads(at)
			ada.get(here).want(200).says("Version 4", "<ins>Makers</ins>")
		}
	}, people)
}

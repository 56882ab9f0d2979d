package site_test

import (
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/config"
)

// An uploaded picture of a user or group is checked at once and shown when its job is done. A file
// that is not a picture is refused at its field and changes nothing.
func TestPicturesBySending(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve, tom, guest := member(t, r, "eve"), member(t, r, "tom"), newBrowser(t, r)
		eve.post("/groups/new", "name", "Guild").leads("/group/guild")
		png := apptest.PNG(t, 300, 200)
		for at, where := range map[string]string{"/settings/profile": "/eve", "/groups/new": "", "/group/guild/edit": "/group/guild"} {
			before := owners(r)
			for content, why := range map[string]string{"no image at all": "Must be an image.", "": "The file is empty: choose another.",
				string(png[:25]):                         "Is an image that is broken or too large.",
				strings.Repeat("\x00", tiny+1):           "which is the most that this server takes",
				"%PDF-1.4\n1 0 obj <<>> endobj\n%%EOF\n": "Must be an image.",
				"<html><script>alert(1)</script></html>": "Must be an image.",
				"<svg><script>alert(1)</script></svg":    "",
			} {
				eve.sendForm(at, "a.png", "image/png", []byte(content), "name", "Typed", "description", "kept", "bio", "kept").want(422).
					says(`id="picture-error"`, `value="Typed"`, "kept</textarea>", why)
			}
			broken := "--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nTyped\r\n--b\r\n" +
				"Content-Disposition: form-data; name=\"picture\"; filename=\"a.png\"\r\n\r\n" + string(png[:50])
			eve.multipart(at, "multipart/form-data; boundary=b", broken).want(422).says("The file did not arrive whole: choose it again.", `value="Typed"`)
			if diff := before.Diff(owners(r)); len(diff) > 0 {
				t.Errorf("%s: what was refused changed %s", at, strings.Join(diff, "\n"))
			}
			guest.sendForm(at, "a.png", "image/png", png, "name", "Guest").want(303)

			p := eve.sendForm(at, "a.png", "image/png", png, "name", " ", "description", "").want(422).says("The file that you sent is kept")
			kept := p.find(`name="kept" value="([^"]+)"`)
			tom.post("/settings/profile", "name", "Tom", "kept", kept).want(422).says("Names no upload of yours.")
			if where == "" {
				where = eve.post(at, "name", "Made", "description", "", "kept", kept).want(303).header.Get("Location")
			} else {
				name := map[string]string{"/eve": "Eve", "/group/guild": "Guild"}[where]
				eve.post(at, "name", name, "description", "", "bio", "", "kept", kept).want(303)
			}
			r.WorkJobs()
			edit := at
			if at == "/groups/new" {
				edit = where + "/edit"
			}
			shown := eve.get(edit).want(200).says("The picture that is shown now", "Show no picture").find(`<img class="avatar" src="([^"]+)" alt="The picture that is`)
			guest.get(strings.TrimPrefix(shown, apptest.Base)).want(200)
			eve.post(edit, "name", "Bare", "description", "", "avatar", "none").want(303)
			bare := edit
			if strings.HasPrefix(edit, "/group/") {
				bare = "/group/bare/edit"
				if p := eve.get(bare); p.status != 200 {
					bare = "/group/bare-2/edit"
				}
			}
			eve.get(bare).hides("The picture that is shown now")
		}
	}, people, func(c *config.Config) { c.UploadLimit = tiny })
}

// owners returns the rows that have pictures.
func owners(r *apptest.Rig) apptest.Dump {
	all := r.Dump()
	return apptest.Dump{"users": all["users"], "groups": all["groups"], "avatar_wishes": all["avatar_wishes"]}
}

// tiny is the upload limit of some tests.
const tiny = 64 << 10

// Only the owner of a group can change its picture.
func TestPictureOfAnothersGroup(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve, tom := member(t, r, "eve"), member(t, r, "tom")
		eve.post("/groups/new", "name", "Guild").leads("/group/guild")
		before := r.Dump()
		tom.sendForm("/group/guild/edit", "a.png", "image/png", apptest.PNG(t, 30, 20), "name", "Mine").want(403)
		tom.sendForm("/group/nothing/edit", "a.png", "image/png", apptest.PNG(t, 30, 20), "name", "Mine").want(404)
		if diff := before.Diff(r.Dump()); len(diff) > 0 {
			t.Errorf("what was refused changed %s", strings.Join(diff, "\n"))
		}
	}, people)
}

// A form that is sent twice creates one group. The next form, or another name, creates another.
func TestGroupIsMadeOnce(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve, tom := member(t, r, "eve"), member(t, r, "tom")
		once := eve.get("/groups/new").find(`name="once" value="([^"]+)"`)
		for range 2 {
			eve.post("/groups/new", "name", "Guild", "once", once).leads("/group/guild")
		}
		eve.post("/groups/new", "name", "Lodge", "once", once).leads("/group/lodge")
		tom.post("/groups/new", "name", "Hall", "once", once).leads("/group/hall")
		eve.get("/groups").says("/group/lodge", ">Guild<").hides("/group/guild-", "/group/hall")
	}, people)
}

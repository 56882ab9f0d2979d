package site_test

import (
	"image"
	"image/color"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/media/mediatest"
)

// shapes is a picture with a dark disc on teal.
func shapes(side, at int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			dx, dy := x-side*at/10, y-side*4/10
			c := color.NRGBA{0, 128, uint8(128 + 60*x/side), 255}
			if dx*dx+dy*dy < side*side/12 {
				c = color.NRGBA{60, 20, 20, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

// The page of an image shows its colours, similar images that the reader may see, and, to its author, the copies that
// they already have.
func TestSimilarImages(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Channel("ada", "Discs", "public")
		secrets := "/ada/" + r.Get("ada", "/v3/channels/%d", r.Channel("ada", "Secrets", "private")).Str("slug")
		r.Channel("eve", "Copies", "public")
		ada, eve, guest := entered(t, r, "ada"), entered(t, r, "eve"), newBrowser(t, r)
		add := func(b *browser, home, title string, img []byte) string {
			t.Helper()
			b.upload(home+"/add", []string{"title", title}, "a.png", string(img)).leads(home)
			r.WorkJobs()
			return b.get(home).find(`href="(/block/[0-9]+)`)
		}
		original := add(ada, "/ada/discs", "Original", mediatest.PNG(t, shapes(400, 3)))
		p := ada.get(original).want(200).says(`class="swatches"`, "Images with the colour #", `hx-get="`+original+`/similar"`).hides("You already have this")
		search := strings.ReplaceAll(p.find(`class="swatches">\s*<li><a href="([^"]+)"`), "&amp;", "&")
		small := add(ada, secrets, "Small", mediatest.PNG(t, shapes(200, 3)))
		add(ada, secrets, "Different", mediatest.PNG(t, shapes(300, 7)))
		copied := add(eve, "/eve/copies", "Copied", mediatest.JPEG(t, shapes(300, 3)))

		ada.get(small).says("You already have this", original, "/ada/discs", "/search/duplicates").hides("Copied")
		ada.get(original).says("You already have this", small, secrets)
		guest.get(original).says(`class="swatches"`).hides("You already have this", "Small")
		eve.get(copied).hides("You already have this")
		eve.get(original).hides("You already have this")

		ada.get(original+"/similar").want(200).says("Small", "Copied").hides("Different")
		guest.get(original+"/similar").want(200).says("Copied").hides("Small", "Different")
		guest.get(small + "/similar").want(404)
		guest.get(original + "0/similar").want(404)

		ada.get(search).want(200).says("Original", "Small", "Different", "Copied")
		guest.get(search).want(200).says("Original", "Copied").hides("Small", "Different")
		guest.get("/search?q=color:brown").says("Original")
		guest.get("/search?q=color:yellow").hides("Original")

		ada.get("/search/duplicates").want(200).says("Original", "Small").hides("Different", "Copied", "You have no duplicates")
		eve.get("/search/duplicates").want(200).says("You have no duplicates")
		id := func(path string) string { return strings.TrimPrefix(path, "/block/") }
		ask := "/search/duplicates/merge?ids=" + id(original) + "," + id(small) + "&keep=" + id(original)
		ada.get(ask).want(200).says("Merge these blocks?", "Small", "in one channel", "cannot be undone")
		eve.get(ask).want(404)
		for _, bad := range []string{"", "?keep=x&ids=1,2", "?keep=1&ids=1", "?keep=1&ids=1,,2", "?keep=1&ids=" + strings.Repeat("9,", 50) + "1"} {
			ada.get("/search/duplicates/merge" + bad).want(404)
		}
		eve.post("/search/duplicates/merge", "keep", id(original), "ids", id(small), "sure", "yes").leads("/search/duplicates")
		ada.get(small).want(200)
		ada.post("/search/duplicates/merge", "keep", id(original), "ids", id(small)).want(400)
		ada.post("/search/duplicates/merge", "keep", id(original), "ids", id(small), "sure", "yes").leads("/search/duplicates")
		ada.get("/search/duplicates").want(200).says("One block was merged.", "You have no duplicates")
		ada.get(small).want(404)
		ada.get(secrets).says(original)
		guest.get("/search/duplicates").want(303)
	})
}

// The forms name the links that a reader already has, while typing and afterwards.
func TestLinksAlreadyThere(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/", http.NotFound)
		r.Web("www.example.com/", http.NotFound)
		moss := "/ada/" + r.Get("ada", "/v3/channels/%d", r.Channel("ada", "Moss", "private")).Str("slug")
		r.Channel("eve", "Fern", "public")
		ada, eve := entered(t, r, "ada"), entered(t, r, "eve")
		ada.post(moss+"/add", "value", "https://www.example.com/moss/?utm_source=feed", "title", "On moss").leads(moss)
		ada.get(moss).hides("You already have this")
		eve.post("/eve/fern/add", "value", "https://example.com/moss", "title", "Eve on moss").leads("/eve/fern")
		eve.get("/eve/fern").hides("You already have this")

		const same = "http://example.com/moss#top"
		ada.post("/save/twins", "value", same).want(200).says("You already have this", "On moss", moss).hides("Eve on moss")
		eve.post("/save/twins", "value", same).want(200).says("Eve on moss").hides(">On moss", moss)
		for _, value := range []string{"", "moss", same + " moss", "https://example.com/fern", "https://example.com/" + strings.Repeat("x", 5000)} {
			ada.post("/save/twins", "value", value).want(200).says("You have no link to this page.").hides("You already have this")
		}
		ada.get(moss+"/add?value="+same[:len(same)-4]).want(200).says("You already have this", "On moss")
		ada.get("/save?url=https://example.com/moss").want(200).says("You already have this", "On moss")
		ada.post(moss+"/add", "value", same, "title", "Again").leads(moss)
		ada.get(moss).says("Added. You already have this.")
		r.WorkJobs()
		ada.get("/search/duplicates").want(200).says("On moss", "Again").hides("Eve on moss")
		newBrowser(t, r).post("/save/twins", "value", same).want(303)
	})
}

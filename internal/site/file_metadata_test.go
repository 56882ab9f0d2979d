package site_test

import (
	"fmt"
	"os"
	"testing"

	"vitrine/internal/apptest"
)

// TestFileMetadataChoice checks the choice on a block's edit page: it is offered for files that have
// metadata, and a form without the checkbox changes nothing.
func TestFileMetadataChoice(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		photo, err := os.ReadFile("../media/strip/testdata/gps.jpg")
		if err != nil {
			t.Fatal(err)
		}
		ada := member(t, r, "ada")
		ada.post("/new", "title", "Ferns").leads("/ada/ferns")
		const label = "Show all metadata of the file"
		ids := map[string]int64{}
		for name, body := range map[string][]byte{"photo.jpg": photo, "plain.png": apptest.PNG(t, 30, 20)} {
			ada.upload("/ada/ferns/add", nil, name, string(body)).leads("/ada/ferns")
			r.WorkJobs()
			for _, id := range r.Get("", "/v3/channels/ferns/contents").Ints("data", "id") {
				if r.Get("", "/v3/blocks/%d", id).Str("image.filename") == name {
					ids[name] = id
				}
			}
		}
		ada.get(fmt.Sprintf("/block/%d/edit", ids["plain.png"])).want(200).hides(label)
		at := fmt.Sprintf("/block/%d", ids["photo.jpg"])
		page := at + "/edit"
		ada.get(page).want(200).says(label).hides(" checked")
		ada.post(page, "title", "T", "metadata_choice", "yes", "keep_metadata", "yes").leads(at)
		ada.get(page).want(200).says(" checked")
		ada.post(page, "title", "T2").leads(at)
		ada.get(page).want(200).says(" checked")
		ada.post(page, "title", "T2", "metadata_choice", "yes").leads(at)
		ada.get(page).want(200).hides(" checked")
	})
}

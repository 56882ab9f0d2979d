package site_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"vitrine/internal/apptest"
)

// Deleted blocks and channels can be restored on a page of the settings, by their owner only.
func TestTrash(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		moss := r.Channel("ada", "Moss", "closed")
		block := r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "Words", "title": "Heartwood", "channel_ids": []int64{moss}}).Want(201).Int("id")
		ada, eve, guest := entered(t, r, "ada"), entered(t, r, "eve"), newBrowser(t, r)
		ada.get("/settings/trash").want(200).says("Trash is empty", "for 30 days")
		guest.get("/settings/trash").want(303)
		page := fmt.Sprint("/block/", block)
		ada.get(page + "/delete").says("restore it from Trash for 30 days").hides("cannot be undone")
		ada.post(page+"/delete", "sure", "yes").want(303)
		ada.get("/ada").says("Restore it from Trash")
		ada.get(page).want(404)
		ada.get("/settings/trash").says("Heartwood", "30 days left", "Moss", "deleted on")
		eve.get("/settings/trash").says("Trash is empty").hides("Heart")
		for _, button := range []string{"restore", "purge", "empty"} {
			if button != "empty" {
				eve.post("/settings/trash", button, "1").want(404)
			}
			guest.post("/settings/trash", button, "1").want(303)
			ada.post("/settings/trash", button, "x").want(404)
		}
		eve.post("/settings/trash", "empty", "9").want(303)
		ada.post("/settings/trash").want(404)
		ada.post("/settings/trash", "restore", "1").leads(page)
		ada.get(page).want(200).says("back where it was")
		ada.post("/settings/trash", "restore", "1").want(404)

		r.Do("ada", "DELETE", fmt.Sprint("/v3/channels/", moss), nil).Want(204)
		ada.get("/settings/trash").says("Moss", "Channel")
		ada.post("/settings/trash", "purge", "2").leads("/settings/trash")
		ada.get("/settings/trash").says("Trash is empty", "deleted for good")
		ada.post("/settings/trash", "restore", "2").want(404)
		ada.post(page+"/delete", "sure", "yes").want(303)
		r.Clock.Advance(29*24*time.Hour + time.Hour)
		ada = entered(t, r, "ada")
		ada.get("/settings/trash").says("one day left")
		ada.post("/settings/trash", "empty", "3").leads("/settings/trash")
		ada.get("/settings/trash").says("Trash is empty")
		r.WorkJobs()
	}, people, apptest.Trash)
}

// What was removed from a channel is listed with the channel, and with the remover if that was somebody else.
func TestTrashOfConnections(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		moss := r.Channel("ada", "Moss", "public")
		r.Collaborate("ada", moss, "eve")
		ada, eve := entered(t, r, "ada"), entered(t, r, "eve")
		for _, title := range []string{"Heartwood", "Sapwood", "Bark", "Leaf"} {
			r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": "Words", "title": title, "channel_ids": []int64{moss}}).Want(201)
		}
		all := r.Get("ada", "/v3/channels/%d/contents?sort=position_asc", moss).Ints("data", "connection.id")
		r.Do("eve", "DELETE", fmt.Sprint("/v3/connections/", all[0]), nil).Want(204)
		eve.get("/settings/trash").says("Heartwood", "removed on", "Moss").hides("Delete for good", "by Eve", "Empty Trash")
		ada.get("/settings/trash").says("Heartwood", "by Eve", "Moss", "Delete for good")
		ada.post("/settings/trash", "restore", "1").leads("/ada/moss")
		ada.get("/ada/moss").says("Heartwood", "back where it was")
		eve.post("/settings/trash", "restore", "1").want(404)
		fields := []string{"do", "remove"}
		for _, id := range all {
			fields = append(fields, "connection", fmt.Sprint(id))
		}
		ada.post("/ada/moss/arrange", fields...).want(303)
		ada.get("/settings/trash").says("Leaf", "Bark", "Sapwood", "and one more").hides("Heartwood")
		ada.post("/settings/trash", "restore", "2").leads("/ada/moss")
		if is := r.Get("ada", "/v3/channels/%d/contents?sort=position_asc", moss).Ints("data", "connection.id"); !slices.Equal(is, all) {
			t.Errorf("%v became %v", all, is)
		}
	}, people, apptest.Trash)
}

// Without Trash, deleted blocks are gone.
func TestNoTrash(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, people)
	page := fmt.Sprint("/block/", r.Block("ada", "Words", r.Channel("ada", "Moss", "closed")))
	ada := entered(t, r, "ada")
	ada.get(page + "/delete").says("cannot be undone").hides("Trash")
	ada.post(page+"/delete", "sure", "yes").want(303)
	ada.get("/ada").says("has been deleted").hides("Restore it")
	ada.get("/settings/trash").says("turned Trash off", "Trash is empty")
}

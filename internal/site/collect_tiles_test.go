package site_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
	"vitrine/internal/site/web"
)

// changedItems is what a script receives after a change of several items.
type changedItems struct {
	Note, Items, Undo string
	Connections       []int64
	Places            []struct{ Connection, Position int64 }
}

// script sends a form as a script does.
func (b *browser) script(t *testing.T, path string, pairs ...string) (c changedItems) {
	t.Helper()
	b.header.Set("Accept", "application/json, text/html")
	defer b.header.Del("Accept")
	p := b.post(path, pairs...).want(200)
	if err := json.Unmarshal([]byte(p.body), &c); err != nil {
		t.Fatalf("%s: %v: %s", p.from, err, p.body)
	}
	return c
}

// Scripts move, remove and connect several items with one request, and undo each of these.
func TestCollectTiles(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada := member(t, r, "ada")
		ada.post("/new", "title", "Ferns").leads("/ada/ferns")
		ada.post("/new", "title", "Mosses").leads("/ada/mosses")
		const at = "/ada/ferns/arrange"
		for _, text := range []string{"A", "B", "C", "D"} {
			ada.post("/ada/ferns/add", "value", text).leads("/ada/ferns")
		}
		order := func(channel string) (said string) {
			t.Helper()
			rest := ada.get(channel).want(200).body
			for {
				_, after, found := strings.Cut(rest, `<span class="words" dir="auto">`)
				if !found {
					return said
				}
				said, rest = said+after[:1], after
			}
		}
		body := ada.get("/ada/ferns").says(`data-tiles="/ada/ferns/arrange" data-removes`)
		d, c := body.find(`data-connection="(\d+)" data-position="4"`), body.find(`data-connection="(\d+)" data-position="3"`)
		if got := order("/ada/ferns"); got != "DCBA" {
			t.Fatalf("at first: %s", got)
		}

		moved := ada.script(t, at, "do", "move", "connection", d, "position", "2", "connection", c, "position", "1")
		if got := order("/ada/ferns"); got != "BADC" || len(moved.Places) != 2 || moved.Note != "2 items were moved." || moved.Items != "4 items" {
			t.Errorf("moved to %s: %+v", got, moved)
		}
		back := []string{"do", "move"}
		for _, p := range moved.Places {
			back = append(back, "connection", fmt.Sprint(p.Connection), "position", fmt.Sprint(p.Position))
		}
		ada.script(t, at, back...)
		if got := order("/ada/ferns"); got != "DCBA" {
			t.Errorf("moved back to %s", got)
		}
		ada.post(at, "do", "move", "connection", d).want(422).says("The place must be a number from 1.")
		ada.post(at, "do", "move", "connection", d, "position", "0").want(422)
		ada.post(at, "do", "move", "connection", d, "connection", c, "position", "1").want(422)

		removed := ada.script(t, at, "do", "remove", "connection", d, "connection", "999999", "connection", c)
		if got := order("/ada/ferns"); got != "BA" || len(removed.Connections) != 2 || removed.Undo == "" || removed.Items != "2 items" {
			t.Errorf("left %s: %+v", got, removed)
		}
		undone := ada.script(t, "/connections/undo", "undo", removed.Undo)
		if got := order("/ada/ferns"); got != "DCBA" || len(undone.Places) != 2 || undone.Places[0].Position != 3 || undone.Places[1].Position != 4 || undone.Items != "4 items" {
			t.Errorf("undone to %s: %+v", got, undone)
		}

		d, c = fmt.Sprint(undone.Places[1].Connection), fmt.Sprint(undone.Places[0].Connection)
		var choices []web.Option
		choose := func(query string) string {
			t.Helper()
			p := ada.get("/connections/choices?" + query).want(200)
			if err := json.Unmarshal([]byte(p.body), &choices); err != nil {
				t.Fatal(err)
			}
			return p.body
		}
		if said := choose("connection=" + d); len(choices) != 2 || choices[0].Label != "Mosses" || choices[1].Label != "Ferns" || choices[1].Hint != "Already there" {
			t.Errorf("choices: %s", said)
		}
		if said := choose("q=mos"); len(choices) != 1 || choices[0].Label != "Mosses" {
			t.Errorf("found: %s", said)
		}
		ada.get("/connections/choices?connection=x").want(404)
		member(t, r, "eve").get("/connections/choices?q=mos&connection=999999").want(404)
		to := choices[0].Value

		connected := ada.script(t, at, "do", "connect", "to", to, "connection", d, "connection", c)
		if got := order("/ada/mosses"); got != "DC" || len(connected.Connections) != 2 {
			t.Errorf("connected %s: %+v", got, connected)
		}
		if again := ada.script(t, at, "do", "connect", "to", to, "connection", d); len(again.Connections) != 0 {
			t.Errorf("what was there is not to be undone: %+v", again)
		}
		ada.script(t, "/connections/take-back", "connection", fmt.Sprint(connected.Connections[0]), "connection", fmt.Sprint(connected.Connections[1]))
		if got := order("/ada/mosses") + order("/ada/ferns"); got != "DCBA" {
			t.Errorf("taken back: %s", got)
		}
		for range 2 { // a repeated request makes no second channel
			ada.script(t, at, "do", "connect", "title", "Lichens", "once", "1", "connection", d)
		}
		if got := order("/ada/lichens"); got != "D" {
			t.Errorf("a new channel: %s", got)
		}
		ada.get("/ada/lichens-2").want(404)
	}, people)
}

// Others may connect the items of a channel, and remove only their own.
func TestTilesOfOthers(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada, eve := member(t, r, "ada"), member(t, r, "eve")
		ada.post("/new", "title", "Ferns", "visibility", "public").leads("/ada/ferns")
		ada.post("/ada/ferns/add", "value", "Ada's").leads("/ada/ferns")
		eve.post("/ada/ferns/add", "value", "Eve's").leads("/ada/ferns")
		newBrowser(t, r).get("/ada/ferns").want(200).hides("data-tiles")
		ada.get("/ada/ferns").says("data-removes")
		p := eve.get("/ada/ferns").says(`data-tiles="/ada/ferns/arrange"`).hides("data-removes", "data-sortable")
		adas, eves := p.find(`data-connection="(\d+)" data-position="1"`), p.find(`data-connection="(\d+)" data-position="2"`)
		const at = "/ada/ferns/arrange"
		eve.post(at, "do", "move", "connection", eves, "position", "1").want(403)
		if c := eve.script(t, at, "do", "remove", "connection", adas, "connection", eves); len(c.Connections) != 1 || fmt.Sprint(c.Connections[0]) != eves {
			t.Errorf("%+v", c)
		}
		ada.get("/ada/ferns").says("Ada's").hides("Eve's")
	}, people)
}

// Lists of items from anywhere let their reader connect each to a channel, and undo that.
func TestTilesFromAnywhere(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		eve := member(t, r, "eve")
		eve.post("/follow", "type", "user", "id", fmt.Sprint(r.Person("ada").ID), "do", "follow")
		garden, shed := r.Channel("ada", "Garden", "public"), r.Channel("ada", "Shed", "private")
		leaf, rust := r.Block("ada", "Leaf", garden), r.Block("ada", "Rust", shed)
		block, channel := fmt.Sprintf(`data-item="block/%d"`, leaf), fmt.Sprintf(`data-item="channel/%d"`, garden)
		for path, shows := range map[string]string{"/explore?type=blocks": block, "/explore?type=channels": channel, "/search?q=leaf": block,
			"/ada?view=blocks": block, "/ada?view=channels": channel, "/feed": block} {
			eve.get(path).want(200).says(" data-acts>", shows)
		}
		newBrowser(t, r).get("/explore").want(200).hides("data-acts", "data-item")

		eve.post("/new", "title", "Mosses").leads("/eve/mosses")
		path, to := fmt.Sprintf("/block/%d/connect", leaf), eve.get("/eve/mosses").find(`/channel/(\d+)/connect`)
		done := eve.script(t, path, "channel", to)
		if len(done.Connections) != 1 || done.Note != "One item was connected." {
			t.Errorf("connected: %+v", done)
		}
		eve.get(fmt.Sprintf("/connections/choices?block=%d", leaf)).want(200).says("Already there")
		eve.get("/connections/choices?q=mos").want(200).says("Mosses").hides("Already there")
		eve.get("/connections/choices?channel=" + to).want(200).hides("Mosses")
		for _, query := range []string{fmt.Sprintf("block=%d", rust), fmt.Sprintf("channel=%d", shed), "block=x", "channel=0"} {
			eve.get("/connections/choices?" + query).want(404)
		}
		if again := eve.script(t, path, "channel", to); len(again.Connections) != 0 {
			t.Errorf("what was there is not to be undone: %+v", again)
		}
		eve.script(t, "/connections/take-back", "connection", fmt.Sprint(done.Connections[0]))
		eve.get("/eve/mosses").want(200).hides("Leaf")
		for range 2 { // a repeated request makes no second channel
			eve.script(t, fmt.Sprintf("/channel/%d/connect", garden), "title", "Lichens", "once", "1")
		}
		eve.get("/eve/lichens").want(200).says("Garden")
		eve.get("/eve/lichens-2").want(404)
		eve.header.Set("Accept", "application/json, text/html")
		eve.post(path, "channel", fmt.Sprint(shed)).want(422)
		eve.post(fmt.Sprintf("/block/%d/connect", rust), "channel", to).want(404)
	}, people)
}

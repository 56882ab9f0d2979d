package api_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// row is a private channel of blocks with one letter each.
type row struct {
	*apptest.Rig
	channel    int64
	connection map[string]int64
}

func newRow(r *apptest.Rig, letters string) row {
	r.T.Helper()
	w := row{r, r.Channel("ada", "Row of "+letters, "private"), map[string]int64{}}
	for _, letter := range letters {
		w.insert(string(letter), nil)
	}
	w.contents()
	return w
}

// insert creates a block; if at is nil, on top.
func (w row) insert(letter string, at any) {
	w.T.Helper()
	body := map[string]any{"value": letter, "channel_ids": []int64{w.channel}}
	if at != nil {
		body["insert_at"] = at
	}
	w.Do("ada", "POST", "/v3/blocks", body).Want(201)
}

// contents reads the row from the bottom to the top, and records the connections.
func (w row) contents() (letters string, positions []int64) {
	w.T.Helper()
	page := w.Get("ada", "/v3/channels/%d/contents?per=100&sort=position_asc", w.channel)
	for i, id := range page.Ints("data", "connection.id") {
		letter := page.Str(fmt.Sprintf("data.%d.content.plain", i))
		letters += letter
		w.connection[letter] = id
	}
	return letters, page.Ints("data", "connection.position")
}

// at returns the path of a letter's connection.
func (w row) at(letter string) string { return fmt.Sprint("/v3/connections/", w.connection[letter]) }

// letters returns the letters from the bottom to the top. It checks that their positions are 1..n, both in the list and
// individually, and that the channel counts n.
func (w row) letters() string {
	w.T.Helper()
	letters, positions := w.contents()
	for i, position := range positions {
		letter := letters[i : i+1]
		if own := w.Get("ada", "%s", w.at(letter)).Int("position"); position != int64(i)+1 || own != position {
			w.T.Errorf("%s stands %dth, says %d in the list and %d for itself", letter, i+1, position, own)
		}
	}
	if n := w.Get("ada", "/v3/channels/%d", w.channel).Int("counts.contents"); n != int64(len(letters)) {
		w.T.Errorf("the channel counts %d items of %q", n, letters)
	}
	return letters
}

// TestInsert: new items go to the top or to a position, and move the items at and above it up.
func TestInsert(t *testing.T) {
	t.Parallel()
	tests := []struct {
		before string
		at     any
		after  string
	}{
		{"", nil, "x"}, {"", 1, "x"}, {"", 7, "x"}, {"a", nil, "ax"}, {"a", 1, "xa"}, {"a", 2, "ax"},
		{"abc", nil, "abcx"}, {"abc", 1, "xabc"}, {"abc", 2, "axbc"}, {"abc", 3, "abxc"}, {"abc", 4, "abcx"},
		{"abc", 5, "abcx"}, {"abc", int64(1) << 62, "abcx"},
	}
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for _, test := range tests {
			w := newRow(r, test.before)
			w.insert("x", test.at)
			if got := w.letters(); got != test.after {
				t.Errorf("x at %v of %q: %q, want %q", test.at, test.before, got, test.after)
			}
		}
	})
}

// TestInsertOften inserts at one position repeatedly, which uses up every gap of the keys.
func TestInsertOften(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		w, want := newRow(r, "01"), "01"
		for _, letter := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN" {
			w.insert(string(letter), 2)
			want = "0" + string(letter) + want[1:]
		}
		if got := w.letters(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// TestMove: all five movements from every position.
func TestMove(t *testing.T) {
	t.Parallel()
	tests := []struct{ movement, letter, after string }{
		{`"move_to_top"`, "a", "bcda"}, {`"move_to_top"`, "b", "acdb"}, {`"move_to_top"`, "d", "abcd"},
		{`"move_to_bottom"`, "d", "dabc"}, {`"move_to_bottom"`, "b", "bacd"}, {`"move_to_bottom"`, "a", "abcd"},
		{`"move_up"`, "a", "bacd"}, {`"move_up"`, "c", "abdc"}, {`"move_up"`, "d", "abcd"},
		{`"move_down"`, "d", "abdc"}, {`"move_down"`, "b", "bacd"}, {`"move_down"`, "a", "abcd"},
		{`"insert_at","position":1`, "a", "abcd"}, {`"insert_at","position":1`, "c", "cabd"}, {`"insert_at","position":1`, "d", "dabc"},
		{`"insert_at","position":2`, "a", "bacd"}, {`"insert_at","position":2`, "b", "abcd"}, {`"insert_at","position":2`, "d", "adbc"},
		{`"insert_at","position":3`, "a", "bcad"}, {`"insert_at","position":3`, "b", "acbd"}, {`"insert_at","position":3`, "d", "abdc"},
		{`"insert_at","position":4`, "a", "bcda"}, {`"insert_at","position":4`, "d", "abcd"},
		{`"insert_at","position":5`, "a", "bcda"}, {`"insert_at","position":9223372036854775807`, "b", "acdb"},
		{`"move_up","position":1`, "c", "abdc"}, // only insert_at uses the position
	}
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for _, test := range tests {
			w := newRow(r, "abcd")
			moved := w.Do("ada", "POST", w.at(test.letter)+"/move", `{"movement":`+test.movement+`}`).Want(200)
			if got := w.letters(); got != test.after {
				t.Errorf("%s %s: %q, want %q", test.letter, test.movement, got, test.after)
			}
			if got, want := moved.Int("position"), int64(strings.Index(test.after, test.letter)+1); got != want {
				t.Errorf("%s %s: answers position %d, want %d", test.letter, test.movement, got, want)
			}
			if moved.Int("id") != w.connection[test.letter] {
				t.Errorf("%s %s: answers connection %d", test.letter, test.movement, moved.Int("id"))
			}
		}
		w := newRow(r, "abc")
		w.Do("ada", "POST", w.at("c")+"/move", `{"position":1}`).Want(200) // insert_at is the default
		if got := w.letters(); got != "cab" {
			t.Errorf("without a movement: %q", got)
		}
		alone := newRow(r, "a")
		for _, movement := range []string{"move_to_top", "move_to_bottom", "move_up", "move_down"} {
			alone.Do("ada", "POST", alone.at("a")+"/move", map[string]any{"movement": movement}).Want(200)
			if got := alone.letters(); got != "a" {
				t.Errorf("%s of one alone: %q", movement, got)
			}
		}
	})
}

// TestMoveRefused: an invalid move changes nothing.
func TestMoveRefused(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		w := newRow(r, "abc")
		for body, status := range map[string]int{`{"movement":"insert_at"}`: 422, `{}`: 422, `{"movement":"insert_at","position":0}`: 400,
			`{"position":-1}`: 400, `{"movement":"up"}`: 400, `{"movement":"move_up","position":0}`: 400,
			`{"movement":"insert_at","position":1.5}`: 400, `{"movement":"insert_at","position":"1"}`: 400,
			`{"movement":"insert_at","position":null}`: 400} {
			if res := r.Do("ada", "POST", w.at("c")+"/move", body); res.Status != status {
				t.Errorf("%s: status %d, want %d: %s", body, res.Status, status, res.Body)
			}
		}
		r.Do("ada", "POST", "/v3/connections/99999/move", `{"movement":"move_up"}`).Want(404)
		if got := w.letters(); got != "abc" {
			t.Errorf("they stand %q", got)
		}
	})
}

// TestRemove: removing closes the gap.
func TestRemove(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		w := newRow(r, "abcde")
		for _, step := range []struct{ remove, left string }{{"c", "abde"}, {"a", "bde"}, {"e", "bd"}, {"b", "d"}, {"d", ""}} {
			w.Do("ada", "DELETE", w.at(step.remove), nil).Want(204)
			w.Do("ada", "GET", w.at(step.remove), nil).Want(404)
			w.Do("ada", "DELETE", w.at(step.remove), nil).Want(404)
			if got := w.letters(); got != step.left {
				t.Errorf("without %s: %q, want %q", step.remove, got, step.left)
			}
		}
		w.insert("x", 5)
		if got := w.letters(); got != "x" {
			t.Errorf("into the emptied channel: %q", got)
		}
	})
}

package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// mentions returns how many notifications of mentions a member of the cast has.
func (p *people) mentions(who string) int {
	p.T.Helper()
	return p.kindsOf(who, "/v3/me/notifications?limit=100")["mentioned_you"]
}

// What counts as a mention, and how many notifications it causes.
func TestMentions(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) {
		p.Person("eve")
		p.Person("mary-ann")
		tests := []struct {
			name, body string
			eve, mary  int // notifications
			links      int // in the HTML
		}{
			{"nobody", "@nobody and @ and @@ and @- and @", 0, 0, 0},
			{"one", "hello @eve!", 1, 0, 1},
			{"several", "@eve, @mary-ann; (@eve)", 1, 1, 3},
			{"500 times", strings.Repeat("@eve ", 500), 1, 0, 500},
			{"in capitals", "@Eve @EVE @eVe", 0, 0, 0},
			{"doubled", "@eve@ada @@eve", 0, 0, 0},
			{"an address", "eve@eve.org x@eve", 0, 0, 1},
			{"a longer word", "@evelyn @eve_ @evé", 0, 0, 0},
			{"a part of one", "@mary", 0, 0, 0},
			{"in code", "`@eve` and\n\n    @eve\n", 0, 0, 0},
			{"in a link", "[@eve](https://example.org/)", 0, 0, 1},
			{"emphasised", "**@eve**", 1, 0, 1},
			{"at the end of a line", "@eve\n@mary-ann\r\n@eve", 1, 1, 3},
			{"by id", at("@%d", p.Person("eve").ID), 0, 0, 0},
			{"a channel and a group", "@closed @crew", 0, 0, 0},
			{"dots", "@eve.", 1, 0, 1},
			{"markup", "@eve<script>alert(1)</script>", 1, 0, 1},
			{"zero width", "@\u200beve", 0, 0, 0},
			{"full width", "＠eve", 0, 0, 0},
		}
		for _, test := range tests {
			eve, mary := p.mentions("eve"), p.mentions("mary-ann")
			res := p.Do("bob", "POST", at("/v3/blocks/%d/comments", p.block), map[string]string{"body": test.body}).Want(http.StatusCreated)
			if eve, mary = p.mentions("eve")-eve, p.mentions("mary-ann")-mary; eve != test.eve || mary != test.mary {
				t.Errorf("%s: eve is told %d times, mary-ann %d times", test.name, eve, mary)
			}
			html := res.Str("body.html")
			if links := strings.Count(html, "<a "); links != test.links || strings.Contains(html, "<script") {
				t.Errorf("%s: %d links in %s", test.name, links, html)
			}
			p.Do("bob", "DELETE", at("/v3/comments/%d", res.Int("id")), nil).Want(http.StatusNoContent)
			if n := unread(p.Rig, "eve"); n != 0 {
				t.Errorf("%s: eve has %d unread after the comment's end", test.name, n)
			}
		}
	})
}

// Nobody is notified about things that they may not see, their own comments, or edits.
func TestMentionsUntold(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) {
		p.Person("eve")
		p.Collaborate("ada", p.secret, "max")
		before := map[string]int{}
		for _, name := range []string{"ada", "max", "eve", "bob"} {
			before[name] = p.mentions(name)
		}
		id := comment(p.Rig, "ada", p.hidden, "@ada @max @eve @bob")
		own := comment(p.Rig, "bob", p.block, "note to @bob")
		edited := p.Do("bob", "PATCH", at("/ext/v1/comments/%d", own), `{"body":"note to @eve"}`).Want(http.StatusOK)
		if !strings.Contains(edited.Str("body.html"), `href="`+apptest.Base+`/eve"`) {
			t.Errorf("the edited comment does not link eve: %s", edited.Body)
		}
		for name, want := range map[string]int{"ada": 0, "max": 1, "eve": 0, "bob": 0} {
			if got := p.mentions(name) - before[name]; got != want {
				t.Errorf("%s is told %d times, want %d", name, got, want)
			}
		}
		// A notification remains after an edit. A mention that an edit adds causes none.
		p.Do("ada", "PATCH", at("/ext/v1/comments/%d", id), `{"body":"never mind"}`).Want(http.StatusOK)
		if got := p.mentions("max") - before["max"]; got != 1 {
			t.Errorf("max is told %d times after the edit", got)
		}
		for _, name := range []string{"eve", "bob"} {
			if n, counted := p.Get(name, "/v3/me/notifications").Len("data"), unread(p.Rig, name); int64(n) != counted {
				t.Errorf("%s: %d notifications, %d counted", name, n, counted)
			}
		}
	})
}

// A comment with hundreds of mentions only notifies and links the first 50.
func TestMentionsOfMany(t *testing.T) {
	t.Parallel()
	eachPeople(t, func(t *testing.T, p *people) {
		const real = 60
		var body strings.Builder
		for i := range 500 {
			fmt.Fprintf(&body, "@u%d ", i)
			if i < real {
				p.Person(fmt.Sprint("u", i))
			}
		}
		res := p.Do("bob", "POST", at("/v3/blocks/%d/comments", p.block), map[string]string{"body": body.String()}).Want(http.StatusCreated)
		if links := strings.Count(res.Str("body.html"), "<a "); links != 50 {
			t.Errorf("%d links", links)
		}
		told := 0
		for i := range real {
			told += p.mentions(fmt.Sprint("u", i))
		}
		if told != 50 {
			t.Errorf("%d are told", told)
		}
	})
}

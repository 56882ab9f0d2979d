package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

type invited struct {
	Line    int    `json:"line"`
	Email   string `json:"email"`
	Outcome string `json:"outcome"`
	Account string `json:"account"`
	Link    string `json:"link"`
	Until   string `json:"expires_at"`
	Error   string `json:"error"`
}

// signUpLine matches the address on a line of its own, so that terminals select it as a whole.
var signUpLine = regexp.MustCompile(`, with\n  https://site\.example/sign-up\?invite=vitrine_sup_[0-9A-Za-z]{46}\n$`)

var signUpAddress = regexp.MustCompile(`https://site\.example/sign-up\?invite=vitrine_sup_[0-9A-Za-z]{46}`)

func TestUserInvite(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.ada()
		invite := func(args ...string) result {
			return p.run(append([]string{"user", "invite", "--site-url", "https://site.example"}, args...)...)
		}
		if r := invite("grace@example.org", "--name", "Grace", "--slug", "grace").ok(); !signUpLine.MatchString(r.out) || !strings.HasPrefix(r.out, "grace@example.org: invited, until ") {
			t.Errorf("%q", r.out)
		}
		if r := invite("grace@example.org", "ada@example.org").ok(); !strings.Contains(r.out, "grace@example.org: is already invited") ||
			!strings.Contains(r.out, "ada@example.org: already has the account ada") || signUpAddress.MatchString(r.out) {
			t.Errorf("%q", r.out)
		}
		if r := invite("grace@example.org", "--again").ok(); !signUpAddress.MatchString(r.out) {
			t.Errorf("%q", r.out)
		}
		if r := invite("alan@example.org", "--smtp-url", "smtp://mail.example").ok(); strings.Contains(r.out, "vitrine_sup_") || !strings.Contains(r.out, "the server mails the link") {
			t.Errorf("%q", r.out)
		}
		if r := invite("edsger@example.org", "--smtp-url", "smtp://mail.example", "--link").ok(); !signUpAddress.MatchString(r.out) {
			t.Errorf("%q", r.out)
		}
		r := invite("not an address", "eve@example.org")
		if r.code != 3 || !strings.Contains(r.err, "not an address: email: must be an address such as ada@example.org") || !strings.Contains(r.out, "eve@example.org: invited") {
			t.Errorf("%d %q %q", r.code, r.out, r.err)
		}
		invite("x@example.org", "--group", "nowhere").failsPartly(t, "x@example.org: group: is no group")
		invite("x@example.org", "y@example.org", "--name", "X").fails(2, "--name and --slug require a single address")
		invite("x@example.org", "--days", "0").fails(2, "--days: must be at least 1")
		invite("x@example.org", "--days", "366").failsPartly(t, "days: must be at most 365")
	})
}

// failsPartly checks for exit code 3 and an error that contains why.
func (r result) failsPartly(t *testing.T, why string) {
	t.Helper()
	if r.code != 3 || !strings.Contains(r.err, why) {
		t.Errorf("%d %q, want 3 and %q", r.code, r.err, why)
	}
}

func TestUserImport(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.ada()
		file := filepath.Join(t.TempDir(), "class.csv")
		write := func(text string) {
			t.Helper()
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write("Name;E-Mail;Username\nGr\xfcn;green@example.org;green\nAda;ada@example.org;\nNobody;nowhere;\n;GREEN@example.org;\nTaken;taken@example.org;ada\n")
		var all []invited
		import1 := func(code int) []invited {
			t.Helper()
			r := p.run("user", "import", file, "--site-url", "https://site.example", "--json")
			if r.code != code {
				t.Fatalf("%d %q", r.code, r.err)
			}
			r.code = 0
			r.json(&all)
			return all
		}
		got := import1(3)
		want := []invited{{Line: 2, Email: "green@example.org", Outcome: "invited"}, {Line: 3, Email: "ada@example.org", Outcome: "has_account", Account: "ada"},
			{Line: 4, Email: "nowhere", Outcome: "refused", Error: "email: must be an address such as ada@example.org"},
			{Line: 5, Email: "GREEN@example.org", Outcome: "already_invited"}, {Line: 6, Email: "taken@example.org", Outcome: "refused", Error: "slug: is already taken"}}
		if len(got) != len(want) {
			t.Fatalf("%+v", got)
		}
		for i := range want {
			if link := got[i].Link; (link != "") != (want[i].Outcome == "invited") || link != "" && !signUpAddress.MatchString(link) {
				t.Errorf("link %q", link)
			}
			if got[i].Link, got[i].Until = "", ""; got[i] != want[i] {
				t.Errorf("%+v, want %+v", got[i], want[i])
			}
		}
		if again := import1(3); again[0].Outcome != "already_invited" {
			t.Errorf("%+v", again)
		}
		write("nothing of use\n")
		p.run("user", "import", file).fails(2, "file: must begin with a row of headings, one of which is email")
		p.run("user", "import", file+".none").fails(1, "open "+file+".none: no such file or directory")
	})
}

func TestUserLink(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p place) {
		p.ada()
		r := p.run("user", "link", "create", "--places", "30", "--note", "7b", "--vouched", "--site-url", "https://site.example").ok()
		if strings.TrimSpace(r.out) != signUpAddress.FindString(r.out) {
			t.Errorf("%q", r.out)
		}
		if lines := strings.Split(p.run("user", "link", "list").ok().out, "\n"); len(lines) != 3 || !regexp.MustCompile(`^1 +7b +30 +30 +true `).MatchString(lines[1]) {
			t.Errorf("%q", lines)
		}
		if r := p.run("user", "link", "end", "1").ok(); r.out != "Ended link 1.\n" {
			t.Errorf("%q", r.out)
		}
		p.run("user", "link", "end", "1").fails(1, "there is no active link 1")
		p.run("user", "link", "create", "--places", "0", "--days", "-1").fails(2, "--places: must be at least 1", "--days: must be at least 1")
		p.run("user", "link", "create", "--places", "1001").fails(2, "places: must be at most 1000")
	})
}

package files_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/domain"
	"vitrine/internal/importing/files"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"commas":                     "email,name,slug,group\nada@example.org,Ada Grün,ada,maths\n\n,,,\nbob@example.org,,,\n",
		"semicolons, mark of UTF-8":  "\uFEFFE-Mail;Name;Kurzname;Gruppe\r\nada@example.org;Ada Grün;ada;maths\r\n\r\n;;;\r\nbob@example.org;;;\r\n",
		"Windows-1252":               "email;name;username;class\r\nada@example.org;Ada Gr\xfcn;ada;maths\r\n\r\n;\r\nbob@example.org\r\n",
		"tabs, another order":        "Group\tshoe size\tName\tE-MAIL address\tUser name\nmaths\t38\tAda Grün\t ada@example.org \tada\n\n\t\t\n\t\t\tbob@example.org\n",
		"no line break at the end":   "email,name,slug,group\nada@example.org,\"Ada Grün\",ada,maths\n\n , \nbob@example.org",
		"old line of the separators": "sep=;\nemail;name;slug;group\nada@example.org;Ada Grün;ada;maths\n\nbob@example.org\n",
	} {
		rows, err := files.ReadInvitees(strings.NewReader(text))
		if err != nil || len(rows) != 2 {
			t.Errorf("%s: %+v, %v", name, rows, err)
			continue
		}
		ada, bob := rows[0], rows[1]
		first, last := 2, 5
		if strings.HasPrefix(text, "sep=") {
			first = 3
		}
		if want := (files.Invitee{Line: first, Email: "ada@example.org", Name: "Ada Grün", Slug: "ada", Group: "maths"}); ada != want {
			t.Errorf("%s: %+v", name, ada)
		}
		if want := (files.Invitee{Line: last, Email: "bob@example.org"}); bob != want {
			t.Errorf("%s: %+v", name, bob)
		}
	}
}

// An error in a row is recorded in it, and the other rows are read.
func TestReadBadRows(t *testing.T) {
	t.Parallel()
	rows, err := files.ReadInvitees(strings.NewReader("email,name\na@example.org,A\"x\nb@example.org,B\nc@example.org,\"C\nand no end"))
	if err != nil || len(rows) != 3 || rows[0].Fault.Text == "" || rows[0].Line != 2 || rows[1].Email != "b@example.org" || rows[2].Fault.Text == "" || rows[2].Line != 4 {
		t.Errorf("%+v, %v", rows, err)
	}
	rows, err = files.ReadInvitees(strings.NewReader("email,name\na\x00@example.org,A\n"))
	if err != nil || len(rows) != 1 || strings.Contains(rows[0].Email, "\x00") {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	people := func(n int) string {
		var text strings.Builder
		text.WriteString("email\n")
		for i := range n {
			fmt.Fprintf(&text, "p%d@example.org\n", i)
		}
		return text.String()
	}
	if rows, err := files.ReadInvitees(strings.NewReader(people(domain.MaxPeople))); err != nil || len(rows) != domain.MaxPeople {
		t.Error(len(rows), err)
	}
	for name, text := range map[string]string{"empty": "", "no headings": "ada@example.org\n", "no addresses": "name,slug\nAda,ada\n",
		"too many": people(domain.MaxPeople + 1), "too large": "email,name\n" + strings.Repeat("x", files.MaxInviteeBytes),
		"a picture": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"} {
		rows, err := files.ReadInvitees(strings.NewReader(text))
		if domain.KindOf(err) != domain.Invalid || !strings.Contains(fmt.Sprint(err), "file") || rows != nil {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
	}
}

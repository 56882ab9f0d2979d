package operator

import (
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// auditPer is the number of audit log entries per page.
const auditPer = 50

// auditView is a page of the audit log.
type auditView struct {
	Entries []auditRow
	Acts    []actChoice
	First   string // address of the newest page, "" on it
	Older   string // address of the next page, "" for none
	File    string // address of the whole log as JSON lines
}

// actChoice is a kind of act that the log can be filtered by.
type actChoice struct {
	Act    domain.Act
	Name   string
	Chosen bool
}

// auditRow is an entry with its names and links.
type auditRow struct {
	domain.AuditEntry
	Name    string // of the act
	Words   string // the details
	ByWho   string // address of other entries by the same actor
	AboutIt string // address of other entries about the same subject
}

// auditPage shows the audit log, or the entries that match a filter.
func auditPage(v *web.Visit) error {
	f, q, err := auditFilter(v)
	form := web.Given("actor", q.Get("actor"), "about", q.Get("about"), "from", q.Get("from"), "to", q.Get("to"))
	var found []domain.AuditEntry
	after := auditPlace(v.Query("after"))
	if err == nil {
		found, err = v.App().Operating.AuditLog(v.R.Context(), v.Actor(), f, after, auditPer+1)
	}
	shown := auditView{File: address("/operator/audit/file", q)}
	for _, act := range domain.Acts {
		shown.Acts = append(shown.Acts, actChoice{act, actName(v, act), act == f.Act})
	}
	if err != nil && !form.Refused(err, "actor", "about", "from", "to", "act") {
		return err
	}
	if after.ID != 0 {
		shown.First = address("/operator/audit", q)
	}
	if len(found) > auditPer {
		found = found[:auditPer]
		last := found[auditPer-1]
		older := url.Values{"after": {fmt.Sprintf("%d-%d", last.At.UnixMicro(), last.ID)}}
		for name := range q {
			older.Set(name, q.Get(name))
		}
		shown.Older = address("/operator/audit", older)
	}
	for _, e := range found {
		shown.Entries = append(shown.Entries, row(v, e))
	}
	return v.Page("audit", v.T("operator.title.audit"), form, shown)
}

// auditFile answers with all entries that match a filter, as JSON lines.
func auditFile(v *web.Visit) error {
	f, _, err := auditFilter(v)
	if err != nil {
		return err
	}
	return v.Download(func(begin func(filename, contentType string) io.Writer) error {
		return v.App().Operating.AuditDownload(v.R.Context(), v.Actor(), f, func() io.Writer {
			return begin("audit-"+v.Now().UTC().Format(time.DateOnly)+".jsonl", "application/jsonl; charset=utf-8")
		})
	})
}

// auditFilter parses a filter, and returns the parameters that it uses. Days are in UTC, and the
// last day is included.
func auditFilter(v *web.Visit) (f domain.AuditFilter, q url.Values, err error) {
	q = url.Values{}
	for _, name := range []string{"actor", "act", "about", "from", "to"} {
		if value := strings.TrimSpace(v.Query(name)); value != "" {
			q.Set(name, value)
		}
	}
	f.Act = domain.Act(q.Get("act"))
	if id, err := strconv.ParseInt(q.Get("actor"), 10, 64); err == nil {
		f.ActorID = domain.UserID(id)
	} else {
		f.Actor = q.Get("actor")
	}
	f.About.Label = q.Get("about")
	if kind, number, ok := strings.Cut(f.About.Label, " "); ok {
		if id, err := strconv.ParseInt(number, 10, 64); err == nil {
			f.About = domain.AuditTarget{Kind: kind, ID: id}
		}
	}
	var faults domain.Faults
	day := func(name string) time.Time {
		t, err := time.Parse(time.DateOnly, q.Get(name))
		if err != nil && q.Get(name) != "" {
			faults.Add(name, domain.FieldMalformed, "must be a day such as 2026-03-31")
		}
		return t
	}
	if f.From, f.To = day("from"), day("to"); !f.To.IsZero() {
		f.To = f.To.AddDate(0, 0, 1)
	}
	return f, q, faults.Err()
}

// auditPlace parses a cursor into the log. An invalid one means the beginning.
func auditPlace(text string) domain.AuditPlace {
	at, id, _ := strings.Cut(text, "-")
	us, err := strconv.ParseInt(at, 10, 64)
	n, err2 := strconv.ParseInt(id, 10, 64)
	if err != nil || err2 != nil || n < 1 {
		return domain.AuditPlace{}
	}
	return domain.AuditPlace{At: time.UnixMicro(us), ID: domain.AuditID(n)}
}

// actName returns the name of an act in the reader's language.
func actName(v *web.Visit, act domain.Act) string {
	return v.T("operator.act." + strings.ReplaceAll(string(act), ".", "-"))
}

func row(v *web.Visit, e domain.AuditEntry) auditRow {
	r := auditRow{AuditEntry: e, Name: actName(v, e.Act)}
	var words []string
	for name, value := range e.Details {
		words = append(words, fmt.Sprintf("%s: %v", strings.ReplaceAll(name, "_", " "), value))
	}
	slices.Sort(words)
	r.Words = strings.Join(words, ", ")
	who := e.Actor
	if e.ActorID != 0 {
		who = strconv.FormatInt(int64(e.ActorID), 10)
	}
	r.ByWho = address("/operator/audit", url.Values{"actor": {who}})
	if e.About.ID != 0 {
		r.AboutIt = address("/operator/audit", url.Values{"about": {fmt.Sprintf("%s %d", e.About.Kind, e.About.ID)}})
	}
	return r
}

func address(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

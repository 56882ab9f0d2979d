package people

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"vitrine/internal/app/people"
	"vitrine/internal/app/searches"
	"vitrine/internal/domain"
	"vitrine/internal/site/web"
)

// perPage is the number of activities per page, before similar ones are grouped.
const perPage = 24

// activityPage is a page of a list with cursors.
type activityPage struct {
	Activities []web.Activity
	First      bool   // the page starts with the newest
	Newest     string // the address of the first page
	Older      string // of the next page, "" at the end
	Unread     bool   // for notifications: only unread ones
}

// cursorInput returns the requested page.
func cursorInput(v *web.Visit) people.CursorInput {
	in := people.CursorInput{Limit: perPage}
	if next := v.Query("next"); next != "" {
		in.Next = &next
	}
	return in
}

// findsPage is a page of entries with new results of saved searches, between the activities of a page.
type findsPage struct {
	all  []web.Activity
	next domain.SearchFindCursor
	more bool // there are older ones
}

// finds reads the entries that belong to a page of activities: those since its last activity, or all if it is the last page.
func finds(v *web.Visit, in searches.FindsInput, last []web.Activity, next string, notices bool) (p findsPage, err error) {
	if in.Limit, in.Outlined = perPage, true; v.Query("found") != "" {
		if in.Before, err = findCursor(v.Query("found")); err != nil {
			return p, err
		}
	}
	if next != "" && len(last) > 0 {
		in.Since = last[len(last)-1].Oldest()
	}
	found, at, more, err := v.App().Searches.Finds(v.R.Context(), v.Actor(), in)
	return findsPage{v.Finds(found, notices), at, more}, err
}

// findCursor parses the place of an entry: its time in microseconds and its id.
func findCursor(text string) (c domain.SearchFindCursor, err error) {
	at, id, _ := strings.Cut(text, ".")
	c.FoundAt, err = strconv.ParseInt(at, 10, 64)
	n, wrong := web.ID(id)
	if err != nil || wrong != nil {
		return c, domain.InvalidField("found", domain.FieldMalformed, "is no place in this list")
	}
	c.ID = domain.SearchFindID(n)
	return c, nil
}

// onlyFinds reports whether the page is after all activities.
func onlyFinds(v *web.Visit) bool { return v.Query("found") != "" && v.Query("next") == "" }

// newActivityPage returns a page of activities and new results, with links to its neighbours.
func newActivityPage(v *web.Visit, all []web.Activity, next string, found findsPage) activityPage {
	q := v.R.URL.Query()
	q.Del("next")
	q.Del("found")
	s := activityPage{Activities: web.Merged(all, found.all), First: v.Query("next")+v.Query("found") == "", Newest: address(v, q)}
	if next != "" {
		q.Set("next", next)
	}
	if found.next.ID != 0 && (next != "" || found.more) {
		q.Set("found", fmt.Sprint(found.next.FoundAt, ".", found.next.ID))
	}
	if next != "" || found.more {
		s.Older = address(v, q)
	}
	return s
}

func address(v *web.Visit, q url.Values) string {
	if len(q) == 0 {
		return v.R.URL.EscapedPath()
	}
	return v.R.URL.EscapedPath() + "?" + q.Encode()
}

// feed shows the activities of followed users, channels and groups, and new results of saved searches.
func feed(v *web.Visit) (err error) {
	var all []web.Activity
	var next string
	if !onlyFinds(v) {
		page, err := v.App().People.Feed(v.R.Context(), v.Actor(), cursorInput(v))
		if err != nil {
			return err
		}
		all, next = v.Activities(page.Items), page.Next
	}
	found, err := finds(v, searches.FindsInput{}, all, next, false)
	if err != nil {
		return err
	}
	shown := newActivityPage(v, all, next, found)
	if err := v.Cover(web.ActivityCells(shown.Activities)...); err != nil {
		return err
	}
	if v.Fresh(append(web.ActivityTags(shown.Activities), shown.Older)...) {
		return nil
	}
	v.Wide = true
	return v.Page("feed", v.T("people.feed"), nil, shown)
}

// notifications shows other people's activities that concern the reader, and new results of saved searches.
func notifications(v *web.Visit) error {
	unread := v.Query("filter") == "unread"
	var all []web.Activity
	var next string
	if !onlyFinds(v) {
		page, err := v.App().People.NotificationDays(v.R.Context(), v.Actor(), unread, cursorInput(v).Next)
		if err != nil {
			return err
		}
		all, next = v.Notices(page.Items), page.Next
	}
	found, err := finds(v, searches.FindsInput{Notified: true, Unread: unread}, all, next, true)
	if err != nil {
		return err
	}
	data := newActivityPage(v, all, next, found)
	data.Unread = unread
	v.Wide = true
	return v.Page("notifications", v.T("people.notifications"), nil, data)
}

// readNotifications marks an entry of the list, which may combine several notifications, or all as read.
func readNotifications(v *web.Visit) error {
	f, at := v.Form(), v.Next()
	if at == "" {
		at = "/notifications"
	}
	if f.Get("do") == "all" {
		if _, err := v.App().People.ReadAllNotifications(v.R.Context(), v.Actor()); err != nil {
			return err
		}
		if err := v.App().Searches.ReadFinds(v.R.Context(), v.Actor()); err != nil {
			return err
		}
		return v.Done(at, "notifications")
	}
	if !f.Has("read", f.Get("read")) {
		return web.UnknownButton()
	}
	if _, err := read(v, f.Get("read")); err != nil {
		return err
	}
	return v.Redirect(at)
}

// openNotification marks the notifications of an entry as read, and redirects to their subject. Prefetching does not
// mark anything.
func openNotification(v *web.Visit) error {
	if v.HeadOnly() {
		return v.Redirect("/notifications")
	}
	if strings.Contains(v.R.Header.Get("Sec-Purpose")+v.R.Header.Get("Purpose"), "prefetch") {
		return domain.NewForbidden(v.T("people.notifications.ahead")) // the browser discards it and requests the page again
	}
	to, err := read(v, v.Args[0])
	if err != nil {
		return err
	}
	return v.Redirect(to)
}

// read marks notifications as read, and returns the path of their subject. ids is as in web.Activity.
func read(v *web.Visit, ids string) (string, error) {
	if id, ok := strings.CutPrefix(ids, web.FindPrefix); ok {
		return readFind(v, id)
	}
	var all []domain.ActivityID
	for id := range strings.SplitSeq(ids, ",") {
		n, err := web.ID(id)
		if err != nil || len(all) == domain.MaxPerPage {
			return "", domain.NewNotFound()
		}
		all = append(all, domain.ActivityID(n))
	}
	notices, err := v.App().People.ReadNotifications(v.R.Context(), v.Actor(), all)
	if err != nil {
		return "", err
	}
	return v.Notices(notices)[0].Path, nil
}

// readFind marks a notification about a saved search as read, and returns the path of the results.
func readFind(v *web.Visit, id string) (string, error) {
	n, err := web.ID(id)
	if err != nil {
		return "", err
	}
	s, err := v.App().Searches.ReadFind(v.R.Context(), v.Actor(), domain.SearchFindID(n))
	if err != nil {
		return "", err
	}
	return searches.Path(s), nil
}

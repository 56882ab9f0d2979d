package people

import (
	"net/url"
	"strings"

	"vitrine/internal/app/people"
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

// newActivityPage returns a page of activities with links to its neighbours.
func newActivityPage(v *web.Visit, all []web.Activity, next string) activityPage {
	q := v.R.URL.Query()
	q.Del("next")
	s := activityPage{Activities: all, First: v.Query("next") == "", Newest: address(v, q)}
	if next != "" {
		q.Set("next", next)
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

// feed shows the activities of followed users, channels and groups.
func feed(v *web.Visit) error {
	page, err := v.App().People.Feed(v.R.Context(), v.Actor(), cursorInput(v))
	if err != nil {
		return err
	}
	all := v.Activities(page.Items)
	if err := v.Cover(web.ActivityCells(all)...); err != nil {
		return err
	}
	if v.Fresh(append(web.ActivityTags(all), page.Next)...) {
		return nil
	}
	v.Wide = true
	return v.Page("feed", v.T("people.feed"), nil, newActivityPage(v, all, page.Next))
}

// notifications shows other people's activities that concern the reader.
func notifications(v *web.Visit) error {
	unread := v.Query("filter") == "unread"
	page, err := v.App().People.NotificationDays(v.R.Context(), v.Actor(), unread, cursorInput(v).Next)
	if err != nil {
		return err
	}
	data := newActivityPage(v, v.Notices(page.Items), page.Next)
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

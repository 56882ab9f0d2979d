package api_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/apptest"
)

// world is a server where ada has at least one of everything, and bob has no connection to it.
type world struct {
	*apptest.Rig
	open, closed, secret int64 // channels: public, closed, private
	spare                int64 // an empty closed channel
	block                int64 // a Text block in open and closed
	link                 int64 // a Link block in closed
	hidden               int64 // a Text block that is only in secret
	connection           int64 // of block in closed, at the bottom
	hiddenConnection     int64 // of hidden in secret
	channelConnection    int64 // of spare in open
}

func newWorld(r *apptest.Rig) *world {
	r.T.Helper()
	w := &world{Rig: r,
		open: r.Channel("ada", "Open", "public"), closed: r.Channel("ada", "Closed", "closed"),
		secret: r.Channel("ada", "Secret", "private"), spare: r.Channel("ada", "Spare", "closed")}
	r.Person("bob")
	w.block = r.Block("ada", "A *text*", w.closed, w.open)
	w.link = r.Block("ada", "https://www.example.org/page", w.closed)
	w.hidden = r.Block("ada", "Hidden", w.secret)
	w.channelConnection = w.connect("Channel", w.spare, w.open)
	w.connection = w.connectionOf(w.closed, 1)
	w.hiddenConnection = w.connectionOf(w.secret, 0)
	return w
}

// connect connects an item as ada.
func (w *world) connect(kind string, id, channel int64) int64 {
	w.T.Helper()
	return w.Do("ada", "POST", "/v3/connections", map[string]any{
		"connectable_type": kind, "connectable_id": id, "channel_ids": []int64{channel}}).
		Want(http.StatusCreated).Int("data.0.id")
}

// connectionOf returns the id of the i-th connection of a channel, from the top.
func (w *world) connectionOf(channel int64, i int) int64 {
	w.T.Helper()
	return w.Do("ada", "GET", at("/v3/channels/%d/contents", channel), nil).
		Want(http.StatusOK).Int(fmt.Sprintf("data.%d.connection.id", i))
}

func at(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// eachWorld runs f on a world on each database.
func eachWorld(t *testing.T, f func(t *testing.T, w *world), options ...apptest.Option) {
	t.Helper()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) { f(t, newWorld(r)) }, options...)
}

// unchanged fails if the database differs from before.
func (w *world) unchanged(t *testing.T, before apptest.Dump, name string) {
	t.Helper()
	if diff := before.Diff(w.Dump()); len(diff) > 0 {
		t.Fatalf("%s: the database has changed:\n%s", name, strings.Join(diff, "\n"))
	}
}

// refused checks an error of the contract's form (behaviour.md section 1). errs is the complete details.errors; without
// any, the field must be absent.
func refused(t *testing.T, name string, res *apptest.Response, status int, errs ...string) {
	t.Helper()
	if res.Status != status {
		t.Errorf("%s: status %d, want %d: %.300s", name, res.Status, status, res.Body)
		return
	}
	if res.Str("error") != http.StatusText(status) || res.Int("code") != int64(status) {
		t.Errorf("%s: %s is not the shape of %d", name, res.Body, status)
	}
	message, got := res.Str("details.message"), []string{}
	if list, ok := res.Lookup("details.errors"); ok {
		for _, v := range list.([]any) {
			got = append(got, v.(string))
		}
	}
	if !slices.Equal(got, append([]string{}, errs...)) {
		t.Errorf("%s: errors\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(errs, "\n"))
	}
	if message == "" || len(errs) > 0 && message != strings.Join(errs, "; ") {
		t.Errorf("%s: message %q does not say what errors %q do", name, message, errs)
	}
	if kind := res.Header.Get("Content-Type"); kind != "application/json; charset=utf-8" {
		t.Errorf("%s: Content-Type %q", name, kind)
	}
}

func proxies(list ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(list))
	for i, p := range list {
		all[i] = netip.MustParsePrefix(p)
	}
	return all
}

package ext

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-faster/jx"

	"vitrine/internal/app/changes"
	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/oas/ext"
	"vitrine/internal/oas/wire"
)

// changesPath and streamPath are the addresses of the changes.
const (
	changesPath = "/ext/v1/changes"
	streamPath  = changesPath + "/stream"
)

// isChanges reports whether a request reads changes. They are not compressed or cached, and may take longer than other
// responses.
func isChanges(r *http.Request) bool { return r.URL.Path == changesPath || r.URL.Path == streamPath }

// Waits reports whether a request may wait for changes: see httpedge.APIHandler. Such a request reads at the primary
// database, from which the server learns that there are changes.
func Waits(r *http.Request) bool {
	return r.URL.Path == streamPath || r.URL.Path == changesPath && r.URL.Query().Has("wait")
}

// client returns who waits.
func client(ctx context.Context) changes.Client {
	return changes.Client{Name: httpedge.Client(ctx), Token: httpedge.TokenHash(ctx)}
}

// ListChanges implements listChanges.
func (h *handler) ListChanges(ctx context.Context, p ext.ListChangesParams) (*ext.ChangeList, error) {
	page, err := h.app.Changes.Await(ctx, httpedge.Actor(ctx), changes.Input{Cursor: p.Cursor.Or(""),
		Channel: domain.ChannelID(p.Channel.Or(0)), Wait: time.Duration(p.Wait.Or(0)) * time.Second}, client(ctx))
	if err != nil {
		return nil, err
	}
	out := &ext.ChangeList{Data: make([]ext.Change, len(page.Changes)), Cursor: page.Cursor, More: page.More}
	for i := range page.Changes {
		out.Data[i] = showChange(page.Changes[i])
	}
	return out, nil
}

// StreamChanges implements streamChanges.
func (h *handler) StreamChanges(ctx context.Context, p ext.StreamChangesParams, w http.ResponseWriter) error {
	in := changes.Input{Cursor: p.LastEventID.Or(p.Cursor.Or("")), Channel: domain.ChannelID(p.Channel.Or(0))}
	s := stream{httpedge.NewEvents(w)}
	if httpedge.HeadOnly(ctx) {
		_, err := h.app.Changes.Read(ctx, httpedge.Actor(ctx), in)
		if err == nil {
			s.Begin()
		}
		return err
	}
	err := h.app.Changes.Follow(ctx, httpedge.Actor(ctx), in, client(ctx), changes.Stream{Send: s.send})
	return s.End(err, errors.Is(err, changes.ErrClosed))
}

// stream sends changes.
type stream struct{ *httpedge.Events }

// send writes the events of a page.
func (s stream) send(page changes.Page) error {
	var events []byte
	if !s.Started() {
		at := page.Start()
		events = append(events, "event: start\nid: "+at+"\ndata: {\"cursor\":\""+at+"\"}\n\n"...)
	}
	for _, c := range page.Changes {
		events = append(events, c.Event(changes.FormatAPI, event)...)
	}
	return s.Send(append(events, "id: "+page.Cursor+"\n\n"...))
}

// event encodes a change as an event.
func event(c *changes.Shown) []byte {
	var data jx.Encoder
	out := showChange(c)
	out.Encode(&data)
	return []byte("event: change\nid: " + c.Cursor + "\ndata: " + data.String() + "\n\n")
}

func showChange(c *changes.Shown) ext.Change {
	out := ext.Change{Cursor: c.Cursor, Kind: ext.ChangeKind(c.Kind), Type: ext.ChangeType(c.Type), ID: c.ID, ChannelID: nilID(c.Channel),
		ActorID: nilID(c.Actor), Fields: c.Fields, At: wire.Time{Time: c.CreatedAt}}
	if out.Fields == nil {
		out.Fields = []string{}
	}
	if out.Item.Null = c.Item.ID == 0; !out.Item.Null {
		out.Item.Value = ext.ChangeItem{Type: ext.ChangeItemType(c.Item.Type), ID: c.Item.ID}
	}
	return out
}

// nilID returns null for 0.
func nilID[T ~int64](id T) (out ext.NilInt64) {
	if id == 0 {
		out.SetToNull()
		return out
	}
	return ext.NewNilInt64(int64(id))
}

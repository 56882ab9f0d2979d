package v3

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"vitrine/internal/app/collections"
	"vitrine/internal/describe"
	"vitrine/internal/domain"
	"vitrine/internal/oas/wire"
	"vitrine/internal/scope"
)

// Shown returns a thing in the form of /v3.
func (d *Server) Shown(who domain.Actor, c collections.Current) wire.Item {
	return d.handler.shown(who, c)
}

// State returns what identifies the state of a thing in strong entity tags.
func (d *Server) State(who domain.Actor, c collections.Current) string {
	return d.handler.state(who, c)
}

func (h *handler) shown(who domain.Actor, c collections.Current) wire.Item {
	switch {
	case c.Block != nil:
		return h.fullBlock(who, *c.Block)
	case c.Channel != nil:
		return wire.Item{Value: h.fullChannel(who, *c.Channel)}
	case c.Connection != nil:
		return wire.Item{Value: h.connection(who, *c.Connection)}
	}
	return h.entity(who, domain.Entity{Comment: c.Comment, User: c.User, Group: c.Group})
}

func (h *handler) state(who domain.Actor, c collections.Current) string {
	var tag string
	switch {
	case c.Block != nil:
		tag = h.tags.Block(who, *c.Block)
	case c.Channel != nil:
		tag = h.tags.Channel(who, c.Channel.Channel, c.Channel.Collaborators)
	case c.Connection != nil:
		tag = h.tags.Connection(who, c.Connection.Channel, c.Connection.Connection)
	case c.Comment != nil:
		tag = h.tags.Comment(*c.Comment)
	case c.Group != nil:
		tag = h.tags.Group(who, *c.Group)
	case c.User != nil:
		tag = h.tags.User(who, *c.User)
	}
	return strings.Trim(strings.TrimPrefix(tag, "W/"), `"`)
}

// conditional lists the operations that take If-Match, with the kind of thing that they change.
var conditional = map[string]domain.SubjectType{
	"updateBlock": domain.SubjectBlock, "deleteBlock": domain.SubjectBlock, "setBlockFileMetadata": domain.SubjectBlock,
	"updateChannel": domain.SubjectChannel, "deleteChannel": domain.SubjectChannel,
	"updateConnection": domain.SubjectConnection, "moveConnection": domain.SubjectConnection, "deleteConnection": domain.SubjectConnection,
	"updateComment": domain.SubjectComment, "deleteComment": domain.SubjectComment,
	"updateGroup": domain.SubjectGroup, "deleteGroup": domain.SubjectGroup,
	"updateMe": domain.SubjectUser,
}

var errMismatch = domain.Wrap(domain.Mismatch, "If-Match: it has changed since. Read it again, and repeat the request with its new ETag", nil)

// Condition implements httpedge.Condition, also for /ext/v1.
func (d *Server) Condition(op *describe.Operation, u *url.URL, who domain.Actor, match func(state string) bool) *scope.Match {
	kind, ok := conditional[op.ID]
	if !ok {
		return nil
	}
	ref := domain.Ref{ID: int64(who.UserID)}
	if op.ID != "updateMe" {
		values, _ := op.PathValues(u.EscapedPath())
		ref = domain.ParseRef(values["id"])
	}
	return &scope.Match{Check: func(ctx context.Context, tx any) error {
		now, err := d.handler.app.Collections.Locked(ctx, tx, who, kind, ref, op.Method == http.MethodDelete)
		if err == nil && !match(d.handler.state(who, now)) {
			err = errMismatch
		}
		return err
	}}
}

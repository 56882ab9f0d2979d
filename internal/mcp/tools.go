package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vitrine/internal/domain"
	"vitrine/internal/httpedge"
	"vitrine/internal/middleware"
)

// tool is a tool for tokens that allow a scope.
type tool struct {
	sdk.Tool
	scope domain.Scope
	add   func(*Server, *sdk.Server)
}

// tools lists all tools.
var tools = append(readTools(), writeTools()...)

// toolNamed returns the tool with a name, or nil.
func toolNamed(name string) *tool {
	for i := range tools {
		if tools[i].Name == name {
			return &tools[i]
		}
	}
	return nil
}

// use is what a tool does for a user. It returns the result, and a sentence about it.
type use[In, Out any] func(s *Server, ctx context.Context, who domain.Actor, in In) (out Out, said string, err error)

// reads returns a tool that only reads.
func reads[In, Out any](name, title, description string, f use[In, Out]) tool {
	return newTool(domain.ScopeRead, name, title, description, sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}, f)
}

// effect is the effect of a tool that writes.
type effect struct{ destructive, idempotent, openWorld bool }

// writes returns a tool that writes.
func writes[In, Out any](name, title, description string, e effect, f use[In, Out]) tool {
	return newTool(domain.ScopeWrite, name, title, description,
		sdk.ToolAnnotations{DestructiveHint: &e.destructive, IdempotentHint: e.idempotent, OpenWorldHint: &e.openWorld}, f)
}

func newTool[In, Out any](scope domain.Scope, name, title, description string, hints sdk.ToolAnnotations, f use[In, Out]) tool {
	if hints.OpenWorldHint == nil {
		hints.OpenWorldHint = new(bool)
	}
	hints.Title = title
	t := tool{Tool: sdk.Tool{Name: name, Title: title, Description: description, Annotations: &hints}, scope: scope}
	t.add = func(s *Server, server *sdk.Server) {
		t.InputSchema, t.OutputSchema = schemaOf[In](), schemaOf[Out]()
		sdk.AddTool(server, &t.Tool, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
			who := middleware.From(ctx).Actor
			if err := httpedge.WithinLimits("mcp_"+name, who.Limits); err != nil {
				var none Out
				return nil, none, s.shown(ctx, err)
			}
			out, said, err := f(s, ctx, who, in)
			if err != nil {
				return nil, out, s.shown(ctx, err)
			}
			text, err := marked(said, out)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, out, err
		})
	}
	return t
}

// schemaOf returns the schema of a struct. The types of its fields exclude null, since some models accept only one type:
// results omit what they do not have, and withoutNulls omits it from arguments.
func schemaOf[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // depends only on the type
	}
	notNull(s)
	return s
}

func notNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	notNull(s.Items)
	for _, field := range s.Properties {
		notNull(field)
	}
}

// withoutNulls removes the arguments of a call that are null.
func withoutNulls(p *sdk.CallToolParamsRaw) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(p.Arguments, &fields) != nil {
		return // the SDK reports it
	}
	before := len(fields)
	maps.DeleteFunc(fields, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	if text, err := json.Marshal(fields); err == nil && len(fields) < before {
		p.Arguments = text
	}
}

// marked returns a result as text.
func marked(said string, out any) (string, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(out)
	return fenced(said, text.String()), err
}

// shown returns an error as the model gets it. The cause is only logged.
func (s *Server) shown(ctx context.Context, err error) error {
	x := middleware.From(ctx)
	known, ok := errors.AsType[*domain.Error](err)
	switch {
	case ok && known.Kind != domain.Internal && known.Wait > 0:
		return errors.New(known.Message + " (retry after " + known.RetryAfter() + " seconds)")
	case ok && known.Kind != domain.Internal:
		return errors.New(known.Message)
	case ctx.Err() != nil:
		return domain.Wrap(domain.Timeout, "The request took too long", nil)
	}
	s.o.Log.ErrorContext(ctx, "a call of an assistant failed", "request_id", x.RequestID, "operation", x.Operation, "error", err) // as the status is 200, the line of the request has no error
	return errors.New("Something went wrong on the server. Request id: " + x.RequestID)
}

// member returns an error unless a user calls the tool.
func member(who domain.Actor) error {
	if !who.SignedIn() {
		return httpedge.ErrApplication
	}
	return nil
}

package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"vitrine/internal/app/collections"
	"vitrine/internal/domain"
	"vitrine/internal/middleware"
)

// Addresses of resources.
const (
	blockURI   = "vitrine://block/"
	channelURI = "vitrine://channel/"
	markdownMT = "text/markdown"
)

// addResources adds the templates of resources. The list has the user's channels (listResources).
func (s *Server) addResources(server *sdk.Server) {
	server.AddResourceTemplate(&sdk.ResourceTemplate{Name: "block", Title: "Block", Description: "A block as Markdown, by its id.",
		MIMEType: markdownMT, URITemplate: blockURI + "{id}"}, s.blockResource)
	server.AddResourceTemplate(&sdk.ResourceTemplate{Name: "channel", Title: "Channel", Description: "A channel and its first items as Markdown, by its slug or id.",
		MIMEType: markdownMT, URITemplate: channelURI + "{channel}"}, s.channelResource)
	server.AddReceivingMiddleware(s.listResources)
}

// listResources adds the channels that the user last used to the list of resources.
func (s *Server) listResources(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, r)
		list, ok := result.(*sdk.ListResourcesResult)
		who := middleware.From(ctx).Actor
		if err != nil || !ok || !who.SignedIn() {
			return result, err
		}
		channels, err := s.o.App.Collections.RecentChannels(ctx, who, maxSize)
		if err != nil {
			return nil, s.shown(ctx, err)
		}
		for _, c := range channels {
			list.Resources = append(list.Resources, &sdk.Resource{URI: channelURI + c.Slug, Name: c.Slug, Title: c.Title, MIMEType: markdownMT})
		}
		return list, nil
	}
}

// resource returns a text of people as the contents of a resource.
func resource(said, text string) *sdk.ReadResourceResult {
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{MIMEType: markdownMT, Text: fenced(said, text)}}}
}

// fenced returns a sentence of ours, and data between tags with a random name, which texts of people cannot close.
func fenced(said, data string) string {
	tag := "vitrine-data-" + rand.Text()[:10]
	return said + "\n<" + tag + ">\n" + strings.TrimSuffix(data, "\n") + "\n</" + tag + ">"
}

// unreadable returns the error for a resource that cannot be read.
func (s *Server) unreadable(ctx context.Context, uri string, err error) error {
	if kind := domain.KindOf(err); kind == domain.NotFound || kind == domain.Invalid {
		return sdk.ResourceNotFoundError(uri)
	}
	return s.shown(ctx, err)
}

func (s *Server) blockResource(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	id, err := strconv.ParseInt(strings.TrimPrefix(r.Params.URI, blockURI), 10, 64)
	if err != nil {
		return nil, sdk.ResourceNotFoundError(r.Params.URI)
	}
	out, said, err := readBlock(s, ctx, middleware.From(ctx).Actor, readBlockInput{ID: id})
	if err != nil {
		return nil, s.unreadable(ctx, r.Params.URI, err)
	}
	var text bytes.Buffer
	write(&text, out.Block)
	return resource(said, text.String()), nil
}

func (s *Server) channelResource(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	who, ref := middleware.From(ctx).Actor, domain.ParseRef(strings.TrimPrefix(r.Params.URI, channelURI))
	c, err := s.o.App.Collections.Channel(ctx, who, ref)
	if err != nil {
		return nil, s.unreadable(ctx, r.Params.URI, err)
	}
	l, err := s.o.App.Collections.Contents(ctx, who, domain.Ref{ID: int64(c.ID)},
		collections.ContentsInput{Sort: contentSorts[""], Page: domain.Page{Number: 1, Per: maxSize}})
	if err != nil {
		return nil, s.unreadable(ctx, r.Params.URI, err)
	}
	var text bytes.Buffer
	write(&text, s.channel(&c.Channel, partOfText))
	for _, content := range l.Items {
		text.WriteString("\n---\n\n")
		write(&text, s.content(content, listedText))
	}
	return resource(fmt.Sprintf("Channel %d, and %d of its %d items. list_contents lists them all.", c.ID, len(l.Items), l.Total), text.String()), nil
}

// write writes an item as Markdown.
func write(text *bytes.Buffer, i item) {
	if i.Title != "" {
		fmt.Fprintf(text, "# %s\n\n", i.Title)
	}
	fmt.Fprintf(text, "%s %d: %s\n", i.Type, i.ID, i.URL)
	if i.Source != "" {
		fmt.Fprintf(text, "Source: %s\n", i.Source)
	}
	for _, part := range []string{i.Description, i.Text} {
		if part != "" {
			fmt.Fprintf(text, "\n%s\n", part)
		}
	}
}

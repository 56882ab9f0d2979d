// Package ext is a typed client of /ext/v1, the additions of Vitrine to the API.
//
//	c, err := client.New("https://vitrine.example", client.WithToken(token))
//	x := ext.New(c)
//	for item, err := range x.AllChannelContents(ctx, "field-notes", nil) {
//		...
//	}
package ext

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"

	"vitrine/client"
	"vitrine/client/internal/rest"
)

// Client calls /ext/v1 of one server. It is safe for concurrent use.
type Client struct{ c *client.Client }

// New returns a client that sends its requests by c, with its token.
func New(c *client.Client) *Client { return &Client{c} }

// call sends a request and decodes the response into out.
func (c *Client) call(ctx context.Context, method, path string, values []any, query, body, out any) error {
	path, err := rest.Path(path, values, query)
	if err != nil {
		return err
	}
	r := client.Request{Method: method, Path: path, Body: body, Out: out}
	switch thing := out.(type) {
	case *Item:
		r.ETag = &thing.ETag
	case *Connection:
		r.ETag = &thing.ETag
	}
	return c.c.Do(ctx, r)
}

// Connection is a connection as /v3 shows it.
type Connection struct {
	client.Connection
	ETag string `json:"-"` // see client.IfMatch
}

// Item is a block, channel, user, group or comment, as /v3 shows it. The field of its type is set, unless `type`
// is missing in the selected fields. A type of a later version sets none.
type Item struct {
	Type    string
	Block   *client.Block
	Channel *client.Channel
	User    *client.User
	Group   *client.Group
	Comment *client.Comment

	WebURL   string // the address of its page
	Role     string // of a member of a group
	Channels []Item // if they are expanded
	Contents []Item // if they are expanded

	JSON json.RawMessage // everything, also an expanded `user` or `owner`
	ETag string          // of a single thing: see client.IfMatch
}

// UnmarshalJSON decodes a thing.
func (i *Item) UnmarshalJSON(data []byte) error {
	more := struct {
		Type     string
		WebURL   string `json:"web_url"`
		Role     string
		Channels []Item
		Contents []Item
	}{}
	if err := json.Unmarshal(data, &more); err != nil {
		return err
	}
	*i = Item{Type: more.Type, WebURL: more.WebURL, Role: more.Role, Channels: more.Channels, Contents: more.Contents,
		JSON: bytes.Clone(data), ETag: i.ETag}
	switch i.Type {
	case "Text", "Image", "Link", "Attachment", "Embed", "PendingBlock":
		return json.Unmarshal(data, &i.Block)
	case "Channel":
		return json.Unmarshal(data, &i.Channel)
	case "User":
		return json.Unmarshal(data, &i.User)
	case "Group":
		return json.Unmarshal(data, &i.Group)
	case "Comment":
		return json.Unmarshal(data, &i.Comment)
	}
	return nil
}

// MarshalJSON returns the thing as it was received.
func (i Item) MarshalJSON() ([]byte, error) {
	if i.JSON == nil {
		return []byte("null"), nil
	}
	return i.JSON, nil
}

// SavePageRequest is the body of SavePage.
type SavePageRequest struct {
	URL     string `json:"url"`     // the address of the page
	HTML    string `json:"html"`    // one file with everything that the page needs
	Channel string `json:"channel"` // id or slug of the channel to add it to; empty: none
}

// SavePage saves a copy of a page with a link to it.
func (c *Client) SavePage(ctx context.Context, body *SavePageRequest) (*Snapshot, error) {
	var encoded bytes.Buffer
	form := multipart.NewWriter(&encoded)
	file, err := form.CreateFormFile("file", "page.html")
	if err == nil {
		_, err = io.WriteString(file, body.HTML)
	}
	if err == nil {
		err = form.WriteField("url", body.URL)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		return nil, err
	}
	path := "/ext/v1/snapshots"
	if body.Channel != "" {
		path += "?channel=" + url.QueryEscape(body.Channel)
	}
	var out Snapshot
	err = c.c.Do(ctx, client.Request{Method: http.MethodPost, Path: path, Out: &out,
		Body: client.Encoded{Type: form.FormDataContentType(), Data: encoded.Bytes()}})
	return &out, err
}

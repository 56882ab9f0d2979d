package syncing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"

	"vitrine/client"
)

// Types of items.
const (
	typeBlock   = "Block"
	typeChannel = "Channel"
	typeAccount = "Account" // the root of a directory with all channels of a user
)

// server is the server's side.
type server struct {
	*client.Client
	http *http.Client
	me   int64
	site string // address of the website
}

// change contains the fields of a change that decide which things to read again.
type change struct {
	Kind      string   `json:"kind"`
	Type      string   `json:"type"`
	ID        int64    `json:"id"`
	ChannelID int64    `json:"channel_id"`
	ActorID   int64    `json:"actor_id"`
	Fields    []string `json:"fields"`
}

type changeList struct {
	Data   []change `json:"data"`
	Cursor string   `json:"cursor"`
	More   bool     `json:"more"`
}

// changes returns a page of changes after a cursor, or a cursor that begins now. It waits up to so many seconds for one.
func (s server) changes(ctx context.Context, cursor string, wait int) (list changeList, err error) {
	q := url.Values{}
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	if wait > 0 {
		q.Set("wait", strconv.Itoa(wait))
	}
	err = s.Do(ctx, client.Request{Method: http.MethodGet, Path: "/ext/v1/changes?" + q.Encode(), Out: &list})
	return list, err
}

// contents returns the items of a channel from the top, or the channels of the user.
func (s server) contents(ctx context.Context, root *entry) (items []client.Connectable, err error) {
	all := s.AllChannelContents(ctx, client.ID(root.ID), &client.GetChannelContentsParams{Per: 100, Sort: client.ChannelContentSortPositionDesc})
	if root.Type == typeAccount {
		all = s.AllUserContents(ctx, client.ID(s.me), &client.GetUserContentsParams{Per: 100, Type: client.ContentTypeFilterChannel})
	}
	for item, err := range all {
		if err != nil {
			return nil, err
		}
		if root.Type == typeAccount && (item.Channel == nil || !s.owns(item.Channel)) {
			continue
		}
		items = append(items, item)
	}
	return items, nil
}

func (s server) owns(c *client.Channel) bool {
	return c.Owner.EmbeddedUser != nil && c.Owner.EmbeddedUser.ID == s.me
}

// blockToChange returns a block and the ETag of its state.
func (s server) blockToChange(ctx context.Context, id int64) (b *client.Block, tag string, err error) {
	err = s.Do(ctx, client.Request{Method: http.MethodGet, Path: "/ext/v1/blocks/" + strconv.FormatInt(id, 10), Out: &b, ETag: &tag})
	return b, tag, err
}

// changeBlock changes a block if it is still in the state with an ETag. Otherwise the answer is 412.
func (s server) changeBlock(ctx context.Context, id int64, tag string, body *client.UpdateBlockRequest) (b *client.Block, err error) {
	err = s.Do(ctx, client.Request{Method: http.MethodPut, Path: "/v3/blocks/" + strconv.FormatInt(id, 10), Body: body, Out: &b, IfMatch: tag})
	return b, err
}

// has reports whether an item is in a channel.
func (s server) has(ctx context.Context, p place) (bool, error) {
	if p.Channel == 0 {
		c, err := s.GetChannel(ctx, client.ID(p.ID))
		if client.IsNotFound(err) {
			return false, nil
		}
		return err == nil && s.owns(c), err
	}
	all := s.AllBlockConnections(ctx, p.ID, &client.GetBlockConnectionsParams{Per: 100})
	if p.Type == typeChannel {
		all = s.AllChannelConnections(ctx, client.ID(p.ID), &client.GetChannelConnectionsParams{Per: 100})
	}
	for c, err := range all {
		if client.IsNotFound(err) {
			return false, nil
		}
		if err != nil || c.ID == p.Channel {
			return err == nil, err
		}
	}
	return false, nil
}

// placeOf returns the place of an item in a channel.
func placeOf(channel int64, item client.Connectable) (p place, ok bool) {
	switch {
	case item.Block != nil:
		return place{channel, typeBlock, item.Block.ID}, true
	case item.Channel != nil:
		return place{channel, typeChannel, item.Channel.ID}, true
	}
	return place{}, false
}

// fileOf returns the address and the name of a block's file.
func fileOf(b *client.Block) (address, name string) {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	if b.Attachment != nil {
		address, name = b.Attachment.URL, text(b.Attachment.Filename)
	}
	if b.Image != nil && b.Type == "Image" {
		address, name = text(b.Image.Src), text(b.Image.Filename)
	}
	if u, err := url.Parse(address); err == nil && path.Ext(name) == "" {
		name = path.Base(u.Path)
	}
	return address, name
}

// errFile reports that a file was not downloaded.
var errFile = errors.New("cannot be downloaded")

// fetch downloads a file of a block into the folder of the program. It sends no token.
func (s server) fetch(ctx context.Context, d *dir, address string, limit int64) (temp, hash string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", "", fmt.Errorf("%w: %w", errFile, err)
	}
	res, err := s.http.Do(req)
	if err != nil {
		return "", "", err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode >= 500 || res.StatusCode == http.StatusTooManyRequests {
		return "", "", &client.Error{Status: res.StatusCode}
	}
	if res.StatusCode != http.StatusOK {
		return "", "", fmt.Errorf("%w: the server answered %s", errFile, res.Status)
	}
	if res.ContentLength > limit {
		return "", "", fmt.Errorf("%w: the file has %d bytes; --max-file allows %d", errFile, res.ContentLength, limit)
	}
	return d.download(res.Body, limit)
}

// upload sends a file, and returns the value to create a block with.
func (s server) upload(ctx context.Context, root *os.Root, name string) (value string, err error) {
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	head := make([]byte, 512)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	kind := cmp.Or(contentTypes[path.Ext(name)], http.DetectContentType(head[:n]))
	return s.Upload(ctx, path.Base(name), kind, info.Size(), f)
}

// contentTypes are those that the content does not show.
var contentTypes = map[string]string{".svg": "image/svg+xml", ".csv": "text/csv", ".json": "application/json", ".epub": "application/epub+zip", ".canvas": "application/json"}

// refused reports whether the server refused a request for a reason that lies in the request.
func refused(err error) bool {
	e, ok := errors.AsType[*client.Error](err)
	return ok && e.Status >= 400 && e.Status < 500 && e.Status != http.StatusUnauthorized && e.Status != http.StatusRequestTimeout && e.Status != http.StatusTooManyRequests
}

// channelURL returns the address of a channel on the website.
func (s server) channelURL(c *client.Channel) string {
	owner := ""
	switch {
	case c.Owner.EmbeddedUser != nil:
		owner = c.Owner.EmbeddedUser.Slug
	case c.Owner.EmbeddedGroup != nil:
		owner = c.Owner.EmbeddedGroup.Slug
	}
	return s.site + "/" + owner + "/" + c.Slug
}

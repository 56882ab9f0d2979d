package e2e

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// known is a thing that the writers know.
type known struct{ id, owner, in int64 }

// world is what all writers know of the site. They also try what may be refused.
type world struct {
	mu       sync.Mutex
	channels []known
	blocks   []known
	joins    []known        // connections; in is the channel
	comments []known        // in is the block
	groups   []known        // others than the one that all join and leave
	fixed    map[int64]bool // channels that stay
	group    int64
	invite   string
	done     map[string]int // acts that were carried out
	refused  map[string]int
	samples  map[string]error // of refusals
	faults   []string
	serial   int
}

func (w *world) add(list *[]known, k known) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if k.id != 0 {
		*list = append(*list, k)
	}
}

// author is an account that writes through all interfaces.
type author struct {
	client
	world  *world
	slug   string
	user   int64
	pages  string // the address of web pages
	random *rand.Rand
	site   http.Client // signed in at the website
}

// any returns one of the newest things, mostly an own one, or one with the id 0.
func (a *author) any(list *[]known) (k known) {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	own := a.random.IntN(4) > 0
	for range 20 {
		n := len(*list)
		if n == 0 {
			break
		}
		k = (*list)[n-1-a.random.IntN(min(n, 60))]
		if !own || k.owner == a.user {
			break
		}
	}
	return k
}

func (a *author) channel() int64 { return a.any(&a.world.channels).id }
func (a *author) block() int64   { return a.any(&a.world.blocks).id }
func (a *author) stays(id int64) bool {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	return a.world.fixed[id]
}

func (a *author) text() string {
	a.world.mu.Lock()
	defer a.world.mu.Unlock()
	a.world.serial++
	return fmt.Sprintf("%s %d %s", a.slug, a.world.serial, strings.Repeat("moss ", a.random.IntN(5)))
}

func (a *author) visibility() string {
	return []string{"private", "closed", "public"}[a.random.IntN(3)]
}

// learn remembers a block with its connection.
func (a *author) learn(block, channel int64) {
	a.world.add(&a.world.blocks, known{block, a.user, channel})
}

type act struct {
	name   string
	weight int
	do     func(a *author) error
}

// write carries out random acts until ctx is done.
func (a *author) write(ctx context.Context, acts []act, every time.Duration) {
	sum := 0
	for _, one := range acts {
		sum += one.weight
	}
	for pause(ctx, time.Duration(a.random.Int64N(int64(2*every)))) {
		n := a.random.IntN(sum)
		for _, one := range acts {
			if n -= one.weight; n < 0 {
				a.world.count(one.name, one.do(a))
				break
			}
		}
	}
}

// errNothing means that an act has no object.
var errNothing = errors.New("nothing to do")

// count records the outcome of an act. Every fault of the server is recorded, but for those of a kill.
func (w *world) count(name string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	refused, ok := errors.AsType[statusError](err)
	switch {
	case err == nil:
		w.done[name]++
	case ok && (refused.status == http.StatusBadRequest || refused.status == http.StatusInternalServerError || refused.status == http.StatusUnsupportedMediaType):
		w.faults = append(w.faults, fmt.Sprintf("%s: %v", name, err))
	default:
		w.refused[name]++
		w.samples[name] = err
	}
}

// acts are what authors do, by interface.
var acts = []act{
	{"v3: text", 14, func(a *author) error { return a.create(a.text()) }},
	{"v3: link", 2, func(a *author) error { return a.create(fmt.Sprintf("%s/page/%d", a.pages, a.random.IntN(1e6))) }},
	{"v3: batch", 1, func(a *author) error {
		return a.send(http.MethodPost, "/v3/blocks/batch", fields{"blocks": []fields{{"value": a.text()}, {"value": a.text()}}, "channel_ids": []int64{a.channel()}}, nil)
	}},
	{"v3: edit", 8, func(a *author) error {
		return a.send(http.MethodPut, fmt.Sprint("/v3/blocks/", a.block()), fields{"content": a.text(), "title": a.text()}, nil)
	}},
	{"v3: channel", 3, (*author).createChannel},
	{"v3: change channel", 3, func(a *author) error {
		return a.send(http.MethodPut, fmt.Sprint("/v3/channels/", a.channel()), fields{"title": a.text(), "description": a.text(), "metadata": fields{"n": a.random.IntN(9)}}, nil)
	}},
	{"v3: visibility", 6, (*author).changeVisibility},
	{"v3: owner", 2, (*author).changeOwner},
	{"v3: delete channel", 1, (*author).deleteChannel},
	{"v3: connect", 8, (*author).connect},
	{"v3: disconnect", 5, func(a *author) error {
		return a.send(http.MethodDelete, fmt.Sprint("/v3/connections/", a.any(&a.world.joins).id), nil, nil)
	}},
	{"v3: move", 6, func(a *author) error {
		return a.send(http.MethodPost, fmt.Sprintf("/v3/connections/%d/move", a.any(&a.world.joins).id), fields{"movement": []string{"move_to_top", "move_to_bottom", "move_up", "move_down"}[a.random.IntN(4)]}, nil)
	}},
	{"v3: metadata", 2, func(a *author) error {
		return a.send(http.MethodPut, fmt.Sprint("/v3/connections/", a.any(&a.world.joins).id), fields{"metadata": fields{"n": a.random.IntN(9)}}, nil)
	}},
	{"v3: comment", 6, func(a *author) error { return a.comment("/v3/blocks/%d/comments") }},
	{"v3: delete comment", 2, func(a *author) error {
		return a.send(http.MethodDelete, fmt.Sprint("/v3/comments/", a.any(&a.world.comments).id), nil, nil)
	}},
	{"v3: join or leave", 3, (*author).joinOrLeave},
	{"v3: group", 1, (*author).makeGroup},
	{"v2: text", 4, func(a *author) error {
		in := a.channel()
		var made struct {
			ID         int64
			Connection int64 `json:"connection_id"`
		}
		err := a.send(http.MethodPost, fmt.Sprintf("/v2/channels/%d/blocks", in), fields{"content": a.text()}, &made)
		a.learn(made.ID, in)
		a.world.add(&a.world.joins, known{made.Connection, a.user, in})
		return err
	}},
	{"v2: edit", 3, func(a *author) error {
		return a.send(http.MethodPut, fmt.Sprint("/v2/blocks/", a.block()), fields{"title": a.text(), "description": a.text()}, nil)
	}},
	{"v2: place", 2, func(a *author) error {
		b := a.any(&a.world.blocks)
		if b.id == 0 {
			return errNothing
		}
		return a.send(http.MethodPut, fmt.Sprintf("/v2/channels/%d/sort", b.in), fields{"connectable_type": "Block", "connectable_id": b.id, "new_position": 1 + a.random.IntN(5)}, nil)
	}},
	{"v2: select", 2, func(a *author) error {
		b := a.any(&a.world.blocks)
		return a.send(http.MethodPut, fmt.Sprintf("/v2/channels/%d/blocks/%d/selection", b.in, b.id), nil, nil)
	}},
	{"v2: remove", 2, func(a *author) error {
		b := a.any(&a.world.blocks)
		return a.send(http.MethodDelete, fmt.Sprintf("/v2/channels/%d/blocks/%d", b.in, b.id), nil, nil)
	}},
	{"v2: comment", 2, func(a *author) error { return a.comment("/v2/blocks/%d/comments") }},
	{"ext: delete block", 3, func(a *author) error {
		return a.send(http.MethodDelete, fmt.Sprint("/ext/v1/blocks/", a.block()), nil, nil)
	}},
	{"ext: change comment", 2, func(a *author) error {
		return a.send(http.MethodPatch, fmt.Sprint("/ext/v1/comments/", a.any(&a.world.comments).id), fields{"body": a.text()}, nil)
	}},
	{"ext: collaborator", 8, (*author).collaborate},
	{"ext: follow", 1, func(a *author) error {
		return a.send(http.MethodPut, fmt.Sprintf("/ext/v1/channels/%d/follow", a.channel()), nil, nil)
	}},
	{"ext: unfollow", 1, func(a *author) error {
		return a.send(http.MethodDelete, fmt.Sprintf("/ext/v1/channels/%d/follow", a.channel()), nil, nil)
	}},
	{"ext: bulk", 3, (*author).bulk},
	{"MCP: save", 2, func(a *author) error {
		return a.assist("save", fields{"value": a.text(), "channels": []string{fmt.Sprint(a.channel())}})
	}},
	{"MCP: comment", 2, func(a *author) error { return a.assist("comment", fields{"block_id": a.block(), "body": a.text()}) }},
	{"MCP: change channel", 2, func(a *author) error {
		return a.assist("update_channel", fields{"channel": fmt.Sprint(a.channel()), "title": a.text()})
	}},
	{"site: restore", 6, (*author).restore},
	{"site: remove", 2, func(a *author) error {
		j := a.any(&a.world.joins)
		return a.arrange(j.in, "/arrange", url.Values{"do": {"remove"}, "connection": {fmt.Sprint(j.id)}})
	}},
	{"site: sort", 1, func(a *author) error {
		return a.arrange(a.channel(), "/sort", url.Values{"by": {[]string{"title", "newest", "oldest"}[a.random.IntN(3)]}})
	}},
}

// create creates a block in a channel or two.
func (a *author) create(value string) error {
	in := []int64{a.channel()}
	if more := a.channel(); more != in[0] && a.random.IntN(3) == 0 {
		in = append(in, more)
	}
	var made struct{ ID int64 }
	err := a.send(http.MethodPost, "/v3/blocks", fields{"value": value, "channel_ids": in}, &made)
	a.learn(made.ID, in[0])
	if err == nil && a.random.IntN(2) == 0 {
		return a.learnPlaces(made.ID)
	}
	return err
}

// learnPlaces remembers the newest connections of the channels of a block.
func (a *author) learnPlaces(block int64) error {
	in := a.any(&a.world.blocks).in
	var page struct {
		Data []struct{ Connection struct{ ID int64 } }
	}
	err := a.send(http.MethodGet, fmt.Sprintf("/v3/channels/%d/contents?per=5", in), nil, &page)
	for _, one := range page.Data {
		a.world.add(&a.world.joins, known{one.Connection.ID, a.user, in})
	}
	return err
}

func (a *author) createChannel() error {
	body := fields{"title": a.text(), "visibility": a.visibility()}
	if a.random.IntN(3) == 0 {
		body["owner"] = fields{"id": a.world.group, "type": "Group"}
	}
	var made struct{ ID int64 }
	err := a.send(http.MethodPost, "/v3/channels", body, &made)
	a.world.add(&a.world.channels, known{id: made.ID, owner: a.user})
	return err
}

func (a *author) changeVisibility() error {
	id := a.channel()
	if a.stays(id) {
		return errNothing
	}
	return a.send(http.MethodPut, fmt.Sprint("/v3/channels/", id), fields{"visibility": a.visibility()}, nil)
}

func (a *author) changeOwner() error {
	id, to := a.channel(), fields{"id": a.user, "type": "User"}
	if a.stays(id) {
		return errNothing
	}
	if a.random.IntN(2) == 0 {
		to = fields{"id": a.world.group, "type": "Group"}
	}
	return a.send(http.MethodPut, fmt.Sprint("/v3/channels/", id), fields{"owner": to}, nil)
}

func (a *author) deleteChannel() error {
	id := a.channel()
	if a.stays(id) {
		return errNothing
	}
	return a.send(http.MethodDelete, fmt.Sprint("/v3/channels/", id), nil, nil)
}

func (a *author) connect() error {
	kind, id, in := "Block", a.block(), a.channel()
	if id == 0 || a.random.IntN(3) == 0 {
		kind, id = "Channel", a.channel()
	}
	var made struct{ Data []struct{ ID int64 } }
	err := a.send(http.MethodPost, "/v3/connections", fields{"connectable_id": id, "connectable_type": kind, "channel_ids": []int64{in}, "position": 1 + a.random.IntN(6)}, &made)
	for _, one := range made.Data {
		a.world.add(&a.world.joins, known{one.ID, a.user, in})
	}
	return err
}

func (a *author) comment(path string) error {
	block := a.block()
	var made struct{ ID int64 }
	err := a.send(http.MethodPost, fmt.Sprintf(path, block), fields{"body": a.text()}, &made)
	a.world.add(&a.world.comments, known{made.ID, a.user, block})
	return err
}

// joinOrLeave joins the group, leaves it, or removes another member.
func (a *author) joinOrLeave() error {
	members := fmt.Sprintf("/v3/groups/%d/members", a.world.group)
	switch a.random.IntN(3) {
	case 0:
		return a.send(http.MethodDelete, members+"/me", nil, nil)
	case 1:
		return a.send(http.MethodDelete, fmt.Sprintf("%s/%d", members, 1+a.random.IntN(8)), nil, nil)
	default:
		return a.send(http.MethodPost, members, fields{"invite_token": a.world.invite}, nil)
	}
}

// makeGroup creates a group with a channel, or deletes one.
func (a *author) makeGroup() error {
	g := a.any(&a.world.groups)
	if a.random.IntN(2) == 0 && g.id != 0 {
		return a.send(http.MethodDelete, fmt.Sprint("/v3/groups/", g.id), nil, nil)
	}
	var group, channel struct{ ID int64 }
	err := a.send(http.MethodPost, "/v3/groups", fields{"name": a.text()}, &group)
	if err == nil {
		err = a.send(http.MethodPost, "/v3/channels", fields{"title": a.text(), "visibility": a.visibility(), "owner": fields{"id": group.ID, "type": "Group"}}, &channel)
	}
	a.world.add(&a.world.groups, known{id: group.ID, owner: a.user})
	a.world.add(&a.world.channels, known{id: channel.ID, owner: a.user})
	if with := a.channel(); err == nil && with != 0 {
		err = a.send(http.MethodPost, fmt.Sprintf("/ext/v1/channels/%d/collaborators", with), fields{"group_id": group.ID}, nil)
	}
	return err
}

// collaborate adds or removes a user or the group as a collaborator.
func (a *author) collaborate() error {
	path, who, name := fmt.Sprintf("/ext/v1/channels/%d/collaborators", a.channel()), int64(1+a.random.IntN(8)), "User"
	body := fields{"user_id": who}
	if a.random.IntN(3) == 0 {
		who, name = a.world.group, "Group"
		body = fields{"group_id": who}
	}
	if a.random.IntN(3) == 0 {
		return a.send(http.MethodDelete, fmt.Sprintf("%s/%s/%d", path, name, who), nil, nil)
	}
	return a.send(http.MethodPost, path, body, nil)
}

// bulk creates, connects, comments on and sometimes deletes a block at once.
func (a *author) bulk() error {
	operations := []fields{
		{"method": "POST", "path": "/v3/blocks", "body": fields{"value": a.text(), "channel_ids": []int64{a.channel()}}},
		{"method": "POST", "path": "/v3/connections", "body": fields{"connectable_id": "$0.id", "connectable_type": "Block", "channel_ids": []int64{a.channel()}}},
		{"method": "POST", "path": "/v3/blocks/$0.id/comments", "body": fields{"body": a.text()}},
	}
	if a.random.IntN(3) == 0 {
		operations = append(operations, fields{"method": "DELETE", "path": "/ext/v1/blocks/$0.id"})
	}
	return a.send(http.MethodPost, "/ext/v1/bulk", fields{"atomic": a.random.IntN(2) == 0, "operations": operations}, nil)
}

// assist calls a tool of the MCP endpoint.
func (a *author) assist(tool string, arguments fields) error {
	body := fields{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": fields{"name": tool, "arguments": arguments}}
	var answer struct {
		Error  *struct{ Message string }
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	c := a.client
	c.allow = "application/json, text/event-stream"
	err := c.send(http.MethodPost, "/mcp", body, &answer)
	if err == nil && (answer.Error != nil || answer.Result.IsError) {
		return fmt.Errorf("%+v", answer)
	}
	return err
}

// restorable matches the buttons of Trash.
var restorable = regexp.MustCompile(`name="restore" value="(\d+)"`)

// restore restores something from Trash on the website.
func (a *author) restore() error {
	res, err := a.site.Get(a.base + "/settings/trash")
	if err != nil {
		return err
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	all := restorable.FindAllSubmatch(page, -1)
	if len(all) == 0 {
		return errNothing
	}
	return a.form("/settings/trash", url.Values{"restore": {string(all[a.random.IntN(len(all))][1])}})
}

// arrange sends a form about the contents of a channel.
func (a *author) arrange(channel int64, page string, form url.Values) error {
	var c struct {
		Slug  string
		Owner struct{ Slug, Type string }
	}
	if err := a.send(http.MethodGet, fmt.Sprint("/v3/channels/", channel), nil, &c); err != nil {
		return err
	}
	if c.Owner.Type == "Group" {
		return errNothing
	}
	return a.form("/"+c.Owner.Slug+"/"+c.Slug+page, form)
}

// form sends a form to the website.
func (a *author) form(path string, form url.Values) error {
	res, err := a.site.PostForm(a.base+path, form)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusSeeOther || strings.Contains(res.Header.Get("Location"), "/sign-in") {
		return statusError{cmp.Or(map[int]int{303: 403, 400: 422}[res.StatusCode], res.StatusCode), path}
	}
	return nil
}

// signIn signs in at the website with a link.
func (a *author) signIn(p program) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	a.site = http.Client{Jar: jar, Timeout: giveUp, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	link, err := url.Parse(p.run("user", "sign-in", a.slug))
	if err != nil {
		return err
	}
	return a.form(link.Path, url.Values{})
}

// push writes notes into a directory and lets `vitrine sync` send them, until ctx is done.
func (a *author) push(ctx context.Context, p program, folder string, channel int64, every time.Duration) {
	for n := 0; pause(ctx, every); n++ {
		name := filepath.Join(folder, fmt.Sprintf("note%d.md", a.random.IntN(12)))
		var err error
		if a.random.IntN(4) == 0 {
			err = os.Remove(name)
		} else {
			err = os.WriteFile(name, []byte(a.text()+"\n"), 0o600)
		}
		if err != nil && !os.IsNotExist(err) {
			a.world.count("sync", statusError{http.StatusBadRequest, err.Error()})
		}
		_, err = p.try(ctx, []string{"VITRINE_TOKEN=" + a.token}, "sync", folder, "--push", "--once", "--server", a.base, "--channel", fmt.Sprint(channel), "--confirm-deletions", "--settle", "10ms")
		a.world.count("sync", err)
	}
}

// try runs a command that may fail, for example because the server was killed.
func (p program) try(ctx context.Context, env []string, args ...string) (string, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(p.env[:len(p.env):len(p.env)], env...), &out, &out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s", args, err, out.Bytes())
	}
	return out.String(), nil
}

// operate runs commands of the operator until ctx is done: hiding, suspending, importing, and deleting an account.
func (a *author) operate(ctx context.Context, p program, folder string, every time.Duration) {
	var undo [][]string
	run := func(args ...string) (string, bool) {
		out, err := p.try(ctx, nil, args...)
		a.world.count("command: "+strings.Join(args[:2], " "), err)
		return out, err == nil
	}
	hide := func(kind string, id int64) {
		if out, ok := run("hidden", "add", kind, fmt.Sprint(id)); ok {
			if entry := entryOf.FindStringSubmatch(out); entry != nil {
				undo = append(undo, []string{"hidden", "remove", entry[1]})
			}
		}
	}
	for n := 0; pause(ctx, every); n++ {
		if len(undo) > 0 && a.random.IntN(2) == 0 {
			run(undo[0]...)
			undo = undo[1:]
		}
		switch n % 5 {
		case 0:
			hide("block", a.block())
		case 1:
			if id := a.channel(); !a.stays(id) {
				hide("channel", id)
			}
		case 2:
			if _, ok := run("user", "suspend", "fay", "--hide"); ok {
				undo = append(undo, []string{"user", "suspend", "fay", "--undo"})
			}
		case 3:
			file := filepath.Join(folder, "import.csv")
			if err := os.WriteFile(file, []byte("url,title\n"+a.pages+"/page/1,"+a.text()+"\n"), 0o600); err == nil {
				run("import", "file", file, "--user", "ada", "--channel", fmt.Sprint(a.channel()), "--into-visible")
			}
		case 4:
			hide("comment", a.any(&a.world.comments).id)
		}
		if n == 8 {
			run("user", "delete", "gus", "--yes")
		}
	}
}

var entryOf = regexp.MustCompile(`entry (\d+)`)

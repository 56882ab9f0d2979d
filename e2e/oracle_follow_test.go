package e2e

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	api "vitrine/client"
	"vitrine/internal/frontmatter"
)

// changesPath returns the address of the changes after the keeper's cursor.
func (k *keeper) changesPath(path string) string {
	path += "?cursor=" + k.copied.Cursor
	if k.channel != 0 && !k.limited {
		path += fmt.Sprint("&channel=", k.channel)
	}
	return path
}

// poll follows the changes by requests that wait.
func (k *keeper) poll(ctx context.Context) error {
	if k.copied.Cursor == "" {
		if err := k.begin(ctx); err != nil {
			return err
		}
	}
	for ctx.Err() == nil {
		var page struct {
			Data   []change
			Cursor string
		}
		if _, err := k.reading.get(ctx, k.changesPath("/ext/v1/changes")+"&wait=2", &page); err != nil {
			return err
		}
		if page.Cursor == k.copied.Cursor {
			continue
		}
		if err := k.apply(ctx, page.Data, page.Cursor); err != nil {
			return err
		}
	}
	return errStop
}

// viaClient lets the keeper read with the Go client.
func (k *keeper) viaClient() {
	c, err := api.New(k.base, api.WithToken(k.token), api.WithRetries(1000, time.Second))
	k.reading.get = func(ctx context.Context, path string, out any) (bool, error) {
		if err != nil {
			return false, err
		}
		err := c.Do(ctx, api.Request{Method: http.MethodGet, Path: path, Out: out})
		refused, answered := errors.AsType[*api.Error](err)
		switch {
		case answered && refused.Status == http.StatusNotFound:
			return false, nil
		case answered && refused.Status == http.StatusGone:
			return false, errPlaceLost
		}
		return err == nil, err
	}
}

// stream follows the changes by server-sent events, and connects again with Last-Event-ID.
func (k *keeper) stream(ctx context.Context) error {
	if k.copied.Cursor == "" {
		if err := k.begin(ctx); err != nil {
			return err
		}
	}
	for ; ctx.Err() == nil; pause(ctx, 50*time.Millisecond) {
		res, err := k.open(ctx, "/ext/v1/changes/stream", http.Header{"Last-Event-Id": {k.copied.Cursor}})
		if err != nil || res.StatusCode == http.StatusServiceUnavailable || res.StatusCode == http.StatusBadGateway {
			continue
		}
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("the stream is answered with %s", res.Status)
		}
		events := make(chan event, 100)
		go readEvents(ctx, res.Body, events)
		err = k.applyEvents(ctx, events)
		_ = res.Body.Close()
		if err != nil {
			return err
		}
	}
	return errStop
}

// event is an event of a stream.
type event struct {
	id, name string
	data     []byte
}

// readEvents reads events until the end of the stream.
func readEvents(ctx context.Context, body io.Reader, to chan<- event) {
	defer close(to)
	var e event
	for lines := bufio.NewReader(body); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return // an incomplete event is not handled
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data = []byte(value)
		case "":
			if e.id != "" {
				select {
				case to <- e:
				case <-ctx.Done():
					return
				}
			}
			e = event{}
		}
	}
}

// applyEvents applies events until the stream ends, those that are there together.
func (k *keeper) applyEvents(ctx context.Context, events <-chan event) error {
	for e := range events {
		var some []change
		for ok := true; ok; {
			if e.name == "change" {
				var c change
				if err := json.Unmarshal(e.data, &c); err != nil {
					return err
				}
				some = append(some, c)
			}
			last := e
			if e, ok = next(events, len(some) < 50); !ok {
				e = last
			}
		}
		if err := k.apply(ctx, some, e.id); err != nil {
			return err
		}
	}
	return nil
}

// next returns an event that is there already, if it is wanted.
func next(events <-chan event, wanted bool) (e event, ok bool) {
	if !wanted {
		return e, false
	}
	select {
	case e, ok = <-events:
	default:
	}
	return e, ok
}

// receiver receives the messages of a webhook. It stores each in a file before it confirms it.
type receiver struct {
	port    int
	inbox   string
	version int // of the address
	mu      sync.Mutex
	broken  map[string]bool // messages whose response was lost
	n       int
}

// readdress gives the receiver another address, and returns it.
func (h *receiver) readdress() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.version++
	return fmt.Sprintf("http://127.0.0.1:%d/?v=%d", h.port, h.version)
}

// hooked follows the changes by a webhook.
func (k *keeper) hooked(ctx context.Context) error {
	h := k.hook
	var l net.Listener
	for {
		var err error
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", h.port)); err == nil {
			break
		}
		if !pause(ctx, 20*time.Millisecond) {
			return errStop
		}
	}
	if k.copied.Hook == 0 {
		if err := k.beginHook(ctx); err != nil {
			_ = l.Close()
			return err
		}
	}
	secret := k.copied.Secret
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { k.receive(w, r, secret) })}
	go func() { _ = server.Serve(l) }()
	defer server.Close()
	for pause(ctx, 20*time.Millisecond) {
		if err := k.applyInbox(ctx); err != nil {
			return err
		}
	}
	return errStop
}

// beginHook creates the webhook, and then reads everything.
func (k *keeper) beginHook(ctx context.Context) error {
	body := fields{}
	if k.channel != 0 {
		body["channel_id"] = k.channel
	}
	var made struct {
		ID     int64
		Secret string
	}
	for {
		body["url"] = k.hook.readdress()
		if k.send(http.MethodPost, "/ext/v1/webhooks", body, &made) == nil {
			break
		}
		if !pause(ctx, 50*time.Millisecond) {
			return errStop
		}
	}
	k.copied.Hook, k.copied.Secret = made.ID, made.Secret
	return k.readAll(ctx)
}

// readdress gives the webhook another address, so that everything that waits is sent at once.
func (k *keeper) readdress() error {
	c, err := k.load()
	if err != nil || c.Hook == 0 {
		return err
	}
	return k.send(http.MethodPatch, fmt.Sprint("/ext/v1/webhooks/", c.Hook), fields{"url": k.hook.readdress()}, nil)
}

// receive verifies and stores a message.
func (k *keeper) receive(w http.ResponseWriter, r *http.Request, secret string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	id := r.Header.Get("Webhook-Id")
	h := k.hook
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.URL.RawQuery != fmt.Sprint("v=", h.version) {
		w.WriteHeader(http.StatusForbidden) // a former address, or the response to the creation was lost
		return
	}
	if err := verifySignature(r.Header, body, secret); err != nil {
		k.fail(err)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	name := filepath.Join(h.inbox, fmt.Sprintf("%020d-%s", time.Now().UnixNano(), id))
	if err := os.WriteFile(name+".next", body, 0o600); err != nil || os.Rename(name+".next", name) != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	if h.n++; h.n%150 == 0 && !h.broken[id] { // the response is lost
		h.broken[id] = true
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(http.StatusNoContent)
}

// verifySignature checks a message as Standard Webhooks describes it.
func verifySignature(h http.Header, body []byte, secret string) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return err
	}
	at, err := strconv.ParseInt(h.Get("Webhook-Timestamp"), 10, 64)
	if age := time.Since(time.Unix(at, 0)); err != nil || age.Abs() > 5*time.Minute {
		return fmt.Errorf("the timestamp is %q", h.Get("Webhook-Timestamp"))
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", h.Get("Webhook-Id"), at, body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	if !slices.Contains(strings.Fields(h.Get("Webhook-Signature")), want) {
		return errors.New("no signature of the message is right")
	}
	return nil
}

// applyInbox applies the messages in the inbox, each once.
func (k *keeper) applyInbox(ctx context.Context) error {
	names, err := filepath.Glob(filepath.Join(k.hook.inbox, "*-msg_*"))
	if err != nil || len(names) == 0 {
		return err
	}
	slices.Sort(names)
	var some []change
	var done []string
	for _, name := range names[:min(len(names), 100)] {
		if strings.HasSuffix(name, ".next") {
			continue
		}
		done = append(done, name)
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		_, id, _ := strings.Cut(filepath.Base(name), "-")
		if slices.Contains(k.copied.Seen, id) {
			continue
		}
		k.copied.Seen = append(k.copied.Seen, id)
		var message struct{ Data change }
		if err := json.NewDecoder(bytes.NewReader(text)).Decode(&message); err != nil {
			return err
		}
		some = append(some, message.Data)
	}
	k.copied.Seen = slices.Clone(k.copied.Seen[max(0, len(k.copied.Seen)-3000):])
	if err := k.apply(ctx, some, ""); err != nil {
		return err
	}
	for _, name := range done {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// mirror runs `vitrine sync`, which keeps a directory, and kills it at random like other keepers.
func (k *keeper) mirror(p program, channel int64) func(*keeper, context.Context) error {
	return func(k *keeper, ctx context.Context) error {
		cmd := exec.CommandContext(ctx, p.path, "sync", filepath.Join(k.folder, "notes"), "--server", k.base, "--channel", fmt.Sprint(channel),
			"--pull", "--confirm-deletions", "--every", "1s", "--settle", "100ms")
		cmd.Env = append(slices.Clone(p.env), "VITRINE_TOKEN="+k.token)
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		err := cmd.Run()
		if ctx.Err() == nil {
			return fmt.Errorf("sync ended: %w\n%s", err, said.Bytes())
		}
		return errStop
	}
}

// mirrored returns the notes of texts in the directory of a sync, by id, and those that a copy contains.
func (k *keeper) mirrored(of copied, channel int64) (got, want map[string]string, err error) {
	got, want = map[string]string{}, map[string]string{}
	for _, p := range of.Contents[channel] {
		var view []any
		if err := json.Unmarshal([]byte(of.Blocks[p.Item].View), &view); err == nil && !p.Channel && view[0] == "Text" {
			text, _ := view[3].(string)
			want[fmt.Sprint(p.Item)] = strings.TrimSpace(text)
		}
	}
	names, err := filepath.Glob(filepath.Join(k.folder, "notes", "*.md"))
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, nil, err
		}
		matter, rest, _ := frontmatter.Cut(string(text), 1<<16)
		for line := range strings.Lines(matter) {
			id, ok := strings.CutPrefix(strings.TrimSpace(line), "vitrine: ")
			if ok && !strings.Contains(matter, "\nurl:") {
				got[id] += strings.TrimSpace(rest)
			}
		}
	}
	return got, want, err
}

package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/apptest"
)

// texts returns blocks of a batch with these values.
func texts(values ...string) []map[string]any {
	blocks := make([]map[string]any, len(values))
	for i, value := range values {
		blocks[i] = map[string]any{"value": value}
	}
	return blocks
}

func numbered(n int) []map[string]any {
	blocks := make([]map[string]any, n)
	for i := range blocks {
		blocks[i] = map[string]any{"value": fmt.Sprint("Block ", i)}
	}
	return blocks
}

// sendBatch sends a batch that must be accepted, and returns its id.
func sendBatch(r *apptest.Rig, as string, body map[string]any) string {
	r.T.Helper()
	res := r.Do(as, "POST", "/v3/blocks/batch", body).Want(202)
	if state := res.Str("status"); state != "pending" {
		r.T.Errorf("a new batch is %s", state)
	}
	return res.Str("batch_id")
}

// batchLine summarizes the state of a batch: "completed 3: 2 made [0 2], 1 failed [1]".
func batchLine(r *apptest.Rig, as, id string) string {
	r.T.Helper()
	res := r.Get(as, "/v3/blocks/batch/%s", id)
	made, failed := res.Ints("successful", "index"), res.Ints("failed", "index")
	return fmt.Sprintf("%s %d: %d made %v, %d failed %v", res.Str("status"), res.Int("total"),
		res.Int("successful_count"), made, res.Int("failed_count"), failed)
}

// wantBatch compares batchLine with the expected line.
func wantBatch(r *apptest.Rig, as, id, want string) {
	r.T.Helper()
	if got := batchLine(r, as, id); got != want {
		r.T.Errorf("the batch is %s, want %s", got, want)
	}
}

// textsIn returns the texts of the blocks in a channel, from the bottom to the top.
func textsIn(r *apptest.Rig, as string, channel int64) (texts []string) {
	r.T.Helper()
	res := r.Get(as, "/v3/channels/%d/contents?sort=position_asc&per=100", channel)
	for i := range res.Len("data") {
		texts = append(texts, res.Str(fmt.Sprintf("data.%d.content.markdown", i)))
	}
	return texts
}

// sendFile uploads a picture and returns its address.
func sendFile(r *apptest.Rig, as string) string {
	r.T.Helper()
	made := r.Do(as, "POST", "/v3/uploads/presign", `{"files":[{"filename":"sea.png","content_type":"image/png"}]}`).Want(201)
	to := strings.TrimPrefix(made.Str("files.0.upload_url"), apptest.Base)
	r.Do("", "PUT", to, apptest.PNG(r.T, 40, 30), "Content-Type", "image/png").Want(200)
	return "https://s3.amazonaws.com/arena_images-temp/" + made.Str("files.0.key")
}

// TestBatch: texts, a URL and an upload become blocks of their types, in order, in all channels.
func TestBatch(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Web("example.com/sea", apptest.Serve("text/html", []byte("<title>The sea</title><p>Waves")))
		one, two := r.Channel("ada", "One", "private"), r.Channel("ada", "Two", "private")
		id := sendBatch(r, "ada", map[string]any{"channel_ids": []any{one, "two", "one"}, "blocks": []map[string]any{
			{"value": "First *text*", "title": "T", "metadata": map[string]any{"k": 1}, "description": "D",
				"original_source_url": "https://example.org/", "original_source_title": "S"},
			{"value": "https://example.com/sea"}, {"value": sendFile(r, "ada"), "alt_text": "Waves"}, {"value": "Last"}}})
		wantBatch(r, "ada", id, "pending 4: 0 made [], 0 failed []")
		before := r.Get("ada", "/v3/blocks/batch/%s", id)
		if _, ended := before.Lookup("completed_at"); ended || before.Str("created_at") == "" {
			t.Errorf("before: %s", before.Body)
		}
		r.WorkJobs()
		wantBatch(r, "ada", strings.ToUpper(id), "completed 4: 4 made [0 1 2 3], 0 failed []")
		after := r.Get("ada", "/v3/blocks/batch/%s", id)
		if _, broken := after.Lookup("error"); broken || after.Str("completed_at") < after.Str("created_at") {
			t.Errorf("after: %s", after.Body)
		}
		blocks := after.Ints("successful", "block_id")
		for _, channel := range []int64{one, two} {
			in := r.Get("ada", "/v3/channels/%d/contents?sort=position_asc", channel)
			if got := in.Ints("data", "id"); !slices.Equal(got, blocks) {
				t.Errorf("channel %d holds %v, want %v", channel, got, blocks)
			}
			for i, kind := range []string{"Text", "Link", "Image", "Text"} {
				if got := in.Str(fmt.Sprintf("data.%d.type", i)); got != kind {
					t.Errorf("block %d is a %s, want %s", i, got, kind)
				}
			}
			for path, want := range map[string]any{"data.0.title": "T", "data.0.metadata.k": 1, "data.0.description.plain": "D",
				"data.0.source.url": "https://example.org/", "data.0.source.title": "S", "data.0.visibility": "private",
				"data.1.title": "The sea", "data.2.image.alt_text": "Waves", "data.3.connection.connected_by.slug": "ada"} {
				if got := in.Get(path); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s is %v, want %v", path, got, want)
				}
			}
		}
	})
}

// TestBatchPlaces: each channel has its own position and metadata, and later blocks come
// below earlier ones.
func TestBatchPlaces(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		var in []int64
		for _, title := range []string{"Top", "Bottom", "Second", "Beyond"} {
			in = append(in, r.Channel("ada", title, "private"))
		}
		r.Block("ada", "old", in...)
		sendBatch(r, "ada", map[string]any{"blocks": texts("a", "b", "c"), "channels": []any{map[string]any{"id": "top"},
			map[string]any{"id": in[1], "position": 1, "metadata": map[string]any{"k": "v"}},
			map[string]any{"id": in[2], "position": 2}, map[string]any{"id": in[3], "position": 99}}})
		r.WorkJobs()
		for i, want := range []string{"[old a b c]", "[c b a old]", "[old c b a]", "[old a b c]"} {
			if got := fmt.Sprint(textsIn(r, "ada", in[i])); got != want {
				t.Errorf("channel %d from the bottom: %s, want %s", i, got, want)
			}
		}
		bottom := r.Get("ada", "/v3/channels/%d/contents?sort=position_asc", in[1])
		if k := bottom.Str("data.2.connection.metadata.k"); k != "v" {
			t.Errorf("metadata of the connection: %q", k)
		}
	})
}

// TestBatchRefused: invalid batches and actors are refused, and nothing is stored.
func TestBatchRefused(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		for title, visibility := range map[string]string{"Own": "private", "Closed": "closed", "Open": "public", "Gone": "private"} {
			r.Channel("ada", title, visibility)
		}
		r.Channel("eve", "Hidden", "private")
		r.Channel("eve", "Fenced", "closed")
		r.Channel("eve", "Meadow", "public")
		r.Do("ada", "DELETE", "/v3/channels/gone", nil).Want(204)
		r.Person("tom")
		r.Exec("UPDATE users SET tier = 'free' WHERE slug = 'tom'")
		r.Channel("tom", "Cheap", "private")
		one := texts("x")
		before := r.Dump()
		for _, test := range []struct {
			as     string
			in     any
			blocks []map[string]any
			status int
			says   string
		}{
			{"", []any{"own"}, one, 401, "token"},
			{"ada/read", []any{"own"}, one, 403, "scope"},
			{"tom", []any{"cheap"}, one, 403, "premium"},
			{"ada", []any{"own", "hidden"}, one, 404, ""}, {"ada", []any{"gone"}, one, 404, ""}, {"ada", []any{"no-such"}, one, 404, ""},
			{"ada", []any{"own", "fenced"}, one, 403, "fenced"}, {"ada", []any{"fenced", "open", "hidden"}, one, 404, ""},
			{"ada", []any{"open", "fenced"}, one, 403, "fenced"},
			{"ada", []any{"own", "closed"}, one, 422, "closed is not private"}, {"ada", []any{"open"}, one, 422, "open is not private"},
			{"ada", []any{"meadow"}, one, 422, "meadow is not private"},
			{"ada", []any{"own"}, numbered(0), 400, "blocks"}, {"ada", []any{"own"}, numbered(51), 400, "blocks"},
			{"ada", slices.Repeat([]any{"own"}, 21), one, 400, "channel_ids"}, {"ada", []any{}, one, 400, "channel_ids"},
			{"ada", nil, one, 400, "channel_ids or channels: one is required"},
		} {
			body := map[string]any{"blocks": test.blocks}
			if test.in != nil {
				body["channel_ids"] = test.in
			}
			res := r.Do(test.as, "POST", "/v3/blocks/batch", body)
			if res.Status != test.status || !strings.Contains(res.Str("details.message"), test.says) {
				t.Errorf("%q to %v: status %d, want %d with %q: %s", test.as, test.in, res.Status, test.status, test.says, res.Body)
			}
		}
		both := r.Do("ada", "POST", "/v3/blocks/batch", `{"channel_ids":["own"],"channels":[{"id":"own"}],"blocks":[{"value":"x"}]}`).Want(400)
		if said := both.Str("details.errors.0"); !strings.HasPrefix(said, "channel_ids, channels: ") {
			t.Errorf("both: %s", said)
		}
		if diff := before.Diff(r.Dump()); diff != nil {
			t.Errorf("something was kept: %s", diff)
		}
	})
}

// TestBatchFaults: one response lists all faults of the blocks.
func TestBatchFaults(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		r.Channel("ada", "Own", "private")
		foreign := sendFile(r, "eve")
		large := map[string]any{}
		for i := range 20 {
			large[fmt.Sprint("k", i)] = strings.Repeat("v", 2000)
		}
		before := r.Dump()
		for _, test := range []struct {
			blocks []map[string]any
			want   []string
		}{
			{[]map[string]any{{"value": "fine"}, {"value": " \n"}, {"value": "https://ada:secret@example.org/"},
				{"value": " ", "metadata": large}, {"value": foreign}, {"value": "https://example.org/" + strings.Repeat("a", 4100)}},
				[]string{"blocks[1].value", "blocks[2].value", "blocks[3].metadata", "blocks[3].value", "blocks[4].value", "blocks[5].value"}},
			{[]map[string]any{{"value": ""}, {"title": "No value"}, {"value": "x", "metadata": map[string]any{"no key": 1, "k": nil}}},
				[]string{"blocks[0].value", "blocks[1].value", "blocks[2].metadata", "blocks[2].metadata.k"}},
		} {
			res := r.Do("ada", "POST", "/v3/blocks/batch", map[string]any{"channel_ids": []any{"own"}, "blocks": test.blocks}).Want(400)
			var fields []string
			for i := range res.Len("details.errors") {
				field, _, _ := strings.Cut(res.Str(fmt.Sprintf("details.errors.%d", i)), ": ")
				fields = append(fields, field)
			}
			if fmt.Sprint(fields) != fmt.Sprint(test.want) {
				t.Errorf("named %q, want %q: %s", fields, test.want, res.Body)
			}
		}
		if diff := before.Diff(r.Dump()); diff != nil {
			t.Errorf("something was kept: %s", diff)
		}
	})
}

// TestBatchByCollaborator: everyone who may add to a channel may send it a batch.
func TestBatchByCollaborator(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("eve", "Hers", "private")
		r.Collaborate("eve", channel, "ada")
		r.Exec("UPDATE users SET tier = 'premium' WHERE slug = 'ada'")
		id := sendBatch(r, "ada", map[string]any{"channel_ids": []any{"hers"}, "blocks": numbered(50)})
		r.WorkJobs()
		if n := len(textsIn(r, "eve", channel)); n != 50 {
			t.Errorf("%d blocks of 50", n)
		}
		r.Get("ada/read", "/v3/blocks/batch/%s", id)
	})
}

// TestBatchIsItsMakers: only its creator can read a batch, for a day. Then the sweep deletes it, and its blocks stay.
func TestBatchIsItsMakers(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		channel := r.Channel("ada", "Shared", "private")
		r.Collaborate("ada", channel, "eve")
		id := sendBatch(r, "ada", map[string]any{"channel_ids": []any{channel}, "blocks": texts("a", "b")})
		at := "/v3/blocks/batch/" + id
		for as, want := range map[string]int{"": 401, "ada": 200, "ada/read": 200, "eve": 404, "tom": 404} {
			r.Do(as, "GET", at, nil).Want(want)
		}
		for _, other := range []string{"0c8f1d4e-2c0b-4c52-9a57-6c1de9d4a001", "1", "no-uuid", id[1:], id + "0", "{" + id + "}"} {
			r.Do("ada", "GET", "/v3/blocks/batch/"+other, nil).Want(404)
		}
		r.WorkJobs()
		r.Clock.Advance(24*time.Hour - time.Minute)
		sweep(r)
		wantBatch(r, "ada", id, "completed 2: 2 made [0 1], 0 failed []")
		r.Clock.Advance(time.Minute)
		r.Do("ada", "GET", at, nil).Want(404)
		unfinished := sendBatch(r, "ada", map[string]any{"channel_ids": []any{channel}, "blocks": texts("c")})
		sweep(r)
		if d := r.Dump(); len(d["batches"]) != 1 || len(d["batch_items"]) != 1 {
			t.Errorf("left: %v %v", d["batches"], d["batch_items"])
		}
		r.Clock.Advance(25 * time.Hour)
		sweep(r)
		if d := r.Dump(); len(d["batches"]) != 0 || len(d["batch_items"]) != 0 {
			t.Errorf("left: %v %v", d["batches"], d["batch_items"])
		}
		r.WorkJobs() // the job of the unfinished batch has nothing to do
		r.Do("ada", "GET", "/v3/blocks/batch/"+unfinished, nil).Want(404)
		if got := fmt.Sprint(textsIn(r, "ada", channel)); got != "[a b]" {
			t.Errorf("the channel holds %s", got)
		}
		r.Exec("UPDATE users SET tier = 'free' WHERE slug = 'ada'")
		r.Do("ada", "GET", at, nil).Want(403)
	})
}

func sweep(r *apptest.Rig) {
	r.T.Helper()
	if err := r.S.App.Content.SweepContent(r.T.Context()); err != nil {
		r.T.Fatal(err)
	}
}

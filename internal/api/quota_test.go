package api_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/app/content"
	"vitrine/internal/apptest"
	"vitrine/internal/config"
	"vitrine/internal/database"
	"vitrine/internal/domain"
	"vitrine/internal/store/storetest"
)

// quota limits what supporters store.
func quota(unused, total int64) apptest.Option {
	return func(c *config.Config) {
		c.QuotaUnused = map[string]int64{"free": 50, "supporter": unused}
		c.Quota = map[string]int64{"free": 280, "supporter": total}
	}
}

// stored returns the bytes of unused uploads, and of uploads and files together, from the usage of a user.
func stored(r *apptest.Rig, as string) (unused, total int64) {
	r.T.Helper()
	got := r.Get(as, "/ext/v1/me/usage")
	if unused, files, texts := got.Int("unused.bytes"), got.Int("files"), got.Int("texts"); unused+files+texts != got.Int("total.bytes") {
		r.T.Errorf("the parts are not the whole: %s", got.Body)
	}
	return got.Int("unused.bytes"), got.Int("total.bytes") - got.Int("texts")
}

func wantStored(r *apptest.Rig, what string, unused, total int64) {
	r.T.Helper()
	if u, all := stored(r, "ada"); u != unused || all != total {
		r.T.Errorf("%s: %d unused and %d in all, want %d and %d", what, u, all, unused, total)
	}
}

// If 50 uploads run at once and the quota suffices for 10, exactly 10 are stored, with or without a
// declared length, on either of two servers.
func TestQuotaRace(t *testing.T) {
	t.Parallel()
	for name, chunked := range map[string]bool{"told": false, "not told": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Migrated.Each(t, func(t *testing.T, o database.Options) {
				r := apptest.Boot(t, o, quota(1000, 0))
				servers := []*apptest.Rig{r}
				if !strings.HasPrefix(o.URL, "sqlite:") {
					servers = append(servers, apptest.Boot(t, o, quota(1000, 0), func(c *config.Config) { c.DataDir = r.DataDir() }))
				}
				addresses := make([]string, 50)
				for i := range addresses {
					addresses[i], _ = presigned(r, "ada", "a.txt", "text/plain")
				}
				var all sync.WaitGroup
				var mu sync.Mutex
				answers := map[int]int{}
				for i, address := range addresses {
					var body io.Reader = strings.NewReader(fmt.Sprintf("%0100d", i))
					if chunked {
						body = io.MultiReader(body)
					}
					all.Go(func() {
						got := put(servers[i%len(servers)], address, "text/plain", body)
						mu.Lock()
						defer mu.Unlock()
						answers[got.Status]++
						if got.Status == 403 && !strings.Contains(got.Str("details.message"), "may have 1000 bytes in all, and 0 bytes are left") {
							t.Errorf("%s", got.Body)
						}
					})
				}
				all.Wait()
				// Uploads in progress reserve bytes, so fewer may have been stored, but never more.
				for _, address := range addresses {
					if answers[200] < 10 && put(r, address, "text/plain", strings.Repeat("y", 100)).Status == 200 {
						answers[200]++
					}
				}
				if answers[200] != 10 {
					t.Errorf("%v", answers)
				}
				wantStored(r, "then", 1000, 1000)
				if n := rows(r, "byte_reservations"); n != 0 {
					t.Errorf("%d reservations are left", n)
				}
			})
		})
	}
}

// Unused and total bytes are counted when they arrive, are used, are used again, and are removed.
func TestQuotaFollowsBytes(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		wantStored(r, "before", 0, 0)
		value := sent(r, "ada", "a.txt", "text/plain", strings.Repeat("x", 100))
		wantStored(r, "sent", 100, 100)
		first := processed(r, value, nil)
		wantStored(r, "used", 0, 100)
		second := processed(r, value, nil)
		wantStored(r, "used twice", 0, 200)
		got := refusedQuota(r, r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": value, "channel_ids": []int64{r.Channel("ada", "C", "public")}}))
		if !strings.Contains(got, "Your files and texts may have 350 bytes in all, and ") {
			t.Errorf("%s", got)
		}
		r.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", first.Int("id")), nil).Want(204)
		wantStored(r, "one deleted", 0, 100)
		r.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", second.Int("id")), nil).Want(204)
		wantStored(r, "both deleted", 0, 0)
		if n := rows(r, "uploads"); n != 0 {
			t.Errorf("%d uploads outlive what was made of them", n)
		}
		r.Clock.Advance(3 * time.Hour)
		if err := r.S.App.Content.SweepContent(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left := storedObjects(r, "files"); len(left) != 0 {
			t.Errorf("%q are left", left)
		}
		sent(r, "ada", "b.txt", "text/plain", strings.Repeat("y", 150))
		r.Clock.Advance(25 * time.Hour)
		if err := r.S.App.Content.SweepContent(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantStored(r, "a day later", 0, 0)
	}, quota(200, 350))
}

func refusedQuota(r *apptest.Rig, got *apptest.Response) string {
	r.T.Helper()
	if got.Status != http.StatusForbidden || got.Int("code") != http.StatusForbidden {
		r.T.Errorf("%d %s", got.Status, got.Body)
	}
	return got.Str("details.message")
}

// A preview that exceeds the quota is omitted, and a file fails with the reason. A change of tier takes effect at once;
// 0 means unlimited.
func TestQuotaOfFetched(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		picture := apptest.PNG(t, 60, 40)
		r.Web("example.com/page", apptest.Serve("text/html", []byte(`<title>Moss</title><meta property="og:image" content="http://example.com/a.png">`)))
		r.Web("example.com/a.png", apptest.Serve("image/png", picture))
		r.Web("example.com/b.txt", apptest.Serve("text/plain", bytes.Repeat([]byte("x"), 1000)))
		tier := func(tier domain.Tier) {
			if _, err := r.S.App.Accounts.SetTier(t.Context(), domain.Ref{ID: int64(r.Person("ada").ID)}, tier); err != nil {
				t.Fatal(err)
			}
		}
		tier(domain.TierFree)
		holds(t, processed(r, "http://example.com/page", nil), map[string]any{"type": "Link", "title": "Moss", "image": nil})
		failed := processed(r, "http://example.com/b.txt", nil)
		holds(t, failed, map[string]any{"type": "Link", "state": "failed"})
		status := r.Get("ada", "/ext/v1/blocks/%d/processing", failed.Int("id"))
		if reason := status.Str("reason"); !strings.Contains(reason, "Your files and texts may have 280 bytes in all") || status.Int("attempts") != 1 {
			t.Errorf("%s", status.Body)
		}
		wantStored(r, "refused", 0, 0)
		if n := rows(r, "blobs"); n != 0 {
			t.Errorf("%d blobs are kept of what was refused", n)
		}
		tier(domain.TierPremium)
		r.Do("ada", "POST", fmt.Sprintf("/ext/v1/blocks/%d/reprocess", failed.Int("id")), nil).Want(202)
		r.WorkJobs()
		holds(t, r.Get("ada", "/v3/blocks/%d", failed.Int("id")), map[string]any{"type": "Attachment", "state": "available"})
		wantStored(r, "without a bound", 0, 1000)
		tier(domain.TierFree)
		got := r.Do("ada", "POST", "/v3/uploads/presign", `{"files":[{"filename":"a","content_type":"image/png"}]}`)
		refusedQuota(r, got)
		usage := r.Get("ada", "/ext/v1/me/usage")
		holds(t, usage, map[string]any{"total.limit": 280, "unused.limit": 50, "uploads.open": 0, "uploads.limit": content.MaxOpenUploads})
	}, quota(0, 0))
}

// Texts of all kinds are refused beyond the quota, like files, until something is deleted.
func TestQuotaOfTexts(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		long := strings.Repeat("苔", 300) // 900 bytes, stored as Markdown, HTML and plain text, and counted twice
		c := r.Channel("ada", "C", "public")
		group := r.Do("ada", "POST", "/v3/groups", map[string]any{"name": "G"}).Want(201).Int("id")
		post := func() *apptest.Response {
			return r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": long, "channel_ids": []int64{c}})
		}
		block := post().Want(201).Int("id")
		usage := r.Get("ada", "/ext/v1/me/usage")
		if texts := usage.Int("texts"); texts < 5400 || texts > 5500 || usage.Int("total.bytes") != texts {
			t.Errorf("%s", usage.Body)
		}
		for name, refused := range map[string]func() *apptest.Response{
			"a block": post,
			"a change": func() *apptest.Response {
				return r.Do("ada", "PUT", fmt.Sprintf("/v3/blocks/%d", block), map[string]any{"description": long})
			},
			"a comment": func() *apptest.Response {
				return r.Do("ada", "POST", fmt.Sprintf("/v3/blocks/%d/comments", block), map[string]any{"body": long})
			},
			"a channel": func() *apptest.Response {
				return r.Do("ada", "POST", "/v3/channels", map[string]any{"title": "D", "description": long})
			},
			"a group": func() *apptest.Response {
				return r.Do("ada", "PUT", fmt.Sprintf("/v3/groups/%d", group), map[string]any{"description": long})
			},
			"a biography": func() *apptest.Response { return r.Do("ada", "PATCH", "/ext/v1/me", map[string]any{"bio": long}) },
			"metadata": func() *apptest.Response {
				return r.Do("ada", "PUT", fmt.Sprintf("/v3/channels/%d", c), map[string]any{"metadata": map[string]any{"a": strings.Repeat("m", 1800)}})
			},
		} {
			if got := refusedQuota(r, refused()); !strings.Contains(got, "Your files and texts may have 8.2 KiB in all, and ") {
				t.Errorf("%s: %s", name, got)
			}
		}
		if now := r.Get("ada", "/ext/v1/me/usage"); now.Int("total.bytes") != usage.Int("total.bytes") {
			t.Errorf("refused texts count: %s", now.Body)
		}
		r.Do("ada", "DELETE", fmt.Sprintf("/ext/v1/blocks/%d", block), nil).Want(204)
		post().Want(201)
	}, quota(0, 8400))
}

// A document whose text does not fit into the quota is kept without the text.
func TestQuotaOfDocumentText(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		value := sent(r, "ada", "notes.pdf", "application/pdf", document("loom"+strings.Repeat(" word", 1000)))
		got := processed(r, value, nil)
		holds(t, got, map[string]any{"type": "Attachment", "state": "available", "attachment.filename": "notes.pdf"})
		if texts := r.Get("ada", "/ext/v1/me/usage").Int("texts"); texts > 1000 {
			t.Errorf("%d bytes of texts", texts)
		}
		if found := r.Get("ada", "/v3/search?query=loom").Want(200); found.Int("meta.total_count") != 0 {
			t.Errorf("a search finds %s", found.Body)
		}
	}, quota(0, 12_000))
}

// Bytes that a killed server reserved become free when the lease expires.
func TestQuotaAfterKill(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		ada := r.Person("ada").ID
		r.Exec(`INSERT INTO byte_reservations (key, user_id, upload, bytes, expires_at) VALUES ('upload:x', $1, TRUE, 90, $2)`,
			ada, r.Clock.Now().Add(time.Minute).UnixMicro())
		// Between storing the bytes and the row that refers to them:
		r.Exec(`INSERT INTO blobs (hash, object, size, used_at) VALUES ('abc', 'originals/ab/abc-1', 90, $1)`, r.Clock.Now().UnixMicro())
		address, _ := presigned(r, "ada", "a.txt", "text/plain")
		refusedQuota(r, put(r, address, "text/plain", strings.Repeat("x", 20)))
		put(r, address, "text/plain", strings.Repeat("x", 10)).Want(200)
		wantStored(r, "while the lease lasts", 100, 100)
		r.Clock.Advance(2 * time.Minute)
		wantStored(r, "then", 10, 10)
		sent(r, "ada", "b.txt", "text/plain", strings.Repeat("y", 90))
		r.Clock.Advance(3 * time.Hour)
		if err := r.S.App.Content.SweepContent(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := rows(r, "byte_reservations"); n != 0 || rows(r, "blobs") != 2 {
			t.Errorf("%d reservations and %d blobs are left", n, rows(r, "blobs"))
		}
	}, quota(100, 100))
}

// With S3, direct uploads are measured when they are used, or when their address has expired. Those beyond the quota are
// then removed.
func TestQuotaInS3(t *testing.T) {
	t.Parallel()
	r := apptest.New(t, onS3(t), quota(100, 200))
	there := func(size int) string {
		address, _ := presigned(r, "ada", "a.txt", "text/plain")
		if status := putThere(t, address, "text/plain", bytes.Repeat([]byte("x"), size)); status != http.StatusOK {
			t.Fatal(status)
		}
		return address
	}
	r.Channel("ada", "Channel", "closed")
	refusedQuota(r, r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": there(201), "channel_ids": []string{"channel"}}))
	r.Do("ada", "POST", "/v3/blocks", map[string]any{"value": there(100), "channel_ids": []string{"channel"}}).Want(201)
	r.WorkJobs()
	wantStored(r, "used", 0, 100)
	there(40)
	there(41)
	r.Clock.Advance(61 * time.Minute)
	if err := r.S.App.Content.SweepContent(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantStored(r, "measured", 40, 140)
	if n := rows(r, "uploads"); n != 2 { // the used one, and the one of 40 bytes
		t.Errorf("%d uploads are left", n)
	}
}

// The number of unused uploads per user is limited.
func TestOpenUploads(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		files := make([]any, 50)
		for i := range files {
			files[i] = map[string]any{"filename": "a.txt", "content_type": "text/plain"}
		}
		var all sync.WaitGroup
		var mu sync.Mutex
		answers := map[int]int{}
		for range content.MaxOpenUploads/50 + 5 {
			all.Go(func() {
				got := r.Do("ada", "POST", "/v3/uploads/presign", map[string]any{"files": files})
				mu.Lock()
				defer mu.Unlock()
				answers[got.Status]++
			})
		}
		all.Wait()
		if answers[201] != content.MaxOpenUploads/50 || answers[403] != 5 {
			t.Errorf("%v", answers)
		}
		r.Clock.Advance(61 * time.Minute)
		presigned(r, "ada", "a.txt", "text/plain") // an address without an upload is closed
	})
}

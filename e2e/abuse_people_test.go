package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// person is an ordinary client during the abuse: reads, writes text into their own channel, and
// sometimes uploads a picture.
type person struct {
	client
	name   string
	own    int64
	public int64 // a channel of another user to read

	blocks    []int64 // acknowledged, in order
	pictures  []int64 // the pictures among them
	unknown   int     // number of failed writes, which may have been committed
	refused   bool    // the disk was full, and no write has been acknowledged since
	latencies []time.Duration
	faults    []error
}

func (p *person) prepare(t *testing.T, url string) {
	t.Helper()
	p.to(url, &http.Transport{})
	var made struct{ ID int64 }
	if err := p.send(http.MethodPost, "/v3/channels", fields{"title": "Own of " + p.name}, &made); err != nil {
		t.Fatal(err)
	}
	p.own = made.ID
}

// live reads and writes until ctx is done.
func (p *person) live(ctx context.Context, url string, full *atomic.Bool) {
	p.to(url, &http.Transport{})
	for i := 0; pause(ctx, 50*time.Millisecond); i++ {
		path := [...]string{"/v3/me", fmt.Sprintf("/v3/channels/%d/contents?per=24", p.own), fmt.Sprintf("/v3/channels/%d", p.public)}[i%3]
		began := time.Now()
		err := p.send(http.MethodGet, path, nil, nil)
		p.latencies = append(p.latencies, time.Since(began))
		if err != nil {
			p.faults = append(p.faults, fmt.Errorf("GET %s: %w", path, err))
		}
		p.tryWrite(i, full)
	}
	for end := time.Now().Add(recovery); p.refused && time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
		p.tryWrite(0, full)
	}
}

// recovery limits how long writes may still fail after a full disk has free space again.
const recovery = 30 * time.Second

// tryWrite writes, and accepts that writes fail while the disk is full.
func (p *person) tryWrite(i int, full *atomic.Bool) {
	wasFull := full.Load()
	if err := p.write(i); err != nil {
		p.unknown++
		refused, ok := errors.AsType[statusError](err)
		if p.refused = p.refused || wasFull || full.Load(); !p.refused || !ok ||
			refused.status != http.StatusServiceUnavailable && refused.status != http.StatusInsufficientStorage {
			p.faults = append(p.faults, fmt.Errorf("write %d: %w", i, err))
		}
	} else if !wasFull {
		p.refused = false
	}
}

// mostPictures limits the pictures of a person: while the workers fetch from a web that drips, each
// of them processes one picture per person and then waits for the drip.
const mostPictures = 8

// write creates a block. At first, every tenth is a picture.
func (p *person) write(i int) error {
	value := fmt.Sprintf("%s %d", p.name, i)
	picture := i%10 == 9 && len(p.pictures) < mostPictures
	var err error
	if picture {
		if value, err = p.upload("picture.png", "image/png", ordinaryPicture(rand.Uint64())); err != nil {
			return err
		}
	}
	var made struct{ ID int64 }
	if err := p.send(http.MethodPost, "/v3/blocks", fields{"value": value, "channel_ids": []int64{p.own}}, &made); err != nil {
		return err
	}
	p.blocks = append(p.blocks, made.ID)
	if picture {
		p.pictures = append(p.pictures, made.ID)
	}
	return nil
}

// upload sends a file and returns the value for a block of it.
func (c *client) upload(name, contentType string, file []byte) (value string, err error) {
	var answer struct {
		Files []struct {
			UploadURL string `json:"upload_url"`
		}
	}
	err = c.send(http.MethodPost, "/v3/uploads/presign", fields{"files": []fields{{"filename": name, "content_type": contentType}}}, &answer)
	if err != nil {
		return "", err
	}
	if len(answer.Files) != 1 {
		return "", fmt.Errorf("%d addresses to upload to", len(answer.Files))
	}
	to := answer.Files[0].UploadURL
	req, err := http.NewRequest(http.MethodPut, to, bytes.NewReader(file))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", contentType)
	res, err := c.http.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	if text, _ := io.ReadAll(res.Body); res.StatusCode/100 != 2 {
		return "", statusError{res.StatusCode, string(text)}
	}
	return to, nil
}

// verify checks that all acknowledged blocks exist exactly once, in the order of the writes, and
// that each picture becomes an image.
func (p *person) verify(t *testing.T, url string) {
	t.Helper()
	p.to(url, &http.Transport{})
	for _, err := range p.faults {
		t.Errorf("%s: %v", p.name, err)
	}
	if len(p.blocks) == 0 {
		t.Errorf("%s wrote nothing", p.name)
	}
	if p.refused {
		t.Errorf("%s: writes did not come back when the disk had room again", p.name)
	}
	there, next := 0, 0
	for page := 1; ; page++ {
		var answer struct {
			Data []struct{ ID int64 }
			Meta struct {
				HasMorePages bool `json:"has_more_pages"`
			}
		}
		if err := p.send(http.MethodGet, fmt.Sprintf("/v3/channels/%d/contents?sort=position_asc&per=100&page=%d", p.own, page), nil, &answer); err != nil {
			t.Fatal(err)
		}
		for _, block := range answer.Data {
			there++
			if next < len(p.blocks) && block.ID == p.blocks[next] {
				next++
			}
		}
		if !answer.Meta.HasMorePages {
			break
		}
	}
	if next != len(p.blocks) {
		t.Errorf("%s: block %d was acknowledged and is not there, or not in its place", p.name, p.blocks[next])
	}
	if there > len(p.blocks)+p.unknown {
		t.Errorf("%s: %d blocks are there of %d that were acknowledged and %d that failed", p.name, there, len(p.blocks), p.unknown)
	}
	for _, id := range p.pictures {
		if kind := p.settled(t, id); kind != "Image" {
			t.Errorf("%s: the picture %d is of type %s", p.name, id, kind)
		}
	}
}

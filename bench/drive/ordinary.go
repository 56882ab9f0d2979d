package drive

import (
	"fmt"
	"net/http"
)

// Ordinary are what Requests chooses from: a token, blocks from First to Last, a channel of Pages pages to read, and one to
// write into.
type Ordinary struct {
	Token       string
	First, Last int64
	Read        string
	Pages       int
	Write       string
}

// Requests returns ordinary requests of members and guests: blocks, pages of a channel and the home page, and new notes.
func (o Ordinary) Requests(host string) (reads, writes []Prepared, err error) {
	token := "Authorization: Bearer " + o.Token
	for i := range int64(100) {
		id := o.First + i*(o.Last-o.First)/100
		page := 1 + int(i)%max(1, o.Pages)
		for _, r := range []Request{
			Get(fmt.Sprintf("/v3/blocks/%d", id)),
			Get(fmt.Sprintf("/v3/blocks/%d", id), token),
			Get(fmt.Sprintf("/v3/channels/%s/contents?page=%d&per=24", o.Read, page)),
			Get(fmt.Sprintf("/v3/channels/%s/contents?page=%d&per=24", o.Read, page), token),
			Get(fmt.Sprintf("/v3/channels/%s", o.Read)),
			Get("/"),
		} {
			known, err := Record(host, r) // some blocks are in private channels
			if err != nil {
				return nil, nil, err
			}
			if known.Status == http.StatusOK {
				reads = append(reads, r.For(host))
			}
		}
		writes = append(writes, Request{Method: "POST", Path: "/v3/blocks", Header: []string{token},
			Body: fmt.Sprintf(`{"value": "A note of the load, number %d", "channel_ids": [%q]}`, i, o.Write)}.For(host))
	}
	return reads, writes, nil
}

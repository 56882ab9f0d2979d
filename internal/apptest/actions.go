package apptest

import (
	"fmt"
	"net/http"

	"vitrine/internal/domain"
	"vitrine/internal/markup"
	"vitrine/internal/store"
)

// Get sends a GET that must answer 200.
func (r *Rig) Get(as, path string, args ...any) *Response {
	r.T.Helper()
	return r.Do(as, http.MethodGet, fmt.Sprintf(path, args...), nil).Want(http.StatusOK)
}

// Connect connects a "Block" or "Channel" at the top of a channel and returns the id of the
// connection.
func (r *Rig) Connect(as, kind string, item, channel int64) int64 {
	r.T.Helper()
	return r.Do(as, http.MethodPost, "/v3/connections", map[string]any{
		"connectable_id": item, "connectable_type": kind, "channel_ids": []int64{channel},
	}).Want(http.StatusCreated).Int("data.0.id")
}

// Collaborate lets a member of the cast add to a channel.
func (r *Rig) Collaborate(as string, channel int64, who string) {
	r.T.Helper()
	r.Do(as, http.MethodPost, fmt.Sprintf("/ext/v1/channels/%d/collaborators", channel),
		map[string]any{"user_id": r.Person(who).ID}).Want(http.StatusCreated)
}

// Ints returns a number of every element of a list in the body, such as the ids with Ints("data",
// "id").
func (r *Response) Ints(list, field string) []int64 {
	r.T.Helper()
	all := make([]int64, r.Len(list))
	for i := range all {
		all[i] = r.Int(fmt.Sprintf("%s.%d.%s", list, i, field))
	}
	return all
}

// Article creates a Link in a channel whose page had an article, or none if html is "".
func (r *Rig) Article(as, title, html string, channel int64) int64 {
	r.T.Helper()
	id := r.Block(as, "placeholder", channel)
	r.SetArticle(id, title, html)
	return id
}

// SetArticle turns a block into a Link whose page had an article, or none if html is "".
func (r *Rig) SetArticle(id int64, title, html string) {
	r.T.Helper()
	ctx, address := r.T.Context(), "https://moss.example/essay?a=1&b=2"
	err := r.S.Store.InTx(ctx, func(tx *store.Tx) error {
		was, err := tx.Blocks().AnyBlock(ctx, domain.BlockID(id))
		if err != nil {
			return err
		}
		is := was
		is.Type, is.Title, is.ValueURL, is.SourceURL, is.Content = domain.LinkBlock, &title, &address, &address, nil
		if html != "" {
			text := markup.Characters(html)
			is.Content = &domain.Text{Markdown: text, HTML: html, Plain: text}
		}
		return tx.Blocks().FillBlock(ctx, was, is, r.Clock.Now())
	})
	if err != nil {
		r.T.Fatal(err)
	}
}

package v3

import (
	"context"

	"vitrine/internal/app/people"
	"vitrine/internal/httpedge"
	v3 "vitrine/internal/oas/v3"
)

// GetMyFeed implements getMyFeed.
func (h *handler) GetMyFeed(ctx context.Context, p v3.GetMyFeedParams) (*v3.FeedListResponse, error) {
	who, in := httpedge.Actor(ctx), cursorInput(p.Limit, p.Next, p.Prev)
	page, err := h.app.People.Feed(ctx, who, in)
	if err != nil {
		return nil, err
	}
	w := &v3.FeedListResponse{Data: make([]v3.Activity, len(page.Items)), Meta: cursorMeta(in, page.Next, page.Prev, page.More)}
	for i, s := range page.Items {
		w.Data[i] = h.activity(who, s)
	}
	return w, nil
}

func cursorInput(limit v3.OptInt64, next, prev v3.OptString) people.CursorInput {
	return people.CursorInput{Limit: int(limit.Or(24)), Next: httpedge.Given(next), Prev: httpedge.Given(prev)}
}

// cursorMeta returns the position of a page in a list with cursors.
func cursorMeta(in people.CursorInput, next, prev string, more bool) v3.CursorMeta {
	return v3.CursorMeta{Limit: int64(in.Limit), NextCursor: nonEmpty(next), PrevCursor: nonEmpty(prev), HasMore: more}
}

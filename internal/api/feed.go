package api

import (
	"context"

	"vitrine/internal/app"
	"vitrine/internal/oas/v3"
)

// GetMyFeed implements getMyFeed.
func (h *handler) GetMyFeed(ctx context.Context, p v3.GetMyFeedParams) (*v3.FeedListResponse, error) {
	in := cursorInput(p.Limit, p.Next, p.Prev)
	page, err := h.app.Feed(ctx, actor(ctx), in)
	if err != nil {
		return nil, err
	}
	w := &v3.FeedListResponse{Data: make([]v3.Activity, len(page.Items)), Meta: cursorMeta(in, page.Next, page.Prev, page.More)}
	for i, s := range page.Items {
		w.Data[i] = h.activity(s)
	}
	return w, nil
}

func cursorInput(limit v3.OptInt64, next, prev v3.OptString) app.CursorInput {
	return app.CursorInput{Limit: int(limit.Or(24)), Next: given(next), Prev: given(prev)}
}

// cursorMeta says where a page of a moving list stands.
func cursorMeta(in app.CursorInput, next, prev string, more bool) v3.CursorMeta {
	return v3.CursorMeta{Limit: int64(in.Limit), NextCursor: cursor(next), PrevCursor: cursor(prev), HasMore: more}
}

func cursor(s string) v3.NilString {
	if s == "" {
		return v3.NilString{Null: true}
	}
	return v3.NewNilString(s)
}

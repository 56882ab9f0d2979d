package apptest

import (
	"fmt"
	"net/http"
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

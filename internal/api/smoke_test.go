package api_test

import (
	"fmt"
	"testing"

	"vitrine/internal/apptest"
)

func TestSmoke(t *testing.T) {
	apptest.Each(t, func(t *testing.T, r *apptest.Rig) {
		c := r.Channel("ada", "Hello World", "closed")
		b := r.Block("ada", "Some *text*", c)
		r.Do("", "GET", fmt.Sprint("/v3/blocks/", b), nil).Want(200)
		x := r.Do("", "GET", "/v3/channels/hello-world/contents", nil).Want(200)
		t.Log(string(x.Body))
		y := r.Do("ada", "GET", "/v3/channels/hello-world", nil).Want(200)
		t.Log(y.Header, string(y.Body))
		r.Do("ada", "GET", "/v3/channels/hello-world", nil, "If-None-Match", y.Header.Get("ETag")).Want(304)
		r.Do("ada", "POST", "/v3/blocks", `{"value":"https://www.example.org/x","channel_ids":["hello-world"]}`).Want(201)
		z := r.Do("ada", "POST", "/v3/blocks", `{"value":"","channels":[],"channel_ids":[1,2,3]}`).Want(400)
		t.Log(string(z.Body))
		t.Log(string(r.Do("ada", "GET", "/v3/channels/hello-world/contents?per=0&page=-1&sort=foo", nil).Want(400).Body))
		t.Log(string(r.Do("ada", "GET", "/v3/me", nil).Want(200).Body))
		r.Do("ada", "GET", "/v3/blocks/99999999999999999999", nil).Want(404)
		id := r.Do("ada", "GET", "/v3/channels/hello-world/contents", nil).Want(200).Int("data.0.connection.id")
		t.Log(string(r.Do("ada", "POST", fmt.Sprint("/v3/connections/", id, "/move"), `{"movement":"move_down"}`).Want(200).Body))
		r.Do("ada", "DELETE", fmt.Sprint("/v3/connections/", id), nil).Want(204)
		r.Do("ada", "DELETE", "/v3/channels/hello-world", nil).Want(204)
		r.Do("ada", "GET", "/v3/channels/hello-world", nil).Want(404)
	})
}

package v2

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// operation is an operation of the description.
type operation struct {
	id        string
	method    string
	path      string // below /v2; {} is an id or a slug, and # an id
	successor string // the equivalent path of version 3, with {1} and {2}; "" for none
	do        func(*handler, call) (answer, error)
}

// operations are all operations, in the order of the contract.
var operations = []operation{
	{"getOpenapi", "GET", "openapi.json", "/v3/openapi.json", (*handler).getOpenapi},

	{"listChannels", "GET", "channels", "/v3/search", (*handler).listChannels},
	{"getChannel", "GET", "channels/{}", "/v3/channels/{1}", (*handler).getChannel},
	{"getChannelThumb", "GET", "channels/{}/thumb", "/v3/channels/{1}", (*handler).getChannelThumb},
	{"getChannelConnections", "GET", "channels/{}/connections", "/v3/channels/{1}/connections", (*handler).getChannelConnections},
	{"getChannelChannels", "GET", "channels/{}/channels", "/v3/channels/{1}/connections", (*handler).getChannelChannels},
	{"getChannelContents", "GET", "channels/{}/contents", "/v3/channels/{1}/contents", (*handler).getChannelContents},
	{"createChannel", "POST", "channels", "/v3/channels", (*handler).createChannel},
	{"updateChannel", "PUT", "channels/{}", "/v3/channels/{1}", (*handler).updateChannel},
	{"deleteChannel", "DELETE", "channels/{}", "/v3/channels/{1}", (*handler).deleteChannel},
	{"sortChannel", "PUT", "channels/{}/sort", "", (*handler).sortChannel},
	{"createBlock", "POST", "channels/{}/blocks", "/v3/blocks", (*handler).createBlock},
	{"createConnection", "POST", "channels/{}/connections", "/v3/connections", (*handler).createConnection},
	{"removeBlock", "DELETE", "channels/{}/blocks/#", "/ext/v1/channels/{1}/blocks/{2}", (*handler).removeBlock},
	{"removeConnection", "DELETE", "channels/{}/connections/#", "/v3/connections/{2}", (*handler).removeConnection},
	{"deleteConnection", "DELETE", "connections/#", "/v3/connections/{1}", (*handler).deleteConnection},
	{"selectBlock", "PUT", "channels/{}/blocks/#/selection", "", (*handler).selectBlock},
	{"selectConnection", "PUT", "connections/#/selection", "", (*handler).selectConnection},
	{"getCollaborators", "GET", "channels/{}/collaborators", "/v3/channels/{1}", (*handler).getCollaborators},
	{"addCollaborators", "POST", "channels/{}/collaborators", "/ext/v1/channels/{1}/collaborators", (*handler).addCollaborators},
	{"setCollaborators", "PUT", "channels/{}/collaborators", "/ext/v1/channels/{1}/collaborators", (*handler).setCollaborators},
	{"removeCollaborators", "DELETE", "channels/{}/collaborators", "/ext/v1/channels/{1}/collaborators", (*handler).removeCollaborators},
	{"getChannelFollowers", "GET", "channels/{}/followers", "/v3/channels/{1}/followers", (*handler).getChannelFollowers},
	{"followChannel", "POST", "channels/{}/follow", "/ext/v1/channels/{1}/follow", (*handler).followChannel},
	{"unfollowChannel", "DELETE", "channels/{}/follow", "/ext/v1/channels/{1}/follow", (*handler).unfollowChannel},
	{"getChannelFeed", "GET", "channels/{}/feed", "", (*handler).getChannelFeed},

	{"getBlock", "GET", "blocks/#", "/v3/blocks/{1}", (*handler).getBlock},
	{"getBlockChannels", "GET", "blocks/#/channels", "/v3/blocks/{1}/connections", (*handler).getBlockChannels},
	{"updateBlock", "PUT", "blocks/#", "/v3/blocks/{1}", (*handler).updateBlock},
	{"getComments", "GET", "blocks/#/comments", "/v3/blocks/{1}/comments", (*handler).getComments},
	{"createComment", "POST", "blocks/#/comments", "/v3/blocks/{1}/comments", (*handler).createComment},
	{"updateComment", "PUT", "blocks/#/comments/#", "/ext/v1/comments/{2}", (*handler).updateComment},
	{"deleteComment", "DELETE", "blocks/#/comments/#", "/v3/comments/{2}", (*handler).deleteComment},

	{"getUser", "GET", "users/{}", "/v3/users/{1}", (*handler).getUser},
	{"getUserChannel", "GET", "users/{}/channel", "/v3/users/{1}/contents", (*handler).getUserChannel},
	{"getUserChannels", "GET", "users/{}/channels", "/v3/users/{1}/contents", (*handler).getUserChannels},
	{"getUserFollowing", "GET", "users/{}/following", "/v3/users/{1}/following", (*handler).getUserFollowing},
	{"getUserFollowers", "GET", "users/{}/followers", "/v3/users/{1}/followers", (*handler).getUserFollowers},
	{"followUser", "POST", "users/{}/follow", "/ext/v1/users/{1}/follow", (*handler).followUser},
	{"unfollowUser", "DELETE", "users/{}/follow", "/ext/v1/users/{1}/follow", (*handler).unfollowUser},
	{"getUserFeed", "GET", "users/{}/feed", "", (*handler).getUserFeed},
	{"getUserNetwork", "GET", "users/{}/network", "/v3/me/feed", (*handler).getUserNetwork},
	{"getMe", "GET", "me", "/v3/me", (*handler).getMe},
	{"getAccounts", "GET", "accounts", "/v3/me", (*handler).getAccounts},
	{"getAccountChannels", "GET", "accounts/channels", "/v3/me", (*handler).getAccountChannels},
	{"getGroup", "GET", "groups/{}", "/v3/groups/{1}", (*handler).getGroup},
	{"getGroupChannels", "GET", "groups/{}/channels", "/v3/groups/{1}/contents", (*handler).getGroupChannels},

	{"search", "GET", "search", "/v3/search", (*handler).search},
	{"searchUsers", "GET", "search/users", "/v3/search", (*handler).searchUsers},
	{"searchChannels", "GET", "search/channels", "/v3/search", (*handler).searchChannels},
	{"searchBlocks", "GET", "search/blocks", "/v3/search", (*handler).searchBlocks},

	{"getFeed", "GET", "feed", "/v3/me/feed", (*handler).getFeed},
	{"getGlobalFeed", "GET", "feed/global", "", (*handler).getGlobalFeed},
	{"getNotifications", "GET", "notifications", "/v3/me/notifications", (*handler).getNotifications},
	{"getUnreadCount", "GET", "notifications/unread_count", "/v3/me", (*handler).getUnreadCount},
	{"clearNotifications", "POST", "notifications/clear", "/v3/me/notifications/read", (*handler).clearNotifications},
}

// routes groups the operations by the first part and the number of parts of their paths.
var routes = byShape()

type shape struct {
	first string
	parts int
}

type routed struct {
	*operation
	parts []string
}

func byShape() map[shape][]routed {
	all := map[shape][]routed{}
	for i := range operations {
		parts := strings.Split(operations[i].path, "/")
		key := shape{parts[0], len(parts)}
		all[key] = append(all[key], routed{&operations[i], parts})
	}
	return all
}

// match returns the values of the placeholders, and whether the path matches.
func (r routed) match(parts []string) (at []string, ok bool) {
	for i, part := range r.parts {
		switch {
		case part == "{}" || part == "#" && isID(parts[i]):
			at = append(at, parts[i])
		case i > 0 && part != parts[i]:
			return nil, false
		}
	}
	return at, true
}

// isID reports whether a part of a path is an id: digits without a sign.
func isID(part string) bool {
	id, err := strconv.ParseInt(part, 10, 64)
	return err == nil && id > 0 && part[0] != '+'
}

// plurals maps the singular forms that clients also send.
var plurals = map[string]string{"channel": "channels", "block": "blocks", "user": "users", "group": "groups"}

// split returns the non-empty parts of a path below /v2, or nil if it cannot be the path of an operation.
func split(u *url.URL) (parts []string) {
	for part := range strings.SplitSeq(strings.TrimPrefix(u.EscapedPath(), "/v2/"), "/") {
		if part == "" {
			continue
		}
		text, err := url.PathUnescape(part)
		if err != nil || len(parts) == 5 {
			return nil
		}
		parts = append(parts, text)
	}
	if len(parts) > 0 {
		if plural, ok := plurals[parts[0]]; ok {
			parts[0] = plural
		}
	}
	return parts
}

// find returns the operation of a request, or nil, and the values of its placeholders.
func find(method string, u *url.URL) (*operation, []string) {
	parts := split(u)
	if parts == nil {
		return nil, nil
	}
	for _, r := range routes[shape{parts[0], len(parts)}] {
		if at, ok := r.match(parts); ok && r.method == method {
			return r.operation, at
		}
	}
	return nil, nil
}

// methods returns the methods of a path, or nil if it is unknown.
func methods(u *url.URL) (all []string) {
	parts := split(u)
	if parts == nil {
		return nil
	}
	for _, r := range routes[shape{parts[0], len(parts)}] {
		if _, ok := r.match(parts); ok && !slices.Contains(all, r.method) {
			all = append(all, r.method)
		}
	}
	return all
}

// route returns the operation of a request for request validation.
func route(method string, u *url.URL) (id string, found bool) {
	op, _ := find(method, u)
	if op == nil {
		return "", false
	}
	return op.id, true
}

// plain returns the request with its path in the form of the description: without empty parts, in the plural.
func plain(r *http.Request) *http.Request {
	address := *r.URL
	var escaped []string
	for _, part := range split(r.URL) {
		escaped = append(escaped, url.PathEscape(part))
	}
	if escaped == nil {
		return r
	}
	path := "/v2/" + strings.Join(escaped, "/")
	if unescaped, err := url.PathUnescape(path); err == nil {
		address.Path, address.RawPath = unescaped, path
	}
	copied := *r
	copied.URL = &address
	return &copied
}

package oauth

import (
	"strconv"

	"vitrine/internal/app/accounts"
)

// introspection is the response for an active token (RFC 7662 section 2.2). Subject is the id of the user,
// or of the client if it acts for itself.
type introspection struct {
	Active    bool   `json:"active"`
	Scope     string `json:"scope"`
	ClientID  string `json:"client_id"`
	Username  string `json:"username,omitempty"`
	TokenType string `json:"token_type"`
	IssuedAt  int64  `json:"iat"`
	Subject   string `json:"sub"`
	Issuer    string `json:"iss"`
}

func (e *Endpoints) described(i accounts.Introspection) introspection {
	d := introspection{Active: true, Scope: string(i.Token.Scope), ClientID: i.Client.ClientID, Username: i.User,
		TokenType: "Bearer", IssuedAt: i.Token.CreatedAt.Unix(), Subject: i.Client.ClientID, Issuer: e.o.BaseURL}
	if i.Token.UserID != 0 {
		d.Subject = strconv.FormatInt(int64(i.Token.UserID), 10)
	}
	return d
}

package oauth

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"vitrine/internal/app/accounts"
	"vitrine/internal/domain"
)

// refreshGrant is the grant type with which a client asks for access tokens that expire and refresh tokens.
const refreshGrant = "refresh_token"

// registration is the metadata in a registration request and its response (RFC 7591 section 2). No user
// owns such a client, so it cannot act for itself.
type registration struct {
	RedirectURIs  []string
	AuthMethod    string
	GrantTypes    []string
	ResponseTypes []string
	Name          string
	Scope         string
}

// registered is the response (RFC 7591 section 3.2.1).
type registered struct {
	ClientID        string   `json:"client_id"`
	IssuedAt        int64    `json:"client_id_issued_at"`
	Secret          string   `json:"client_secret,omitempty"`
	SecretExpiresAt *int64   `json:"client_secret_expires_at,omitempty"`
	RedirectURIs    []string `json:"redirect_uris"`
	AuthMethod      string   `json:"token_endpoint_auth_method"`
	GrantTypes      []string `json:"grant_types"`
	ResponseTypes   []string `json:"response_types"`
	Name            string   `json:"client_name"`
	Scope           string   `json:"scope"`
}

func (e *Endpoints) register(w http.ResponseWriter, r *http.Request) error {
	_, body, err := read(w, r, "application/json")
	if err != nil {
		return err
	}
	in, err := wanted(body)
	if err != nil {
		return err
	}
	secret, made, err := e.o.App.Accounts.RegisterApplication(r.Context(), visitor(r),
		accounts.ApplicationInput{Name: in.Name, RedirectURIs: in.RedirectURIs, Public: in.AuthMethod == "none",
			Expiring: slices.Contains(in.GrantTypes, refreshGrant)})
	if err != nil {
		return badMetadata(err)
	}
	out := registered{ClientID: made.ClientID, IssuedAt: made.CreatedAt.Unix(), Secret: secret, RedirectURIs: made.RedirectURIs,
		AuthMethod: in.AuthMethod, GrantTypes: grantTypes[:1:1], ResponseTypes: []string{"code"}, Name: made.Name, Scope: in.Scope}
	if made.Expiring {
		out.GrantTypes = append(out.GrantTypes, refreshGrant)
	}
	if secret != "" {
		out.SecretExpiresAt = new(int64) // 0: never
	}
	answer(w, http.StatusCreated, out)
	return nil
}

// wanted reads the metadata of a registration request and adds defaults. Unsupported grant types are
// omitted from the response (RFC 7591 section 2), but authorization_code is required.
func wanted(body []byte) (in registration, err error) {
	object, err := decodeObject(body)
	if err != nil {
		return in, err
	}
	for name, target := range map[string]any{
		"redirect_uris": &in.RedirectURIs, "token_endpoint_auth_method": &in.AuthMethod, "grant_types": &in.GrantTypes,
		"response_types": &in.ResponseTypes, "client_name": &in.Name, "scope": &in.Scope,
	} {
		if raw, ok := object[name]; ok && json.Unmarshal(raw, target) != nil {
			return in, invalidMetadata(name + " is not of its type")
		}
	}
	if in.AuthMethod == "" {
		in.AuthMethod = authMethods[1]
	}
	if strings.TrimSpace(in.Name) == "" {
		in.Name = "Unnamed application"
	}
	switch {
	case !slices.Contains(authMethods, in.AuthMethod):
		return in, invalidMetadata("token_endpoint_auth_method must be one of " + strings.Join(authMethods, ", "))
	case in.GrantTypes != nil && !slices.Contains(in.GrantTypes, grantTypes[0]):
		return in, invalidMetadata("grant_types must have authorization_code")
	case in.ResponseTypes != nil && !slices.Contains(in.ResponseTypes, "code"):
		return in, invalidMetadata("response_types must have code")
	case len(in.RedirectURIs) == 0:
		return in, &failure{http.StatusBadRequest, "invalid_redirect_uri", "redirect_uris must not be empty"}
	}
	if scope := (domain.Application{}).Asked(in.Scope); scope == domain.ScopeWrite {
		in.Scope = "read write"
	} else {
		in.Scope = string(scope)
	}
	return in, nil
}

func invalidMetadata(description string) error {
	return &failure{http.StatusBadRequest, "invalid_client_metadata", description}
}

// badMetadata converts an Invalid error to an error code of RFC 7591 section 3.2.2.
func badMetadata(err error) error {
	known, ok := errors.AsType[*domain.Error](err)
	if !ok || known.Kind != domain.Invalid {
		return err
	}
	for _, field := range known.Fields {
		if list, _ := field.Item(); list == "redirect_uris" {
			return &failure{http.StatusBadRequest, "invalid_redirect_uri", field.String()}
		}
	}
	return invalidMetadata("client_" + known.Message)
}

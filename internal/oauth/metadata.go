package oauth

import (
	"encoding/json"
	"net/http"

	"vitrine/internal/domain"
)

// serverMetadata is the metadata for clients (RFC 8414 section 2).
type serverMetadata struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	RevocationEndpoint    string   `json:"revocation_endpoint"`
	IntrospectionEndpoint string   `json:"introspection_endpoint"`
	RegistrationEndpoint  string   `json:"registration_endpoint,omitempty"`
	Scopes                []string `json:"scopes_supported"`
	ResponseTypes         []string `json:"response_types_supported"`
	ResponseModes         []string `json:"response_modes_supported"`
	GrantTypes            []string `json:"grant_types_supported"`
	TokenMethods          []string `json:"token_endpoint_auth_methods_supported"`
	RevocationMethods     []string `json:"revocation_endpoint_auth_methods_supported"`
	IntrospectionMethods  []string `json:"introspection_endpoint_auth_methods_supported"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported"`
	SaysIssuer            bool     `json:"authorization_response_iss_parameter_supported"`
	ReadsDocuments        bool     `json:"client_id_metadata_document_supported"`

	Extension *extensionClient `json:"vitrine_browser_extension,omitempty"` // our own addition
}

// extensionClient is the client of the browser extension.
type extensionClient struct {
	ClientID     string   `json:"client_id"`
	RedirectURIs []string `json:"redirect_uris"`
}

// authMethods are the client authentication methods. The first one is for clients without a secret.
var authMethods = []string{"none", "client_secret_basic", "client_secret_post"}

// grantTypes are the supported grant types.
var grantTypes = []string{"authorization_code", "client_credentials", "refresh_token"}

func metadata(o Options) []byte {
	m := serverMetadata{
		Issuer: o.BaseURL, AuthorizationEndpoint: o.SiteURL + "/oauth/authorize", TokenEndpoint: o.BaseURL + tokenPath,
		RevocationEndpoint: o.BaseURL + revokePath, IntrospectionEndpoint: o.BaseURL + introspectPath,
		Scopes: []string{"read", "write"}, ResponseTypes: []string{"code"}, ResponseModes: []string{"query"},
		GrantTypes: grantTypes, TokenMethods: authMethods, RevocationMethods: authMethods, IntrospectionMethods: authMethods[1:],
		ChallengeMethods: []string{"S256"}, SaysIssuer: true, ReadsDocuments: true,
	}
	if o.Registration {
		m.RegistrationEndpoint = o.BaseURL + registerPath
	}
	if o.Extension {
		app := domain.ExtensionApplication()
		m.Extension = &extensionClient{app.ClientID, app.RedirectURIs}
	}
	return encoded(m)
}

func encoded(metadata any) []byte {
	text, err := json.Marshal(metadata)
	if err != nil {
		panic(err) // impossible: strings can always be encoded
	}
	return append(text, '\n')
}

// resourceMetadata is the metadata of the MCP endpoint (RFC 9728 section 2).
type resourceMetadata struct {
	Resource      string   `json:"resource"`
	Servers       []string `json:"authorization_servers"`
	Scopes        []string `json:"scopes_supported"`
	Methods       []string `json:"bearer_methods_supported"`
	Name          string   `json:"resource_name"`
	Documentation string   `json:"resource_documentation"`
}

func resource(o Options) []byte {
	return encoded(resourceMetadata{Resource: o.BaseURL + domain.AssistantsPath, Servers: []string{o.BaseURL}, Scopes: []string{"read", "write"},
		Methods: []string{"header"}, Name: "Vitrine", Documentation: o.SiteURL + "/developers"})
}

// static returns the handler of metadata, which depends only on the settings.
func static(text []byte) func(w http.ResponseWriter, r *http.Request) error {
	return func(w http.ResponseWriter, _ *http.Request) error {
		h := w.Header()
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("Cache-Control", "max-age=300, public")
		h.Del("Pragma")
		_, _ = w.Write(text)
		return nil
	}
}

// Package description holds the written descriptions of the API, as OpenAPI 3.1
// documents. They come first: the server's code is generated from them, requests
// are checked against them, and they are served to clients.
package description

import _ "embed"

// V3 is the description of everything under /v3, as YAML.
//
//go:embed v3.yaml
var V3 []byte

// V2 is api/v2.yaml, the description of everything under /v2.
//
//go:embed v2.yaml
var V2 []byte

// Ext is api/ext.yaml, the description of what this server adds.
//
//go:embed ext.yaml
var Ext []byte

// Compat is api/compat.yaml, the description of what clients send that the public
// description does not have. It is not served.
//
//go:embed compat.yaml
var Compat []byte

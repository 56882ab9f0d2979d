// Package oas contains the code generated from the API descriptions.
package oas

//go:generate go run ./generate -in ../../api/v3.yaml -out v3 -package v3
//go:generate go run ./generate -in ../../api/ext.yaml -out ext -package ext
//go:generate go run ./clients -in ../../api/v3.yaml -go ../../client -ts ../../client/typescript
//go:generate go run ./clients -in ../../api/ext.yaml -go ../../client/ext -ts ../../client/typescript -prefix ext_

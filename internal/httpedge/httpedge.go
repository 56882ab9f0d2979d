// Package httpedge contains the HTTP code that all APIs and the website share: routing to mounts,
// authentication, request validation and error responses.
package httpedge

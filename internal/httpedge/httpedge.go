// Package httpedge is what all doors of the API share and what belongs to no version of
// it: the gate before their generated servers, who calls, and how errors leave.
package httpedge

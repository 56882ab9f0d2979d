//go:build !linux

package server

// dropPages does nothing: other systems measure memory differently.
func dropPages() {}

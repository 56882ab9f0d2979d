//go:build !unix

package wasm

import "errors"

func mapMemory(int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapMemory([]byte) {}

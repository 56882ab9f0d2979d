package app

import "errors"

var errNotBuilt = errors.New("not built")

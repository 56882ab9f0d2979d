package httpedge_test

import "fmt"

func at(format string, args ...any) string { return fmt.Sprintf(format, args...) }

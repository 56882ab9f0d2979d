// Command vitrine is a self-hosted server for collections.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"vitrine/internal/cli"
)

func main() {
	os.Exit(run())
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return cli.Run(ctx, os.Args, os.Stdout, os.Stderr)
}

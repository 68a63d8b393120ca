package main

import (
	"flag"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptpreview"
)

var info = prompts.Implementation{Name: "files", Version: "1.0.0"}

// arguments returns the folder of the prompts, and the address of the page that shows
// them; empty for no page.
func arguments() (dir, addr string) {
	flag.StringVar(&addr, "preview", "", "the `address` of a page that shows the prompts, such as 127.0.0.1:8081")
	flag.Parse()
	return append(flag.Args(), "prompts")[0], addr
}

// preview serves the page at the address until the process ends, and returns the
// function that reports reloads to the page. Without an address it does nothing.
func preview(srv *prompts.Server, dir, addr string, logger *slog.Logger) func(promptfs.Report) {
	if addr == "" {
		return nil
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		logger.Error("cannot serve preview", "error", err)
		return nil
	}
	page, err := promptpreview.NewHandler(srv, promptpreview.Options{})
	if err != nil {
		logger.Error("cannot serve preview", "error", err)
		return nil
	}
	logger.Info("serving preview", "url", "http://"+listener.Addr().String()+"/")
	server := &http.Server{Handler: page, ReadHeaderTimeout: 10 * time.Second}
	go func() { logger.Error("preview ended", "error", server.Serve(listener)) }()
	return page.Reporter(dir)
}

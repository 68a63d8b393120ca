package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/nats-io/nats-server/v2/server"
)

// broker is a nats-server in this process, for trying the example.
type broker struct {
	server *server.Server
	dir    string
}

// startBroker starts one with an empty store.
func startBroker() (*broker, error) {
	dir, err := os.MkdirTemp("", "fleet")
	if err != nil {
		return nil, err
	}
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: dir, NoSigs: true,
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start broker: %w", err), os.RemoveAll(dir))
	}
	b := &broker{s, dir}
	s.Start()
	if !s.ReadyForConnections(startTimeout) {
		return nil, errors.Join(errors.New("broker does not start"), b.stop())
	}
	return b, nil
}

func (b *broker) url() string { return b.server.ClientURL() }

// stop ends the broker, and removes its store.
func (b *broker) stop() error {
	b.server.Shutdown()
	b.server.WaitForShutdown()
	return os.RemoveAll(b.dir)
}

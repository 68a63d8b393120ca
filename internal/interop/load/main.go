// Command load puts the same load on the HTTP servers of several libraries: prompts/get and
// tools/call, over 1 and 50 connections, in turn and in several rounds.
//
//	npm --prefix node install
//	go run ./load -o load.json
//	node node/plot.mjs load.json ../../docs/images
//
// Each server is a process of its own, with the same 100 prompts, each of them a tool too,
// and has to give the right responses first. What is measured of it is its processor time
// and its resident memory; of the client, the requests a second and the latencies. The
// client and the server share the machine. docs/load.md has the results.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// subjects are the servers that are measured. go-sdk responds with an event stream, or
// with JSON if that option is set.
var subjects = []string{"prompts", "mcp-go", "go-sdk, JSON", "go-sdk", "TypeScript SDK", "net/http echo"}

var workloads = []string{"prompts/get", "tools/call"}

func main() {
	log.SetFlags(0)
	var o options
	flag.DurationVar(&o.length, "d", 2*time.Second, "the time of a measurement")
	flag.IntVar(&o.rounds, "rounds", 5, "how often each is measured")
	out := flag.String("o", "", "the file for all measurements, as JSON")
	connections := flag.String("c", "1,50", "the numbers of connections")
	only := flag.String("only", "", "measure the servers whose names contain this")
	serve := flag.String("serve", "", "be the server of this name, for the command itself")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *serve != "" {
		log.Fatal(serveOne(*serve))
	}
	for n := range strings.SplitSeq(*connections, ",") {
		c, err := strconv.Atoi(n)
		if err != nil {
			log.Fatal(err)
		}
		o.connections = append(o.connections, c)
	}
	o.subjects = slices.DeleteFunc(slices.Clone(subjects), func(s string) bool { return !strings.Contains(s, *only) })
	all, err := run(ctx, o)
	if err != nil {
		log.Fatal(err)
	}
	if *out != "" {
		text, err := json.MarshalIndent(all, "", "\t")
		if err = errors.Join(err, os.WriteFile(*out, append(text, '\n'), 0o600)); err != nil {
			log.Fatal(err)
		}
	}
	printTable(all)
}

type options struct {
	length      time.Duration
	rounds      int
	connections []int
	subjects    []string
}

// measurement is what one server did for one workload in one round.
type measurement struct {
	Server      string  `json:"server"`
	Workload    string  `json:"workload"`
	Connections int     `json:"connections"`
	Round       int     `json:"round"`
	PerSecond   float64 `json:"perSecond"`
	P50         float64 `json:"p50µs"`
	P99         float64 `json:"p99µs"`
	CPU         float64 `json:"cpuµs"` // of the server, for a request
	Resident    float64 `json:"residentMB"`
}

// run measures each server once in each round, in an order that changes.
func run(ctx context.Context, o options) (all []measurement, err error) {
	servers := map[string]*process{}
	defer func() {
		for s := range maps.Values(servers) {
			s.stop()
		}
	}()
	for _, name := range o.subjects {
		p, err := start(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		servers[name] = p
	}
	for round := range o.rounds {
		for _, workload := range workloads {
			for _, n := range o.connections {
				for i := range o.subjects {
					name := o.subjects[(i+round)%len(o.subjects)]
					m, err := measure(ctx, servers[name], name, workload, n, o.length)
					if err != nil {
						return nil, fmt.Errorf("%s, %s, %d connections: %w", name, workload, n, err)
					}
					m.Server, m.Workload, m.Connections, m.Round = name, workload, n, round
					all = append(all, m)
				}
			}
		}
	}
	return all, nil
}

// median returns the median of what f returns, and half of the range in percent of it.
func median(all []measurement, f func(measurement) float64) (middle, spread float64) {
	var values []float64
	for _, m := range all {
		values = append(values, f(m))
	}
	slices.Sort(values)
	middle = values[len(values)/2]
	return middle, 50 * (values[len(values)-1] - values[0]) / middle
}

// printTable prints the medians as Markdown.
func printTable(all []measurement) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| workload | connections | server | requests a second | p50 | p99 | processor time | resident memory |")
	fmt.Fprintln(w, "|---|---:|---|---:|---:|---:|---:|---:|")
	for len(all) > 0 {
		first := all[0]
		same := func(m measurement) bool {
			return m.Server == first.Server && m.Workload == first.Workload && m.Connections == first.Connections
		}
		var group []measurement
		for _, m := range all {
			if same(m) {
				group = append(group, m)
			}
		}
		all = slices.DeleteFunc(slices.Clone(all), same)
		rate, spread := median(group, func(m measurement) float64 { return m.PerSecond })
		p50, _ := median(group, func(m measurement) float64 { return m.P50 })
		p99, _ := median(group, func(m measurement) float64 { return m.P99 })
		cpu, cpuSpread := median(group, func(m measurement) float64 { return m.CPU })
		resident, _ := median(group, func(m measurement) float64 { return m.Resident })
		fmt.Fprintf(w, "| %s | %d | %s | %.0f ± %.0f %% | %.0f µs | %.0f µs | %.1f µs ± %.0f %% | %.1f MB |\n",
			first.Workload, first.Connections, first.Server, rate, spread, p50, p99, cpu, cpuSpread, resident)
	}
	_ = w.Flush()
}

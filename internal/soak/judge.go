package main

import (
	"os"
	"sync"

	"github.com/mcp-prompts/prompts/internal/speccheck"
)

// judgeEvery is how many connections there are for one that is judged.
const judgeEvery = 8

// specification returns what judges by the schemas, or nil if the environment
// does not say where they are.
var specification = sync.OnceValues(func() (*speccheck.Checker, error) {
	if os.Getenv(speccheck.Variable) == "" {
		return nil, nil
	}
	return speccheck.FromEnvironment()
})

// judge judges one connection; nil judges nothing.
type judge struct {
	rec *record
	who string

	mu    sync.Mutex // protects the field below
	judge *speccheck.Judge
}

func newJudge(rec *record, who string, isHTTP bool) *judge {
	checker, err := specification()
	if err != nil {
		rec.fault(who, "nothing can be judged: %v", err)
	}
	if checker == nil {
		return nil
	}
	return &judge{rec: rec, who: who, judge: checker.Judge(speccheck.Options{ServerOnly: true, HTTP: isHTTP})}
}

// client takes what the client is about to send.
func (j *judge) client(msg []byte) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_ = j.judge.Client(msg) // which is not judged
}

// server takes what the server has sent.
func (j *judge) server(msg []byte) {
	if j == nil {
		return
	}
	j.rec.sawJudged()
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.judge.Server(msg); err != nil {
		j.rec.fault(j.who, "the specification does not allow it: %.300v: %.300s", err, msg)
	}
}

package prompts

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The author is told why arguments could not be asked for, whatever the
// reason: the client is not.
func TestReasonThatArgumentsCouldNotBeAskedFor(t *testing.T) {
	for why, then := range map[string]func(c *client){
		"it has not answered in time": func(*client) { time.Sleep(time.Second) },
		"it has gone":                 func(c *client) { assert.NoError(c.t, c.end()) },
	} {
		t.Run(why, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var j journal
				s := NewServer(registryOf(travel(nil)), Options{AskArguments: true, AskTimeout: time.Second, Logger: j.logger()})
				c := connect(t, s).handshakeAs("2025-11-25", formCapability)
				c.send(getLine("1", "travel"))
				c.question()
				then(c)
				got := c.received()
				require.NotEmpty(t, got)
				readOutcome(t, got[len(got)-1]).fails(t, CodeInvalidParams, "from: is required; to: is required")
				assert.Contains(t, j.String(), why)
			})
		})
	}
}

// What the author has said about a refused argument is in the log, too, where
// asking for it has failed: it would be without asking.
func TestWordsOfARefusalAreKept(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var j journal
		s := NewServer(registryOf(refusing(fmt.Errorf("my words: %w", InvalidArgument("from", "is bad")))), Options{AskArguments: true, Logger: j.logger()})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(strings.Replace(getLine("1", "travel"), `"travel"`, `"travel","arguments":{"from":"Bonn","to":"Rome"}`, 1))
		got := c.ask(c.question().refuse(-1, "no user"))
		require.Len(t, got, 1)
		readOutcome(t, got[0]).fails(t, CodeInvalidParams, "from: is bad")
		assert.Contains(t, j.String(), "no user (-1)")
		assert.Contains(t, j.String(), "my words")
		assert.NoError(t, c.end())
	})
}

// A render that refuses an argument while a question of its own is pending is
// run again with another one: that question was about the old one, and is not
// asked beside the form.
func TestPendingQuestionIsForgottenWithItsArgument(t *testing.T) {
	t.Parallel()
	s := NewServer(registryOf(New(Prompt{Name: "travel"}, func(ctx context.Context, in trip) (*Result, error) {
		_, err := Elicit[colour](ctx, "colour", "Which colour for "+in.From+"?")
		if in.From != "Ulm" {
			err = errors.Join(err, InvalidArgument("from", "is bad"))
		}
		return Messages(User(in.From)), err
	})), Options{AskArguments: true})
	r := newRounds(t, s, "travel")
	r.arguments = `{"from":"Bonn","to":"Rome"}`
	r.get("").wants(t, argumentsKey)
	o := r.get(`{"` + argumentsKey + `":` + accepting(`{"from":"Ulm"}`) + `}`)
	o.wants(t, "colour")
	assert.Contains(t, string(o.Result.Requests["colour"].Params), "Which colour for Ulm?")
	assert.Equal(t, "Ulm", r.get(`{"colour":`+red+`}`).text(t))
}

// MRT-14: an answer that is forgotten with its argument is nothing new in the
// state: it does not keep that alive.
func TestForgottenAnswersKeepNoStateAlive(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := NewServer(registryOf(New(Prompt{Name: "travel"}, func(ctx context.Context, _ trip) (*Result, error) {
			if _, err := Elicit[colour](ctx, "colour", "Which?"); err != nil {
				return nil, err
			}
			return nil, InvalidArgument("from", "is bad")
		})), Options{AskArguments: true, StateTTL: time.Minute})
		r := newRounds(t, s, "travel")
		r.arguments = `{"from":"Bonn","to":"Rome"}`
		r.get("").wants(t, "colour")
		time.Sleep(time.Minute - time.Second)
		r.get(`{"colour":`+red+`}`).wants(t, argumentsKey)
		time.Sleep(time.Second)
		r.get("").fails(t, CodeInvalidParams, errState.Message)
	})
}

package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
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
				s := prompts.NewServer(registryOf(travel(nil)), prompts.Options{ElicitArguments: true, Timeouts: prompts.Timeouts{Elicit: time.Second}, Logger: j.logger()})
				c := connect(t, s).handshakeAs("2025-11-25", formCapability)
				c.send(getLine("1", "travel"))
				c.question()
				then(c)
				got := c.received()
				require.NotEmpty(t, got)
				readOutcome(t, got[len(got)-1]).fails(t, prompts.CodeInvalidParams, "from: is required; to: is required")
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
		s := prompts.NewServer(registryOf(refusing(fmt.Errorf("my words: %w", prompts.InvalidArgument("from", "is bad")))), prompts.Options{ElicitArguments: true, Logger: j.logger()})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(strings.Replace(getLine("1", "travel"), `"travel"`, `"travel","arguments":{"from":"Bonn","to":"Rome"}`, 1))
		got := c.ask(c.question().refuse(-1, "no user"))
		require.Len(t, got, 1)
		readOutcome(t, got[0]).fails(t, prompts.CodeInvalidParams, "from: is bad")
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
	s := prompts.NewServer(registryOf(prompts.New(prompts.Prompt{Name: "travel"}, func(ctx context.Context, in trip) (*prompts.Result, error) {
		_, err := prompts.Elicit[colour](ctx, "colour", "Which colour for "+in.From+"?")
		if in.From != "Ulm" {
			err = errors.Join(err, prompts.InvalidArgument("from", "is bad"))
		}
		return prompts.Messages(prompts.User(in.From)), err
	})), prompts.Options{ElicitArguments: true})
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
		s := prompts.NewServer(registryOf(prompts.New(prompts.Prompt{Name: "travel"}, func(ctx context.Context, _ trip) (*prompts.Result, error) {
			if _, err := prompts.Elicit[colour](ctx, "colour", "Which?"); err != nil {
				return nil, err
			}
			return nil, prompts.InvalidArgument("from", "is bad")
		})), prompts.Options{ElicitArguments: true, RequestStateTTL: time.Minute})
		r := newRounds(t, s, "travel")
		r.arguments = `{"from":"Bonn","to":"Rome"}`
		r.get("").wants(t, "colour")
		time.Sleep(time.Minute - time.Second)
		r.get(`{"colour":`+red+`}`).wants(t, argumentsKey)
		time.Sleep(time.Second)
		r.get("").fails(t, prompts.CodeInvalidParams, errState.Message)
	})
}

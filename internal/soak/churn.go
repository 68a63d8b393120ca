package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/mcp-prompts/prompts"
)

var errOnPurpose = errors.New("on purpose")

// churn changes the catalogue until ctx ends.
func (c *catalogue) churn(ctx context.Context, seed uint64, rec *record) {
	r := rand.New(rand.NewPCG(seed, 1<<32))
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		if err := c.changeOne(r); err != nil {
			rec.fault("the churner", "%v", err)
		}
		timer.Reset(time.Duration(r.IntN(10)) * time.Millisecond)
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
}

// changeOne makes one change, and returns an error if the registry says what is
// wrong.
func (c *catalogue) changeOne(r *rand.Rand) (err error) {
	switch r.IntN(8) {
	case 0, 1, 2:
		i := r.IntN(comers)
		c.comers[i].change(func(v int64) {
			if v%2 == 1 {
				err = c.registry.Add(versioned(comeName(i), v))
			} else if !c.registry.Remove(comeName(i)) {
				err = errors.New("a prompt could not be removed")
			}
		})
	case 3, 4:
		i := r.IntN(swaps)
		c.swaps[i].change(func(v int64) { err = c.registry.Set(versioned(swapName(i), v)) })
	case 5:
		i := r.IntN(pairs)
		c.pairs[i].change(func(v int64) {
			err = c.registry.Update(func(tx *prompts.Tx) error {
				if err := tx.Set(versioned(pairName(i, 1), v)); err != nil {
					return err
				}
				tx.Remove(pairName(i, 0))
				return tx.Add(versioned(pairName(i, 0), v))
			})
		})
	case 6: // which changes nothing
		got := c.registry.Update(func(tx *prompts.Tx) error {
			tx.Remove(stayName(r.IntN(stays)))
			return errors.Join(errOnPurpose, tx.Add(versioned("never", 0)))
		})
		if !errors.Is(got, errOnPurpose) {
			err = errors.New("an update that fails has not")
		}
	default:
		if got := c.registry.Add(versioned("never", 0), stay(r.IntN(stays))); !errors.Is(got, prompts.ErrExists) {
			err = errors.New("a name that is taken has been added")
		}
	}
	return err
}

// touch makes a change that a client is to hear of.
func (c *catalogue) touch(client int) (err error) {
	c.touched[client].change(func(v int64) { err = c.registry.Set(versioned(touchName(client), v)) })
	return err
}

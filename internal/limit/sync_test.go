package limit

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestWaitGroup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c WaitGroup
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.Zero(t, c.Wait(ctx))
		c.Add()
		c.Add()
		assert.Equal(t, 2, c.Wait(ctx))
		for range 3 { // any number may wait
			go func() { assert.Zero(t, c.Wait(t.Context())) }()
		}
		synctest.Wait()
		c.Done()
		assert.Equal(t, 1, c.Wait(ctx))
		c.Done()
		synctest.Wait()
		// And once more.
		c.Add()
		go c.Done()
		assert.Zero(t, c.Wait(t.Context()))
	})
}

package gosdk_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

func millis(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// tidings is how many notifications a client has by now.
func (c *client) tidings() (n int) {
	for {
		select {
		case r := <-c.told:
			require.Equal(c.t, "notifications/prompts/list_changed", r.Method)
			n++
		default:
			return n
		}
	}
}

// Many changes in one batch are told once, to clients of all kinds, and changes
// that go on and on are told as well.
func TestChangesAreTold(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(nil)
			r := registry(says("a"))
			mount(t, s, r, prompts.Options{})
			c := dial(t, s, revision)
			c.listen()
			settle := func() int {
				time.Sleep(time.Second)
				synctest.Wait()
				return c.tidings()
			}
			settle()
			require.NoError(t, r.Update(func(tx *prompts.Tx) error {
				for i := range 100 {
					if err := tx.Add(says(fmt.Sprint(i))); err != nil {
						return err
					}
				}
				return nil
			}))
			assert.Equal(t, 1, settle())

			for i := range 20 { // a burst
				r.MustAdd(says(fmt.Sprint("burst", i)))
				time.Sleep(time.Millisecond)
			}
			assert.Equal(t, 1, settle())

			for i := range 400 { // for two seconds
				require.NoError(t, r.Set(says(fmt.Sprint(i%7))))
				time.Sleep(5 * time.Millisecond)
			}
			synctest.Wait()
			assert.InDelta(t, 40, c.tidings(), 5)
			assert.LessOrEqual(t, settle(), 1)
			assert.Zero(t, settle())
		})
	}
}

func TestNoListChanged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil)
		r := registry(says("a"))
		mount(t, s, r, prompts.Options{DisableListChanged: true})
		c := dial(t, s, newest)
		r.MustAdd(says("b"))
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Zero(t, c.tidings())
		s.AddPrompt(&mcp.Prompt{Name: "own_c"}, ownPrompt(""))
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, 1, c.tidings(), "the SDK's own changes are told as ever")
	})
}

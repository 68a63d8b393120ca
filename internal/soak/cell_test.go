package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What a request may have seen is what was there when it began, and each change
// that has begun before its answer.
func TestCell(t *testing.T) {
	t.Parallel()
	var c cell
	assert.Equal(t, span{0, 0}, c.end(c.spanOf()))
	before := c.spanOf()
	c.change(func(v int64) {
		assert.EqualValues(t, 1, v)
		assert.Equal(t, span{0, 1}, c.end(before))
		assert.Equal(t, span{0, 1}, c.end(c.spanOf()), "it is under way")
	})
	assert.Equal(t, span{0, 1}, c.end(before))
	after := c.end(c.spanOf())
	assert.Equal(t, span{1, 1}, after)
	assert.True(t, after.has(1))
	assert.False(t, after.has(0))
	assert.False(t, after.has(2))
	assert.True(t, after.hasParity(true))
	assert.False(t, after.hasParity(false))
	assert.True(t, span{0, 1}.hasParity(true))
	assert.True(t, span{0, 1}.hasParity(false))
}

package prompts

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Suggest returns a function that completes an argument from a fixed list. Any
// other value is still allowed; [Enum] is for those that are not.
//
// A value matches what was typed if it contains that, in any case. First come
// the values that are it, then those that begin with it, then those in which a
// word does, then the others, and in each group the earlier in the list is the
// first. Words start after what is neither a letter nor a digit, with a capital
// letter after a small one, and with a digit after a letter. Of what was not
// typed yet, all values are completions.
//
// The list is copied, and indexed for lists of 100,000 values. Suggest panics
// if a value is not valid UTF-8.
func Suggest(values ...string) CompleteFunc {
	x, err := indexed(values)
	if err != nil {
		panic(fmt.Errorf("prompts: Suggest: %w", err))
	}
	return func(_ context.Context, prefix string, _ map[string]string) ([]string, error) {
		return x.match(prefix), nil
	}
}

// SuggestFunc returns a function that completes an argument from the list that
// f returns for the other arguments, as [Suggest] does from a fixed one. f is
// called each time, by the rules of [CompleteFunc]; an error of f is the
// function's, and so is a value that is not valid UTF-8. SuggestFunc panics if
// f is nil.
func SuggestFunc(f func(ctx context.Context, args map[string]string) ([]string, error)) CompleteFunc {
	if f == nil {
		panic(errors.New("prompts: SuggestFunc: the function is nil"))
	}
	return func(ctx context.Context, prefix string, args map[string]string) ([]string, error) {
		values, err := f(ctx, args)
		if err != nil {
			return nil, err
		}
		if err := checkUTF8(values); err != nil {
			return nil, err
		}
		return search(values, prefix), nil
	}
}

// indexed is newIndex for an author's values.
func indexed(values []string) (*index, error) {
	if err := checkUTF8(values); err != nil {
		return nil, err
	}
	return newIndex(values), nil
}

func checkUTF8(values []string) error {
	for i, v := range values {
		if !utf8.ValidString(v) {
			return fmt.Errorf("value %d is not valid UTF-8", i)
		}
	}
	return nil
}

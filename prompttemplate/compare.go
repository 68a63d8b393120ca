package prompttemplate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
)

// The comparisons are those of text/template, but that they count what they
// compare, and that an integer can be compared with a float.

type ordering uint8

const (
	noOrder ordering = iota
	orderBool
	orderInt
	orderUint
	orderFloat
	orderComplex
	orderString
)

// unordered is the result of compare if one value is not a number.
const unordered = math.MaxInt

var errNoOrder = never("invalid type for comparison")

func orderingOf(v reflect.Value) ordering {
	switch {
	case !v.IsValid():
		return noOrder
	case v.Kind() == reflect.Bool:
		return orderBool
	case v.CanInt():
		return orderInt
	case v.CanUint():
		return orderUint
	case v.CanFloat():
		return orderFloat
	case v.CanComplex():
		return orderComplex
	case v.Kind() == reflect.String:
		return orderString
	}
	return noOrder
}

func concrete(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Interface {
		return v.Elem()
	}
	return v
}

func (r *run) eq(a reflect.Value, others ...reflect.Value) (bool, error) {
	a = concrete(a)
	if len(others) == 0 {
		return false, errors.New("missing argument for comparison")
	}
	for _, b := range others {
		equal, err := r.equal(a, concrete(b))
		if equal || err != nil {
			return equal, err
		}
	}
	return false, nil
}

func (r *run) equal(a, b reflect.Value) (bool, error) {
	ka, kb := orderingOf(a), orderingOf(b)
	switch {
	case ka == orderBool && kb == orderBool:
		return a.Bool() == b.Bool(), nil
	case ka == orderComplex && kb == orderComplex:
		return a.Complex() == b.Complex(), nil
	case ka != noOrder && kb != noOrder:
		c, err := r.compare(a, b)
		return c == 0, err
	case !a.IsValid() || !b.IsValid():
		return isNil(a) && isNil(b), nil
	case ka != kb || a.Kind() != b.Kind():
		return false, never("incompatible types for comparison: %v and %v", a.Type(), b.Type())
	case isNil(a) || isNil(b):
		return isNil(a) && isNil(b), nil
	case !a.Comparable() || !b.Comparable():
		return false, never("non-comparable types for comparison: %v and %v", a.Type(), b.Type())
	}
	s := &sizer{run: r}
	if err := s.add(a, 0); err != nil {
		return false, err
	}
	return a.Interface() == b.Interface(), r.work(s.bytes + s.values)
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice:
		return v.IsNil()
	}
	return false
}

func (r *run) compare(a, b reflect.Value) (int, error) {
	a, b = concrete(a), concrete(b)
	ka, kb := orderingOf(a), orderingOf(b)
	isNumber := func(k ordering) bool { return k == orderInt || k == orderUint || k == orderFloat }
	switch {
	case ka == orderString && kb == orderString:
		return strings.Compare(a.String(), b.String()), r.work(min(a.Len(), b.Len()))
	case ka == orderInt && kb == orderInt:
		return cmp.Compare(a.Int(), b.Int()), nil
	case ka == orderUint && kb == orderUint:
		return cmp.Compare(a.Uint(), b.Uint()), nil
	case ka == orderInt && kb == orderUint:
		if a.Int() < 0 {
			return -1, nil
		}
		return cmp.Compare(uint64(a.Int()), b.Uint()), nil
	case ka == orderUint && kb == orderInt:
		c, err := r.compare(b, a)
		return -c, err
	case isNumber(ka) && isNumber(kb):
		x, y := floatOf(a), floatOf(b)
		if math.IsNaN(x) || math.IsNaN(y) {
			return unordered, nil
		}
		return cmp.Compare(x, y), nil
	case ka == noOrder || kb == noOrder || ka == kb:
		return unordered, errNoOrder
	}
	return unordered, never("incompatible types for comparison: %v and %v", a.Type(), b.Type())
}

func floatOf(v reflect.Value) float64 {
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	}
	return v.Float()
}

// index is that of text/template, but that it counts the bytes of keys, which
// a map hashes, and that its errors quote no value.
func (r *run) index(item reflect.Value, indexes ...reflect.Value) (reflect.Value, error) {
	item = concrete(item)
	if !item.IsValid() {
		return item, errors.New("index of untyped nil")
	}
	for _, index := range indexes {
		index = concrete(index)
		if item = indirect(item); !item.IsValid() {
			return item, errors.New("index of nil pointer")
		}
		switch item.Kind() {
		case reflect.Array, reflect.Slice, reflect.String:
			var at int
			switch {
			case index.CanInt():
				at = int(index.Int())
			case index.CanUint():
				at = int(min(index.Uint(), math.MaxInt))
			case !index.IsValid():
				return item, errors.New("cannot index a list with nil")
			default:
				return item, never("cannot index a list with type %s", index.Type())
			}
			if at < 0 || at >= item.Len() {
				return item, fmt.Errorf("index out of range: %d", at)
			}
			item = item.Index(at)
		case reflect.Map:
			key, err := keyOf(index, item.Type().Key())
			if err != nil {
				return item, err
			}
			s := &sizer{run: r}
			if err := s.add(key, 0); err != nil {
				return item, err
			}
			if err := r.work(s.bytes + s.values); err != nil {
				return item, err
			}
			value := item.MapIndex(key)
			if !value.IsValid() {
				value = reflect.Zero(item.Type().Elem())
			}
			item = value
		default:
			return item, never("can't index item of type %s", item.Type())
		}
	}
	return item, nil
}

func keyOf(v reflect.Value, t reflect.Type) (reflect.Value, error) {
	isInt := func(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Uintptr }
	switch {
	case !v.IsValid() && isNil(reflect.Zero(t)):
		return reflect.Zero(t), nil
	case !v.IsValid():
		return v, fmt.Errorf("value is nil; should be of type %s", t)
	case v.Type().AssignableTo(t):
		if !v.Comparable() {
			return v, fmt.Errorf("cannot use type %s as a key", v.Type())
		}
		return v, nil
	case isInt(v.Type()) && isInt(t):
		return v.Convert(t), nil
	}
	return v, never("value has type %s; should be %s", v.Type(), t)
}

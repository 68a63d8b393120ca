// Package clone copies values of the application in depth.
package clone

import (
	"encoding"
	"encoding/json"
	"reflect"
)

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// Deep returns a copy that shares no pointer, slice or map with v.
func Deep[T any](v T) T { return copier{}.copy(reflect.ValueOf(&v).Elem()).Interface().(T) }

// Encoded returns a copy that shares nothing that encoding/json writes with m. Values with a method
// that encodes them are shared. m has no cycles: it was encoded once.
func Encoded[M ~map[string]any](m M) M {
	return copier{asJSON: true}.copy(reflect.ValueOf(m)).Interface().(M)
}

type copier struct {
	asJSON bool // copies only what encoding/json writes
}

func (c copier) copy(src reflect.Value) reflect.Value {
	dst := reflect.New(src.Type()).Elem()
	c.into(dst, src)
	return dst
}

func (c copier) into(dst, src reflect.Value) {
	dst.Set(src)
	if !isShared(src) || c.asJSON && writesItself(src.Type()) {
		return
	}
	switch src.Kind() {
	case reflect.Pointer:
		dst.Set(reflect.New(src.Type().Elem()))
		c.into(dst.Elem(), src.Elem())
	case reflect.Interface:
		dst.Set(c.copy(src.Elem()))
	case reflect.Slice:
		dst.Set(reflect.MakeSlice(src.Type(), src.Len(), src.Len()))
		fallthrough
	case reflect.Array:
		for i := range src.Len() {
			c.into(dst.Index(i), src.Index(i))
		}
	case reflect.Map:
		dst.Set(reflect.MakeMapWithSize(src.Type(), src.Len()))
		for i := src.MapRange(); i.Next(); {
			dst.SetMapIndex(i.Key(), c.copy(i.Value()))
		}
	case reflect.Struct:
		c.fields(dst, src)
	}
}

func (c copier) fields(dst, src reflect.Value) {
	for i := range src.NumField() {
		if !isShared(src.Field(i)) {
			continue
		}
		sf := src.Type().Field(i)
		switch {
		case c.asJSON && sf.Tag.Get("json") == "-":
		case sf.IsExported():
			c.into(dst.Field(i), src.Field(i))
		case sf.Anonymous && sf.Type.Kind() == reflect.Struct:
			c.fields(dst.Field(i), src.Field(i)) // of which the exported ones can be set
		}
	}
}

// isShared reports whether an assignment of the value may share something. A schema has dozens
// of fields, and most have their zero value.
func isShared(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		return !v.IsNil()
	}
	return v.Kind() == reflect.Array || v.Kind() == reflect.Struct
}

// writesItself reports whether t has a method that encodes it. A RawMessage is
// copied like any slice.
func writesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t) // has the methods of t, too
	return t.Kind() != reflect.Interface && t != reflect.TypeFor[json.RawMessage]() &&
		(t.Implements(jsonMarshaler) || t.Implements(textMarshaler) || p.Implements(jsonMarshaler) || p.Implements(textMarshaler))
}

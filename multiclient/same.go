package multiclient

import (
	"reflect"
	"unsafe"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// sameConnection reports whether two valid connections are the same, whether by
// value or by pointer.
func sameConnection(a, b config.Connection) bool {
	x, y := reflect.Indirect(reflect.ValueOf(a)), reflect.Indirect(reflect.ValueOf(b))
	return x.Type() == y.Type() && same(x, y)
}

// same compares two values of one type by what they hold, and what is pointed to
// by its identity.
func same(x, y reflect.Value) bool {
	switch x.Kind() {
	case reflect.Struct:
		for i := range x.NumField() {
			if !same(x.Field(i), y.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice, reflect.Array:
		if x.Len() != y.Len() {
			return false
		}
		for i := range x.Len() {
			if !same(x.Index(i), y.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if x.Len() != y.Len() {
			return false
		}
		for _, key := range x.MapKeys() {
			other := y.MapIndex(key)
			if !other.IsValid() || !same(x.MapIndex(key), other) {
				return false
			}
		}
		return true
	case reflect.Interface:
		x, y = x.Elem(), y.Elem()
		if !x.IsValid() || !y.IsValid() {
			return x.IsValid() == y.IsValid()
		}
		return x.Type() == y.Type() && same(x, y)
	case reflect.Func:
		// Of what an unexported field holds the identity cannot be had.
		return x.IsNil() && y.IsNil() || x.CanInterface() && identity(x) == identity(y)
	default:
		return x.Equal(y)
	}
}

// identity tells functions apart also where they share their code, as closures
// do: reflect has only the address of that.
func identity(f reflect.Value) unsafe.Pointer {
	own := reflect.New(f.Type())
	own.Elem().Set(f)
	return *(*unsafe.Pointer)(own.UnsafePointer())
}

package panics

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Recover, deferred, makes err the error for a panic. It tells what panicked and
// with which value; where that was goes to the logger, since an error may be read
// by a model, or by the client of a gateway.
func Recover(logger *slog.Logger, what string, err *error) {
	if v := recover(); v != nil {
		log(logger, what, v)
		*err = fmt.Errorf("%s panicked: %v", what, v)
	}
}

// RecoverUnnamed is Recover for code whose values may hold what must not be told,
// so that only their type is.
func RecoverUnnamed(logger *slog.Logger, what string, err *error) {
	if v := recover(); v != nil {
		log(logger, what, fmt.Sprintf("of type %T", v))
		*err = fmt.Errorf("%s panicked with a %T", what, v)
	}
}

func log(logger *slog.Logger, what string, value any) {
	logger.Error(what+" panicked", "value", value, "stack", string(debug.Stack()))
}

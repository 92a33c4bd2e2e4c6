// Package panics turns panics of code that a program gives to this library into
// errors, in goroutines in which the program itself could not recover them.
package panics

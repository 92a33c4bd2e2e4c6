// Package readme holds the test that the program in the README compiles and
// does what it says.
package readme

// Package leak finds what a test leaves behind: goroutines, open file
// descriptors (sockets and pipes among them) and child processes.
//
//	func TestClose(t *testing.T) {
//		leak.Check(t)
//		...
//	}
//
// Descriptors and processes are looked up in /proc; elsewhere than on Linux
// only goroutines are checked. Of processes only direct children are seen: a
// grandchild whose parent died is the child of init.
package leak

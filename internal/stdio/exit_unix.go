//go:build unix && !linux

package stdio

// awaitExit does nothing and says so. Waiting without reaping is not portable:
// on Darwin it returns for stopped processes as well.
func awaitExit(int) bool { return false }

// Package edits says how far a name is from another that was perhaps meant.
package edits

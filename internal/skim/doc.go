// Package skim finds out whom a JSON-RPC message is for that is too long to be
// held, while it is read and thrown away.
//
//	var s skim.Skimmer
//	s.Reset()
//	for chunk := range chunks {
//		s.Write(chunk)
//	}
//	if m := s.Message(); m.Kind == skim.Response {
//		fail(m.ID)
//	}
//
// It looks at the members of the outermost object only, and is told nothing
// about whether the rest is valid.
package skim

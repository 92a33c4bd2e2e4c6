// Package providers tests what the library sends to models of langchaingo's
// providers, through their own clients and the endpoints of package fakemodels,
// and that agents finish a task there. It is a module of its own since the
// clients of Google and Amazon, and langchaingo's agents, are heavy.
package providers

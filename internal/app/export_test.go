package app

import (
	"earshot/internal/provider"
	"earshot/internal/provider/search"
)

// Providers is the list of providers, for tests that compare it with the
// documents.
func Providers() []provider.Provider { return providers(search.Engine{Host: "search.lab.test"}) }

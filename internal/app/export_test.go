package app

import (
	"earshot/internal/provider"
	"earshot/internal/provider/serp"
)

// Providers is the list of providers, for tests that compare it with the
// documents.
func Providers() []provider.Provider { return providers(serp.Engine{Host: "search.lab.test"}) }

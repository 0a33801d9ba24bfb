package app

import "earshot/internal/provider"

// Providers is the list of providers, for tests that compare it with the
// documents.
func Providers() []provider.Provider { return providers() }

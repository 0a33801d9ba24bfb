package app

import (
	"earshot/internal/provider"
	"earshot/internal/provider/chatassistant"
)

// providers is the list of providers. Adding one is its folder and a line here.
func providers() []provider.Provider {
	return []provider.Provider{
		chatassistant.Provider{},
	}
}

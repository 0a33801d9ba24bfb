package vendorapi

import "earshot/internal/geo"

// StateName returns the name of a US state, or "" for an unknown code.
func StateName(code string) string {
	for _, state := range geo.States() {
		if state.Code == code {
			return state.Name
		}
	}
	return ""
}

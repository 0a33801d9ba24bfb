package via

import "earshot/internal/geo"

// Language is a stub.
func Language(locale geo.Locale, known map[string]bool) string { return geo.Language(locale.Country) }

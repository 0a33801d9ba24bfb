package serpapi

import (
	"earshot/internal/geo"
	"earshot/internal/provider/via"
)

// exceptCountries are the countries that are not among the values of gl.
const exceptCountries = "AX BL BQ CW GS-"

func language(locale geo.Locale) string { return via.Language(locale, nil) }

package oxylabs

import "earshot/internal/geo"

// exceptCountries are the countries that are not among the values of geo_location.
const exceptCountries = "KP XK"

func countryName(country string) string { return geo.Name(country) }

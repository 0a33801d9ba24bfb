package geo

// Locale is where a question is asked from and in which language.
type Locale struct {
	Country  string // alpha-2, upper case
	State    string // of the US, or ""
	Language string // BCP 47; "" means the country's own
}

package geo

// Locale is where a question is asked from and in which language.
type Locale struct {
	Country  string // alpha-2, upper case
	State    string // of the US, or ""
	Language string // BCP 47; "" means the country's own
}

// Place is the country, or the country and the state, such as US-CA.
func (l Locale) Place() string {
	if l.State == "" {
		return l.Country
	}
	return l.Country + "-" + l.State
}

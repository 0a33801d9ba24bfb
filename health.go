package earshot

// ExtractionHealth tells how well the parsers understand what they are served.
type ExtractionHealth struct {
	Providers List[ProviderHealth] `json:"providers"`
}

// ProviderHealth is how well one provider's documents are understood. State is the
// worst of its fields': unknown (too little to tell), ok, low or alarm.
type ProviderHealth struct {
	Provider string            `json:"provider"`
	State    string            `json:"state"`
	Fields   List[FieldHealth] `json:"fields"`
}

// FieldHealth is how often a field of a result is filled.
type FieldHealth struct {
	Field    string     `json:"field"`
	State    string     `json:"state"`
	LastHour FieldShare `json:"lastHour"`
	LastDay  FieldShare `json:"lastDay"`
	Baseline *float64   `json:"baseline"` // its rate over the week before; null when it was not seen
}

// FieldShare counts how often a field was there, and could have been.
type FieldShare struct {
	Seen   int64    `json:"seen"`
	Filled int64    `json:"filled"`
	Rate   *float64 `json:"rate"` // null when it was not seen
}

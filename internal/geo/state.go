package geo

import "slices"

// State is a US state or the District of Columbia.
type State struct{ Code, Name string }

// states is sorted by name.
var states = []State{
	{"AL", "Alabama"},
	{"AK", "Alaska"},
	{"AZ", "Arizona"},
	{"AR", "Arkansas"},
	{"CA", "California"},
	{"CO", "Colorado"},
	{"CT", "Connecticut"},
	{"DE", "Delaware"},
	{"DC", "District of Columbia"},
	{"FL", "Florida"},
	{"GA", "Georgia"},
	{"HI", "Hawaii"},
	{"ID", "Idaho"},
	{"IL", "Illinois"},
	{"IN", "Indiana"},
	{"IA", "Iowa"},
	{"KS", "Kansas"},
	{"KY", "Kentucky"},
	{"LA", "Louisiana"},
	{"ME", "Maine"},
	{"MD", "Maryland"},
	{"MA", "Massachusetts"},
	{"MI", "Michigan"},
	{"MN", "Minnesota"},
	{"MS", "Mississippi"},
	{"MO", "Missouri"},
	{"MT", "Montana"},
	{"NE", "Nebraska"},
	{"NV", "Nevada"},
	{"NH", "New Hampshire"},
	{"NJ", "New Jersey"},
	{"NM", "New Mexico"},
	{"NY", "New York"},
	{"NC", "North Carolina"},
	{"ND", "North Dakota"},
	{"OH", "Ohio"},
	{"OK", "Oklahoma"},
	{"OR", "Oregon"},
	{"PA", "Pennsylvania"},
	{"RI", "Rhode Island"},
	{"SC", "South Carolina"},
	{"SD", "South Dakota"},
	{"TN", "Tennessee"},
	{"TX", "Texas"},
	{"UT", "Utah"},
	{"VT", "Vermont"},
	{"VA", "Virginia"},
	{"WA", "Washington"},
	{"WV", "West Virginia"},
	{"WI", "Wisconsin"},
	{"WY", "Wyoming"},
}

// States returns the 50 states of the US and the District of Columbia, sorted by name.
func States() []State { return slices.Clone(states) }

// IsState reports whether code is one of States.
func IsState(code string) bool {
	return slices.ContainsFunc(states, func(s State) bool { return s.Code == code })
}

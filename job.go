package earshot

// Status is the state of a call or task. It changes only from QUEUED to PROCESSING to
// COMPLETED or FAILED.
type Status string

// The states of a job.
const (
	StatusQueued     Status = "QUEUED"
	StatusProcessing Status = "PROCESSING"
	StatusCompleted  Status = "COMPLETED"
	StatusFailed     Status = "FAILED"
)

// Values lists the states.
func (Status) Values() []Status {
	return []Status{StatusQueued, StatusProcessing, StatusCompleted, StatusFailed}
}

// Mode is the way a request is run: `sync` is a call whose client waits for the answer,
// `async` is a task.
type Mode string

// The modes of a job.
const (
	ModeSync  Mode = "sync"  // a call: the client waits for the answer
	ModeAsync Mode = "async" // a task: it waits in the queue and is polled
)

// Values lists the modes.
func (Mode) Values() []Mode { return []Mode{ModeSync, ModeAsync} }

// Surface is where an answer came from: `web` is the provider's website, `api` is the
// provider's official API, `vendor` is a company that sells answers from the provider's
// website, `lab` is the built-in lab, whose answers are made up.
type Surface string

// The surfaces.
const (
	SurfaceLab    Surface = "lab"    // the built-in lab: made-up answers
	SurfaceWeb    Surface = "web"    // the provider's website
	SurfaceAPI    Surface = "api"    // the provider's official API
	SurfaceVendor Surface = "vendor" // a company that sells answers from the provider's website
)

// Values lists the surfaces.
func (Surface) Values() []Surface {
	return []Surface{SurfaceLab, SurfaceWeb, SurfaceAPI, SurfaceVendor}
}

// Location is the place that an answer is for: the upstream was asked from that place,
// or was given the place as a parameter. A result without a location is not known to
// be for any place.
type Location struct {
	// ISO 3166-1 alpha-2 code.
	Country string `json:"country" schema:"country"`
	// Two-letter code of the US state.
	State string `json:"state,omitempty" schema:"state"`
}

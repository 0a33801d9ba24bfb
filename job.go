package earshot

// Status is where a job stands. It moves only QUEUED -> PROCESSING ->
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

// Mode is how a job was asked for: `sync` is a call whose client waits for the
// answer, `async` a task.
type Mode string

// The modes of a job.
const (
	ModeSync  Mode = "sync"  // its client waits for the answer
	ModeAsync Mode = "async" // a task: it waits in the queue and is polled
)

// Values lists the modes.
func (Mode) Values() []Mode { return []Mode{ModeSync, ModeAsync} }

// Surface is the kind of upstream that an answer came from. `web` is the provider's
// pages and streams, `api` its official API, `vendor` a company that sells answers from
// the provider's pages, `lab` the built-in stand-in whose answers are made up.
type Surface string

// The surfaces.
const (
	SurfaceLab    Surface = "lab"    // the built-in stand-in: made-up answers
	SurfaceWeb    Surface = "web"    // the provider's pages and streams
	SurfaceAPI    Surface = "api"    // the provider's official API
	SurfaceVendor Surface = "vendor" // a company that sells answers from the provider's pages
)

// Values lists the surfaces.
func (Surface) Values() []Surface {
	return []Surface{SurfaceLab, SurfaceWeb, SurfaceAPI, SurfaceVendor}
}

// Location is the place that an upstream answered for: it was asked from there,
// or told so in a field of its own. A result without one is not known to be that
// of any place.
type Location struct {
	// ISO 3166-1 alpha-2.
	Country string `json:"country" schema:"country"`
	// The US state.
	State string `json:"state,omitempty" schema:"state"`
}

package browser

// Undecoded exports undecoded.
var Undecoded = undecoded

// Times returns the timeouts, to change them before the first visit.
func (b *Browser) Times() *timeouts { return &b.times }

// Recycle sets the number of visits after which Chromium is replaced.
func (b *Browser) Recycle(visits int) { b.maxVisits = visits }

package browser

import "time"

// Undecoded exports undecoded.
var Undecoded = undecoded

// Recycle sets the number of visits and the idle time after which Chromium is replaced.
func (b *Browser) Recycle(visits int, idle time.Duration) { b.maxVisits, b.maxIdle = visits, idle }

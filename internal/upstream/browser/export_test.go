package browser

import "time"

// Undecoded is what becomes of a body that came as text.
var Undecoded = undecoded

// Recycle sets after how many visits, and after how long without one, Chromium
// is replaced.
func (b *Browser) Recycle(visits int, idle time.Duration) { b.maxVisits, b.maxIdle = visits, idle }

package account

// OccupyCPUs lets all hashes wait until the returned function is called.
func OccupyCPUs(p *Passwords) (release func()) {
	for range cap(p.slots) {
		p.slots <- struct{}{}
	}
	return func() {
		for range cap(p.slots) {
			<-p.slots
		}
	}
}

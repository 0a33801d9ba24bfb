package metric

// Names returns the names of all metrics.
func Names() []string { return names() }

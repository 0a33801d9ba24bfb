package metric

// Names are those of all metrics.
func Names() []string { return names() }

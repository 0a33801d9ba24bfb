// Package peers measures other job queues with the same work as package bench: no-op jobs,
// from the start of the workers to the end of the last job. It is a separate module, so
// that the product does not depend on these queues.
package peers

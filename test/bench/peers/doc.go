// Package peers measures other job queues on the work that package bench measures
// ours on: no-op jobs, from the start of the workers to the last job's end. It is
// a module of its own, so that the product depends on none of them.
package peers

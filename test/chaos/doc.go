// Package chaos kills the real program at random moments, again and again, and
// then checks from outside that nothing was lost, doubled or charged wrongly. It
// has tests only.
//
//	chaos_test.go     the test, its rounds, and the faults of each database
//	program_test.go   the program: building it, and its processes
//	postgres_test.go  faults of PostgreSQL itself
//	wire_test.go      faults of the connections to it
//	load_test.go      organizations that submit tasks and make calls all the while
//	http_test.go      requests whose outcome may stay unknown
//	receiver_test.go  the receiver of webhooks
//	check_test.go     the invariants, once everything has come to rest
//	sweep_test.go     trackers, whose sweeps run all the while, and their invariants
//	told_test.go      what they tell by themselves: alerts and reports
//
// A short version runs with all tests. The long one is make soak, steered by
//
//	EARSHOT_SOAK_CYCLES  kills on SQLite; PostgreSQL gets half as many
//	EARSHOT_SOAK_TIME    no new cycle starts after this time; 1h if it is not set
//	EARSHOT_SOAK_SEED    repeats the choices of a run, though not its timing
//
// With -artifacts the logs of the nodes are kept.
package chaos

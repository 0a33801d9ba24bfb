package prometheus

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"
)

// ofRuntime are the metrics of the Go runtime that are sums of its own. Names and
// meanings are those that dashboards for Go know.
var ofRuntime = []struct {
	metric *Metric
	of     []string
}{
	{NewGauge("go_gc_gogc_percent", "By how much the heap may grow before it is collected."), []string{"/gc/gogc:percent"}},
	{NewGauge("go_gc_gomemlimit_bytes", "How much memory the runtime tries to stay below."), []string{"/gc/gomemlimit:bytes"}},
	{NewGauge("go_goroutines", "Goroutines that there are."), []string{"/sched/goroutines:goroutines"}},
	{NewGauge("go_sched_gomaxprocs_threads", "Threads that may run Go code at once."), []string{"/sched/gomaxprocs:threads"}},
	{NewGauge("go_memstats_alloc_bytes", "Bytes of objects on the heap."), []string{"/memory/classes/heap/objects:bytes"}},
	{NewCounter("go_memstats_alloc_bytes_total", "Bytes of all objects that ever were on the heap."), []string{"/gc/heap/allocs:bytes"}},
	{NewGauge("go_memstats_buck_hash_sys_bytes", "Bytes of the profiler's table."), []string{"/memory/classes/profiling/buckets:bytes"}},
	{NewCounter("go_memstats_frees_total", "Objects that were freed."), []string{"/gc/heap/frees:objects", "/gc/heap/tiny/allocs:objects"}},
	{NewGauge("go_memstats_gc_sys_bytes", "Bytes of what the collector keeps books in."), []string{"/memory/classes/metadata/other:bytes"}},
	{NewGauge("go_memstats_heap_alloc_bytes", "Bytes of objects on the heap."), []string{"/memory/classes/heap/objects:bytes"}},
	{NewGauge("go_memstats_heap_idle_bytes", "Bytes of the heap that wait for objects."), []string{"/memory/classes/heap/released:bytes", "/memory/classes/heap/free:bytes"}},
	{NewGauge("go_memstats_heap_inuse_bytes", "Bytes of the heap that have objects among them."), []string{"/memory/classes/heap/objects:bytes", "/memory/classes/heap/unused:bytes"}},
	{NewGauge("go_memstats_heap_objects", "Objects on the heap."), []string{"/gc/heap/objects:objects"}},
	{NewGauge("go_memstats_heap_released_bytes", "Bytes of the heap that were given back to the system."), []string{"/memory/classes/heap/released:bytes"}},
	{NewGauge("go_memstats_heap_sys_bytes", "Bytes of the heap."), []string{"/memory/classes/heap/objects:bytes", "/memory/classes/heap/unused:bytes", "/memory/classes/heap/released:bytes", "/memory/classes/heap/free:bytes"}},
	{NewCounter("go_memstats_mallocs_total", "Objects that were made."), []string{"/gc/heap/allocs:objects", "/gc/heap/tiny/allocs:objects"}},
	{NewGauge("go_memstats_mcache_inuse_bytes", "Bytes of caches of processors in use."), []string{"/memory/classes/metadata/mcache/inuse:bytes"}},
	{NewGauge("go_memstats_mcache_sys_bytes", "Bytes of caches of processors."), []string{"/memory/classes/metadata/mcache/inuse:bytes", "/memory/classes/metadata/mcache/free:bytes"}},
	{NewGauge("go_memstats_mspan_inuse_bytes", "Bytes of what describes pieces of the heap, in use."), []string{"/memory/classes/metadata/mspan/inuse:bytes"}},
	{NewGauge("go_memstats_mspan_sys_bytes", "Bytes of what describes pieces of the heap."), []string{"/memory/classes/metadata/mspan/inuse:bytes", "/memory/classes/metadata/mspan/free:bytes"}},
	{NewGauge("go_memstats_next_gc_bytes", "Size of the heap at which it is collected next."), []string{"/gc/heap/goal:bytes"}},
	{NewGauge("go_memstats_other_sys_bytes", "Bytes of the runtime's other needs."), []string{"/memory/classes/other:bytes"}},
	{NewGauge("go_memstats_stack_inuse_bytes", "Bytes of stacks of goroutines."), []string{"/memory/classes/heap/stacks:bytes"}},
	{NewGauge("go_memstats_stack_sys_bytes", "Bytes of stacks of goroutines and threads."), []string{"/memory/classes/heap/stacks:bytes", "/memory/classes/os-stacks:bytes"}},
	{NewGauge("go_memstats_sys_bytes", "Bytes that the runtime has of the system."), []string{"/memory/classes/total:bytes"}},
}

var (
	goInfo     = NewGauge("go_info", "The version of Go.", "version")
	goThreads  = NewGauge("go_threads", "Threads that were made.")
	goPauses   = &Metric{name: "go_gc_duration_seconds", help: "How long collections stopped everything.", kind: "summary"}
	goLastGC   = NewGauge("go_memstats_last_gc_time_seconds", "When the heap was collected last, in seconds since 1970.")
	cpuSeconds = NewCounter("process_cpu_seconds_total", "Processor time of the process, user and system.")
	maxFiles   = NewGauge("process_max_fds", "Files that the process may have open.")
	openFiles  = NewGauge("process_open_fds", "Files that the process has open.")
	maxMemory  = NewGauge("process_virtual_memory_max_bytes", "Addresses that the process may have.")
	virtual    = NewGauge("process_virtual_memory_bytes", "Addresses that the process has.")
	resident   = NewGauge("process_resident_memory_bytes", "Memory that the process has.")
	startTime  = NewGauge("process_start_time_seconds", "When the process began, in seconds since 1970.")
	received   = NewCounter("process_network_receive_bytes_total", "Bytes that arrived in the network of the process.")
	sent       = NewCounter("process_network_transmit_bytes_total", "Bytes that left from the network of the process.")
)

// Runtime writes the metrics of the Go runtime.
func Runtime(p *Page) {
	for _, m := range ofRuntime {
		samples := make([]metrics.Sample, len(m.of))
		for i, name := range m.of {
			samples[i].Name = name
		}
		metrics.Read(samples)
		var sum uint64
		for _, s := range samples {
			sum += s.Value.Uint64()
		}
		p.Add(m.metric, float64(sum))
	}
	p.Add(goInfo, 1, runtime.Version())
	threads, _ := runtime.ThreadCreateProfile(nil)
	p.Add(goThreads, float64(threads))
	stats := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
	debug.ReadGCStats(&stats)
	quantiles := make([]float64, len(stats.PauseQuantiles))
	for i, pause := range stats.PauseQuantiles {
		quantiles[i] = pause.Seconds()
	}
	p.summary(goPauses, quantiles, stats.PauseTotal.Seconds(), stats.NumGC)
	p.Add(goLastGC, float64(stats.LastGC.UnixNano())/1e9)
}

// Process writes the metrics of the process that Linux has in /proc. What cannot be
// read is left out, and so is everything on other systems.
func Process(p *Page) {
	const ticks = 100 // a second, on every Linux that Go runs on
	// The second field, the program's name, may hold anything, and ends with the last
	// parenthesis. The others are counted from there: see proc(5).
	stat := read("/proc/self/stat")
	if fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:]); len(fields) > 21 {
		p.Add(cpuSeconds, (parse(fields[11])+parse(fields[12]))/ticks)
		if _, after, ok := strings.Cut(read("/proc/stat"), "\nbtime "); ok {
			boot, _, _ := strings.Cut(after, "\n")
			p.Add(startTime, parse(boot)+parse(fields[19])/ticks)
		}
		p.Add(virtual, parse(fields[20]))
		p.Add(resident, parse(fields[21])*float64(os.Getpagesize()))
	}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		p.Add(openFiles, float64(len(files)-1)) // one is that of the folder
	}
	limits := read("/proc/self/limits")
	for name, metric := range map[string]*Metric{"Max open files ": maxFiles, "Max address space ": maxMemory} {
		if _, after, ok := strings.Cut(limits, name); ok {
			p.Add(metric, parse(strings.Fields(after)[0]))
		}
	}
	// A line of names, and one of values.
	if _, after, ok := strings.Cut(read("/proc/self/net/netstat"), "IpExt:"); ok {
		names, values, _ := strings.Cut(after, "\nIpExt:")
		fields := strings.Fields(values)
		for i, name := range strings.Fields(names) {
			switch name {
			case "InOctets":
				p.Add(received, parse(fields[i]))
			case "OutOctets":
				p.Add(sent, parse(fields[i]))
			}
		}
	}
}

func read(file string) string {
	content, _ := os.ReadFile(file)
	return string(content)
}

// parse reads a number; a limit that is none is the largest.
func parse(text string) float64 {
	if text == "unlimited" {
		return 1<<64 - 1
	}
	value, _ := strconv.ParseFloat(text, 64)
	return value
}

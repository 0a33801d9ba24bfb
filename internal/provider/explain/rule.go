package explain

import (
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
)

// maxCallers is the maximum number of functions in a rule.
const maxCallers = 4

// Rule returns the functions on the stack above the helpers with their source lines, the innermost
// first. It ends with the first function that is a walk, which visits the whole document.
func Rule(helper string, walks ...string) string {
	stack := make([]uintptr, 16)
	frames := runtime.CallersFrames(stack[:runtime.Callers(2, stack)])
	var calls []string
	for {
		frame, more := frames.Next()
		name := functionName(frame.Function)
		if len(calls) > 0 || !strings.HasPrefix(name, helper) {
			file := path.Join(path.Base(path.Dir(frame.File)), path.Base(frame.File))
			calls = append(calls, fmt.Sprintf("%s %s:%d", name, file, frame.Line))
		}
		if !more || len(calls) == maxCallers || len(calls) > 0 && (len(walks) == 0 || slices.Contains(walks, name)) {
			return strings.Join(calls, " < ")
		}
	}
}

// functionName returns the name of a function without package, receiver and numbers of closures.
func functionName(full string) string {
	_, name, _ := strings.Cut(path.Base(full), ".")
	if _, method, ok := strings.Cut(name, ")."); ok {
		name = method
	}
	name, _, _ = strings.Cut(name, ".")
	return name
}

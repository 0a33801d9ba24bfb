package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// progress shows the progress of a batch: a bar on a terminal, otherwise occasional lines.
type progress struct {
	out      io.Writer
	terminal bool
	total    int
	shown    time.Time
	drawn    bool   // the current line is a bar
	marks    []mark // the recent past, for the rate
}

// mark is how many tasks had ended at a time.
type mark struct {
	at   time.Time
	done int
}

const (
	barWidth  = 24
	barEvery  = 100 * time.Millisecond
	lineEvery = 5 * time.Second
	// The rate is measured over the last rateWindow. It needs at least rateLeast and
	// rateCount ended tasks, because the first tasks end together.
	rateWindow = 30 * time.Second
	rateLeast  = 5 * time.Second
	rateCount  = 10
)

func newProgress(out io.Writer, terminal bool) *progress {
	return &progress{out: out, terminal: terminal}
}

// begin starts the measurement for total tasks.
func (p *progress) begin(total int, now time.Time) {
	p.total, p.shown, p.marks = total, now, []mark{{now, 0}}
}

// show prints how many tasks have ended, including failed ones, unless the last output is
// too recent.
func (p *progress) show(done, failed int, now time.Time) {
	p.note(done, now)
	every := lineEvery
	if p.terminal {
		every = barEvery
	}
	if now.Sub(p.shown) < every {
		return
	}
	p.shown = now
	text := fmt.Sprintf("%d of %d ended", done, p.total)
	if failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	if rate := p.rate(); rate > 0 {
		left := time.Duration(float64(p.total-done) / rate * float64(time.Second))
		text += fmt.Sprintf(", %.1f per second, about %s left", rate, left.Round(time.Second))
	}
	if !p.terminal {
		fmt.Fprintln(p.out, text)
		return
	}
	filled := barWidth * done / max(1, p.total)
	fmt.Fprintf(p.out, "\r\x1b[K[%s%s] %s", strings.Repeat("#", filled), strings.Repeat(".", barWidth-filled), text)
	p.drawn = true
}

// note records how many tasks have ended, and drops marks that are older than the window.
func (p *progress) note(done int, now time.Time) {
	p.marks = append(p.marks, mark{now, done})
	for len(p.marks) > 2 && now.Sub(p.marks[1].at) >= rateWindow && done-p.marks[1].done >= rateCount {
		p.marks = p.marks[1:]
	}
}

// rate returns how many tasks end per second, or 0 while that is unknown.
func (p *progress) rate() float64 {
	first, last := p.marks[0], p.marks[len(p.marks)-1]
	passed, ended := last.at.Sub(first.at), last.done-first.done
	if passed < rateLeast || ended < rateCount {
		return 0
	}
	return float64(ended) / passed.Seconds()
}

// clear removes the bar before other output.
func (p *progress) clear() {
	if p.drawn {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.drawn = false
	}
}

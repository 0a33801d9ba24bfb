package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// progress shows how far a batch is: a bar on a terminal, a line now and then
// elsewhere.
type progress struct {
	out      io.Writer
	terminal bool
	total    int
	began    time.Time
	shown    time.Time
	drawn    bool // the current line is a bar
}

const (
	barWidth  = 24
	barEvery  = 100 * time.Millisecond
	lineEvery = 5 * time.Second
)

func newProgress(out io.Writer, terminal bool) *progress {
	return &progress{out: out, terminal: terminal}
}

// begin starts the clock for what is left to do.
func (p *progress) begin(total int, now time.Time) {
	p.total, p.began, p.shown = total, now, now
}

// show prints that done of the total have ended, failed ones included, unless it
// printed just before.
func (p *progress) show(done, failed int, now time.Time) {
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
	if elapsed := now.Sub(p.began).Seconds(); done > 0 && elapsed > 0 {
		rate := float64(done) / elapsed
		left := time.Duration(float64(p.total-done) / rate * float64(time.Second))
		text += fmt.Sprintf(", %.1f a second, about %s left", rate, left.Round(time.Second))
	}
	if !p.terminal {
		fmt.Fprintln(p.out, text)
		return
	}
	filled := barWidth * done / max(1, p.total)
	fmt.Fprintf(p.out, "\r\x1b[K[%s%s] %s", strings.Repeat("#", filled), strings.Repeat(".", barWidth-filled), text)
	p.drawn = true
}

// clear removes the bar, so that something else can be printed.
func (p *progress) clear() {
	if p.drawn {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.drawn = false
	}
}

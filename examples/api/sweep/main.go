// Command sweep runs a tracker now and waits until all answers have arrived.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"earshot"
	"earshot/client"
)

func main() {
	c, err := client.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	started, err := c.StartSweep(ctx, "sport", "launch-day")
	if err != nil {
		log.Fatal(err)
	}
	sweep := &started.Sweep
	for sweep.State == earshot.SweepRunning {
		time.Sleep(time.Second)
		if sweep, err = c.Sweep(ctx, "sport", sweep.ID); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("%s: %d of %d answered\n", sweep.State, sweep.Progress.Answered, sweep.Progress.Planned)
}

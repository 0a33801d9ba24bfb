package main

type trackerCmd struct {
	trackerNumbers
}

package main

type trackerCmd struct {
	Demo trackerDemoCmd `cmd:"" help:"Make a tracker with a history that is made up, to look around."`
}

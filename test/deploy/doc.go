// Package deploy tests the files in deploy/ with the programs that read them. It contains
// only tests.
package deploy

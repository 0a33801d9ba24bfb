// Package browser drives the system's Chromium for pages that need scripts.
package browser

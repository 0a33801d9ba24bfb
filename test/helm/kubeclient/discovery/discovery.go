// Package discovery has the type that Helm's engine names.
package discovery

import (
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// Client is never used, because tests have no cluster.
type Client struct{}

// NewDiscoveryClientForConfig panics.
func NewDiscoveryClientForConfig(*rest.Config) (Client, error) { panic("there is no cluster") }

// ServerResourcesForGroupVersion panics.
func (Client) ServerResourcesForGroupVersion(string) (*meta.APIResourceList, error) {
	panic("there is no cluster")
}

// Package dynamic has the types that Helm's engine names.
package dynamic

import (
	"context"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// ResourceInterface reads objects of a kind.
type ResourceInterface interface {
	Get(ctx context.Context, name string, options meta.GetOptions, subresources ...string) (*unstructured.Unstructured, error)
	List(ctx context.Context, options meta.ListOptions) (*unstructured.UnstructuredList, error)
}

// NamespaceableResourceInterface reads objects of a kind in all namespaces or in one.
type NamespaceableResourceInterface interface {
	Namespace(name string) ResourceInterface
	ResourceInterface
}

// Client is never used, because tests have no cluster.
type Client struct{}

// NewForConfig panics.
func NewForConfig(*rest.Config) (Client, error) { panic("there is no cluster") }

// Resource panics.
func (Client) Resource(schema.GroupVersionResource) NamespaceableResourceInterface {
	panic("there is no cluster")
}

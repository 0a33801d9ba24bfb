package openapi

import (
	"iter"
	"strings"

	"earshot/internal/schema"
)

// objectAt returns the object at a path of keys, or nil.
func objectAt(object schema.Map, path ...string) schema.Map {
	for _, key := range path {
		object, _ = object.Get(key).(schema.Map)
	}
	return object
}

// operations returns the operations of a document in order, with names such as GET /v1/keys.
func operations(document schema.Map) iter.Seq2[string, schema.Map] {
	return func(yield func(string, schema.Map) bool) {
		for _, path := range objectAt(document, "paths") {
			methods, _ := path.Value.(schema.Map)
			for _, method := range methods {
				operation, _ := method.Value.(schema.Map)
				if !yield(strings.ToUpper(method.Key)+" "+path.Key, operation) {
					return
				}
			}
		}
	}
}

// resolve returns the component that a schema refers to, or the schema itself.
func resolve(document, shape schema.Map) schema.Map {
	ref, ok := shape.Get("$ref").(string)
	if !ok {
		return shape
	}
	return objectAt(document, "components", "schemas", ref[strings.LastIndex(ref, "/")+1:])
}

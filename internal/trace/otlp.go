package trace

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/protobuf/encoding/protowire"
)

// What a collector is sent, field by field, by the numbers of
// https://github.com/open-telemetry/opentelemetry-proto/tree/main/opentelemetry/proto.
// The generated messages would do the same and make gRPC and all of protobuf a part of
// the build.

// request is the message that carries spans, of which there is at least one. All have
// the resource and the scope of the first, since one Tracer made them.
func request(spans []sdk.ReadOnlySpan) message {
	about := spans[0].Resource()
	var resource, made message
	for _, a := range about.Attributes() {
		resource = resource.bytes(1, keyValue(a))
	}
	made = made.bytes(1, message(nil).text(1, spans[0].InstrumentationScope().Name))
	for _, s := range spans {
		made = made.bytes(2, spanMessage(s))
	}
	return message(nil).bytes(1, message(nil).bytes(1, resource).bytes(2, made).text(3, about.SchemaURL()))
}

// spanMessage is a span, without events and links, since nothing here adds any.
func spanMessage(s sdk.ReadOnlySpan) (m message) {
	own, parent := s.SpanContext(), s.Parent()
	trace, id, above := own.TraceID(), own.SpanID(), parent.SpanID()
	m = m.bytes(1, trace[:]).bytes(2, id[:]).text(3, own.TraceState().String())
	if above.IsValid() {
		m = m.bytes(4, above[:])
	}
	m = m.text(5, s.Name()).number(6, uint64(s.SpanKind())) // the kinds have the same numbers
	m = m.fixed64(7, uint64(s.StartTime().UnixNano())).fixed64(8, uint64(s.EndTime().UnixNano()))
	for _, a := range s.Attributes() {
		m = m.bytes(9, keyValue(a))
	}
	m = m.number(10, uint64(s.DroppedAttributes()))
	if s.Status().Code == codes.Error { // no span here is set to be in order
		m = m.bytes(15, message(nil).text(2, s.Status().Description).number(3, 2))
	}
	flags := uint32(own.TraceFlags()) | 0x100 // it is known whether the parent is elsewhere
	if parent.IsRemote() {
		flags |= 0x200
	}
	return protowire.AppendFixed32(protowire.AppendTag(m, 16, protowire.Fixed32Type), flags)
}

func keyValue(a attribute.KeyValue) message {
	var value message
	if a.Value.Type() == attribute.INT64 {
		value = value.number(3, uint64(a.Value.AsInt64()))
	} else { // a text: there is nothing else in our spans and in the resource
		value = value.text(1, a.Value.String())
	}
	return message(nil).text(1, string(a.Key)).bytes(2, value)
}

// rejected tells how many spans a collector did not take, and what it says of them, by
// its response.
func rejected(response []byte) (spans uint64, why string) {
	_, partial := find(response, 1)
	spans, _ = find(partial, 1)
	_, text := find(partial, 2)
	return spans, string(text)
}

// find is the value of a field, nothing where it is missing or cannot be read.
func find(m []byte, field protowire.Number) (number uint64, content []byte) {
	for len(m) > 0 {
		found, kind, n := protowire.ConsumeField(m)
		if n < 0 {
			return 0, nil
		}
		if found == field {
			_, _, tag := protowire.ConsumeTag(m)
			switch kind {
			case protowire.VarintType:
				number, _ = protowire.ConsumeVarint(m[tag:])
			case protowire.BytesType:
				content, _ = protowire.ConsumeBytes(m[tag:])
			default:
			}
		}
		m = m[n:]
	}
	return number, content
}

// message is one of Protocol Buffers. Its methods add a field.
type message []byte

func (m message) bytes(field protowire.Number, value []byte) message {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), value)
}

func (m message) text(field protowire.Number, value string) message {
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), value)
}

func (m message) number(field protowire.Number, value uint64) message {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), value)
}

func (m message) fixed64(field protowire.Number, value uint64) message {
	return protowire.AppendFixed64(protowire.AppendTag(m, field, protowire.Fixed64Type), value)
}

// A schema as a tree. Levels are rendered when they are opened, so recursive schemas do no harm.
import { useState } from "preact/hooks";
import { follow, refName, type OpenAPI, type Schema } from "../openapi";
import { Line } from "../result/markdown";

interface Part {
  label: string;
  schema: Schema;
  required?: boolean;
}

/** The tree of a schema. */
export function SchemaTree({ api, schema }: { api: OpenAPI; schema: Schema }) {
  const resolved = follow(api, schema);
  const parts = partsOf(api, resolved);
  return (
    <div class="schema">
      <div>
        <Facts schema={resolved} name={refName(schema)} />
      </div>
      {parts.length > 0 && <Parts api={api} parts={parts} />}
    </div>
  );
}

function Parts({ api, parts }: { api: OpenAPI; parts: Part[] }) {
  return (
    <ul>
      {parts.map((part, i) => (
        <li key={i}>
          <PartView api={api} part={part} />
        </li>
      ))}
    </ul>
  );
}

function PartView({ api, part }: { api: OpenAPI; part: Part }) {
  const [open, setOpen] = useState(false);
  const schema = follow(api, part.schema);
  const parts = partsOf(api, schema);
  const line = (
    <>
      <code class="name">{part.label}</code>
      {part.required && <span class="bad"> required</span>} <Facts schema={schema} name={refName(part.schema)} />
    </>
  );
  if (!parts.length) return <div class="leaf">{line}</div>;
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{line}</summary>
      {open && <Parts api={api} parts={parts} />}
    </details>
  );
}

/** Type, limits, allowed values and description. */
function Facts({ schema, name }: { schema: Schema; name: string }) {
  return (
    <>
      <span class="type">{typeOf(schema)}</span>
      {name && <span class="faint"> {name}</span>}
      {schema.deprecated && <span class="warn"> deprecated</span>}
      {limits(schema).map((limit) => (
        <span key={limit} class="limit">
          {limit}
        </span>
      ))}
      {schema.description && (
        <div class="faint">
          <Line text={schema.description} />
        </div>
      )}
      {schema.enum && (
        <div class="values">
          {schema.enum.map((value) => (
            <code key={String(value)}>{JSON.stringify(value)}</code>
          ))}
        </div>
      )}
    </>
  );
}

function typeOf({ type, format, items, const: only }: Schema): string {
  const types = [type].flat().filter(Boolean).join(" | ") || (only === undefined ? "" : typeof only);
  const each = items && (refName(items) || [items.type].flat().filter(Boolean).join(" | "));
  return types + (each ? ` of ${each}` : "") + (format ? ` (${format})` : "");
}

const limitNames = {
  minimum: "≥",
  maximum: "≤",
  exclusiveMinimum: ">",
  exclusiveMaximum: "<",
  minLength: "length ≥",
  maxLength: "length ≤",
  minItems: "items ≥",
  maxItems: "items ≤",
  uniqueItems: "unique items",
  multipleOf: "multiple of",
  pattern: "pattern",
  default: "default",
  const: "always",
} satisfies Partial<Record<keyof Schema, string>>;

function limits(schema: Schema): string[] {
  const set = (Object.keys(limitNames) as (keyof typeof limitNames)[])
    .filter((name) => schema[name] !== undefined)
    .map((name) => `${limitNames[name]} ${name === "pattern" ? schema[name] : JSON.stringify(schema[name])}`);
  // A conditional schema often requires a field that only its parent describes.
  const demanded = (schema.required ?? []).filter((name) => !schema.properties?.[name]);
  return demanded.length ? [...set, `${demanded.join(" and ")} required`] : set;
}

function partsOf(api: OpenAPI, schema: Schema): Part[] {
  const properties = Object.entries(schema.properties ?? {}).map(([label, one]) => ({
    label,
    schema: one,
    required: schema.required?.includes(label),
  }));
  const items =
    schema.items && saysMore(follow(api, schema.items)) ? [{ label: "each item", schema: schema.items }] : [];
  const others =
    typeof schema.additionalProperties === "object"
      ? [{ label: "any other name", schema: schema.additionalProperties }]
      : [];
  return [...properties, ...items, ...others, ...choices(schema)];
}

/** Reports whether the items of an array have more than a type. */
const saysMore = (items: Schema) => Object.keys(items).some((name) => name !== "type");

/** Returns alternative and conditional schemas. */
function choices(schema: Schema): Part[] {
  const several = (word: string, list: Schema[] = []) =>
    list.map((one, i) => ({ label: `${word}, ${i + 1}`, schema: one }));
  const forms = Object.entries(schema.dependentSchemas ?? {}).map(([name, one]) => ({
    label: `with ${name}`,
    schema: one,
  }));
  const conditions = [...(schema.allOf ?? []), schema].flatMap(conditional);
  return [
    ...several("one of", schema.oneOf),
    ...several("any of", schema.anyOf),
    ...conditions,
    ...forms,
    ...(schema.not ? [{ label: "not", schema: schema.not }] : []),
  ];
}

function conditional({ if: test, then, else: unless }: Schema): Part[] {
  if (!test) return [];
  const when = condition(test);
  return [
    ...(then ? [{ label: `when ${when}`, schema: then }] : []),
    ...(unless ? [{ label: `unless ${when}`, schema: unless }] : []),
  ];
}

/** Returns a condition in words; JSON if it is complex. */
function condition(test: Schema): string {
  if (test.not) return `not ${condition(test.not)}`;
  if (test.type) return `it is ${[test.type].flat().join(" or ")}`;
  const given = (test.required ?? []).map((name) => `${name} is given`);
  const values = Object.entries(test.properties ?? {}).map(([name, one]) => {
    if (one.properties) return `${name}: ${condition(one)}`;
    return `${name} is ${one.const ?? one.enum?.join(" or ") ?? JSON.stringify(one)}`;
  });
  return [...given, ...values].join(" and ") || JSON.stringify(test);
}

// A form for the request of a provider, built from its schema.
import type { AriaAttributes } from "preact";
import { useId, useState } from "preact/hooks";
import { call, type Payload } from "./api";
import type { FieldProblem } from "earshot";
import { follow, type OpenAPI, type Provider, type Schema } from "./openapi";
import { Line } from "./result/markdown";
import { countries, countryOptions } from "./state";
import { Select, useLoad } from "./ui";
import "./form.css";

/** A field of a request. Its path is, for example, include.markdown. */
export interface Field {
  path: string;
  name: string;
  schema: Schema;
  required: boolean;
  fields: Field[];
}

/** Returns the fields of a request that a form can show. */
export function fieldsOf(api: OpenAPI, schema: Schema, parent = ""): Field[] {
  return Object.entries(schema.properties ?? {})
    .map(([name, part]) => {
      const [own, path] = [follow(api, part), parent + name];
      const required = !!schema.required?.includes(name);
      return { path, name, schema: own, required, fields: fieldsOf(api, own, path + ".") };
    })
    .filter((field) => field.schema.type && !field.schema.deprecated);
}

/** Returns the initial request: the prompt and country of the example, with the parts that a readable answer needs. */
export function startOf(api: OpenAPI, { schema, textField, example }: Provider): Payload {
  const start: Payload = {};
  for (const name of [textField, "country"]) if (example[name]) start[name] = example[name];
  if (schema.properties?.include) start.include = readable(follow(api, schema.properties.include));
  return start;
}

/** Requests Markdown and the stored page, if the provider offers them. */
function readable(schema: Schema): Payload {
  return Object.fromEntries(
    ["markdown", "html"].filter((name) => schema.properties?.[name]?.type === "boolean").map((name) => [name, true]),
  );
}

export interface FormProps {
  provider: Provider;
  fields: Field[];
  value: Payload;
  onChange: (value: Payload) => void;
  problems: FieldProblem[];
}

/** The fields that are always visible. The others are folded until they are used or invalid. */
const common = ["country", "state", "pages", "include"];

/** The fields of a provider's request, with the problems of each field. */
export function RequestFields({ fields, onChange, ...form }: FormProps) {
  const change = ({ state, ...rest }: Payload) => onChange(state && rest.country === "US" ? { ...rest, state } : rest);
  const show = (field: Field) => <FieldView key={field.path} field={field} {...form} onChange={change} />;
  const first = fields.filter(({ path }) => path === form.provider.textField || common.includes(path));
  const more = fields.filter((field) => !first.includes(field));
  const [opened, setOpened] = useState(false);
  const needed = more.some(({ path }) => path in form.value || form.problems.some((problem) => problem.field === path));
  return (
    <div class="fields">
      {first.filter(({ schema }) => schema.type !== "object").map(show)}
      {more.length > 0 && (
        <details open={opened || needed} onToggle={(event) => setOpened(event.currentTarget.open)}>
          <summary>More options</summary>
          {more.map(show)}
        </details>
      )}
      {first.filter(({ schema }) => schema.type === "object").map(show)}
    </div>
  );
}

/** Returns the problems that belong to no field of the form. */
export function otherProblems(fields: Field[], problems: FieldProblem[]): FieldProblem[] {
  const pathsOf = (all: Field[]): string[] => all.flatMap((field) => [field.path, ...pathsOf(field.fields)]);
  const paths = new Set(pathsOf(fields));
  return problems.filter(({ field }) => !paths.has(field));
}

interface FieldProps extends Omit<FormProps, "fields"> {
  field: Field;
}

function FieldView(props: FieldProps) {
  const { field, value } = props;
  const { schema, path } = field;
  if (path === "state" && value.country !== "US") return null;
  if (schema.type === "object" && !path.includes(".")) return <Group {...props} />;
  if (schema.type === "boolean" || schema.type === "object") return <Switch {...props} />;
  return <Labelled {...props} />;
}

/** The fields of an object at the top level. */
function Group({ field, ...form }: FieldProps) {
  const id = useId();
  return (
    <fieldset>
      <legend>{title(field.name)}</legend>
      {field.fields.map((inner) => (
        <FieldView key={inner.path} field={inner} {...form} />
      ))}
      <Problems id={id} of={messages(form.problems, field.path)} />
    </fieldset>
  );
}

/** A checkbox for a boolean, or for an object whose presence is the choice. */
function Switch({ field, ...form }: FieldProps) {
  const id = useId();
  const wrong = messages(form.problems, field.path);
  const at = read(form.value, field.path);
  const byPresence = field.schema.type === "object";
  const on = byPresence ? at !== undefined : at === true;
  const turn = (checked: boolean) =>
    form.onChange(write(form.value, field.path, checked ? (byPresence ? readable(field.schema) : true) : undefined));
  return (
    <div class="switch">
      <input
        type="checkbox"
        id={id}
        name={field.path}
        checked={on}
        aria-invalid={wrong.length > 0}
        aria-describedby={`${id}-about ${id}-wrong`}
        onChange={(event) => turn(event.currentTarget.checked)}
      />
      <div>
        <label for={id}>{title(field.name)}</label>
        <Description id={id} field={field} />
        <Problems id={id} of={wrong} />
        {on && field.fields.map((inner) => <FieldView key={inner.path} field={inner} {...form} />)}
      </div>
    </div>
  );
}

function Labelled(props: FieldProps) {
  const { field, value, onChange, problems } = props;
  const id = useId();
  const wrong = messages(problems, field.path);
  const control: Control = {
    id,
    name: field.path,
    value: String(read(value, field.path) ?? ""),
    "aria-invalid": wrong.length > 0,
    "aria-describedby": `${id}-about ${id}-wrong`,
    "aria-required": field.required,
  };
  return (
    <div class="field">
      <label for={id}>
        {title(field.name)}
        {field.required && <span class="faint"> required</span>}
      </label>
      <ControlOf
        {...props}
        control={control}
        set={(text) => onChange(write(value, field.path, typed(field.schema, text)))}
      />
      {!lists.has(field.path) && <Description id={id} field={field} />}
      <Problems id={id} of={wrong} />
    </div>
  );
}

/** Fields with a list of names, which need no description. */
const lists = new Set(["country", "state"]);

type Control = { id: string; name: string; value: string } & AriaAttributes;

const longText = 1000;

type ControlProps = FieldProps & { control: Control; set: (text: string) => void };

function ControlOf({ field, provider, control, set }: ControlProps) {
  const { schema } = field;
  const take = (event: { currentTarget: { value: string } }) => set(event.currentTarget.value);
  const choice = { ...control, all: control["aria-required"] ? "Choose…" : "Not set", onChoose: set };
  if (field.path === "country") return <Countries provider={provider} {...choice} />;
  if (field.path === "state") return <States {...choice} />;
  if (schema.enum) return <Select {...choice} options={schema.enum.map(String)} />;
  if (schema.type === "integer" || schema.type === "number")
    return (
      <input
        {...control}
        type="number"
        min={schema.minimum}
        max={schema.maximum}
        step={schema.type === "integer" ? 1 : "any"}
        placeholder={String(schema.default ?? "")}
        onInput={take}
      />
    );
  if ((schema.maxLength ?? 0) > longText) return <textarea {...control} maxLength={schema.maxLength} onInput={take} />;
  return (
    <input {...control} type="text" maxLength={schema.maxLength} autocomplete="off" spellcheck={false} onInput={take} />
  );
}

type ChoiceProps = Control & { all: string; onChoose: (value: string) => void };

function Countries({ provider, ...choice }: ChoiceProps & { provider: Provider }) {
  const { value = [] } = useLoad(() => countries(provider.name), [provider.name]);
  return <Select {...choice} options={countryOptions(value)} />;
}

function States(choice: ChoiceProps) {
  const { value = [] } = useLoad((signal) => call("GET /v1/states", { query: { country: "US" }, signal }), []);
  return <Select {...choice} options={value.map(({ code, name }) => [code, name])} />;
}

function Description({ id, field: { path, schema } }: { id: string; field: Field }) {
  const text = abouts[path] ?? schema.description;
  return (
    <div id={`${id}-about`} class="faint">
      {text && <Line text={text} />}
    </div>
  );
}

function Problems({ id, of }: { id: string; of: string[] }) {
  return (
    <div id={`${id}-wrong`} class="wrong">
      {of.map((message) => (
        <div key={message}>{message}</div>
      ))}
    </div>
  );
}

const messages = (problems: FieldProblem[], path: string) =>
  problems.filter(({ field }) => field === path).map(({ message }) => message);

/** The labels of fields whose API name is not clear. */
const labels: Record<string, string> = {
  html: "Stored page (HTML)",
  markdown: "Markdown",
  rawResponse: "Raw response",
  searchQueries: "Search queries",
  ads: "Ads",
  shopping: "Products and offers",
  expandProducts: "Offers for products",
  searchoverview: "AI overview",
  paaSearchoverview: "“People also ask” answers",
  legacy: "Legacy interface",
  disableWebSearch: "Don't force web search",
  gl: "Country parameter (gl)",
  hl: "Language (hl)",
  uule: "Encoded location (uule)",
  location: "Location",
  url: "Search URL",
  include: "Include in the result",
};

/** Hints that replace the API description of a field. */
const abouts: Record<string, string> = {
  "include.searchoverview": "The AI overview with its sources. Adds a surcharge, which also covers the next option.",
  "include.paaSearchoverview": "AI overviews of the related questions, with their sources.",
};

/** Returns the label of a field; without a known label, the API name in words. */
function title(name: string): string {
  if (Object.hasOwn(labels, name)) return labels[name];
  const words = name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return words.length < 3 || /^(html|uule|url)$/.test(words)
    ? words.toUpperCase()
    : words[0].toUpperCase() + words.slice(1);
}

const typed = (schema: Schema, text: string) =>
  text === "" ? undefined : schema.type === "integer" || schema.type === "number" ? Number(text) : text;

const isObject = (value: unknown): value is Payload => typeof value === "object" && value !== null;

const read = (value: unknown, path: string) =>
  path.split(".").reduce((at, name) => (isObject(at) ? at[name] : undefined), value);

/** Returns a copy with one field set, or without the field if its value is undefined. */
function write(value: Payload, path: string, to: unknown): Payload {
  const [name, ...rest] = path.split(".");
  const { [name]: before, ...others } = value;
  const inner = rest.length ? write(isObject(before) ? before : {}, rest.join("."), to) : to;
  return inner === undefined ? others : { ...value, [name]: inner };
}

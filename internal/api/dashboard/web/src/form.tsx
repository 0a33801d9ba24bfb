// A form made from the schema of a provider's request.
import type { AriaAttributes } from "preact";
import { useId, useState } from "preact/hooks";
import { call, type Payload } from "./api";
import type { FieldProblem } from "./api.gen";
import { follow, type OpenAPI, type Provider, type Schema } from "./openapi";
import { Line } from "./result/markdown";
import { countries, countryName } from "./state";
import { useLoad } from "./ui";
import "./form.css";

/** A field of a request, by its path: include.markdown. */
export interface Field {
  path: string;
  name: string;
  schema: Schema;
  required: boolean;
  fields: Field[];
}

/** The fields of a request that a form can ask for. */
export function fieldsOf(api: OpenAPI, schema: Schema, parent = ""): Field[] {
  return Object.entries(schema.properties ?? {})
    .map(([name, part]) => {
      const own = follow(api, part);
      const path = parent + name;
      return {
        path,
        name,
        schema: own,
        required: !!schema.required?.includes(name),
        fields: fieldsOf(api, own, path + "."),
      };
    })
    .filter((field) => field.schema.type && !field.schema.deprecated);
}

/** A request to start from: the example's question and country, with what reading the answer needs. */
export function startOf(api: OpenAPI, { schema, textField, example }: Provider): Payload {
  const start: Payload = {};
  for (const name of [textField, "country"]) if (example[name]) start[name] = example[name];
  if (schema.properties?.include) start.include = readable(follow(api, schema.properties.include));
  return start;
}

/** Asks for Markdown and the capture wherever they are offered. */
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

/** What most requests need, besides what is asked, stands first; the rest opens when it is wanted, used or wrong. */
const common = ["country", "state", "pages", "include"];

/** The fields of a provider's request, each with its problems below it. */
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
          <summary>More fields</summary>
          {more.map(show)}
        </details>
      )}
      {first.filter(({ schema }) => schema.type === "object").map(show)}
    </div>
  );
}

/** Problems that no field of the form can show. */
export function otherProblems(fields: Field[], problems: FieldProblem[]): FieldProblem[] {
  const paths = new Set<string>();
  const add = (field: Field) => {
    paths.add(field.path);
    field.fields.forEach(add);
  };
  fields.forEach(add);
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

/** An object that is always open: what to include. */
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

/** A checkbox: for a boolean, or for an object that is asked for by being there. */
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

/** Fields whose codes are chosen by name, which says all that their description does. */
const lists = new Set(["country", "state"]);

type Control = { id: string; name: string; value: string } & AriaAttributes;

const longText = 1000;

function ControlOf({ field, provider, control, set }: FieldProps & { control: Control; set: (text: string) => void }) {
  const { schema } = field;
  const take = (event: { currentTarget: { value: string } }) => set(event.currentTarget.value);
  if (field.path === "country") return <Countries provider={provider} control={control} take={take} />;
  if (field.path === "state") return <States control={control} take={take} />;
  if (schema.enum)
    return (
      <Select
        control={control}
        take={take}
        options={schema.enum.map(String).map((value) => ({ value, name: value }))}
      />
    );
  if (schema.type === "integer" || schema.type === "number") {
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
  }
  if ((schema.maxLength ?? 0) > longText) return <textarea {...control} maxLength={schema.maxLength} onInput={take} />;
  return (
    <input {...control} type="text" maxLength={schema.maxLength} autocomplete="off" spellcheck={false} onInput={take} />
  );
}

type Take = (event: { currentTarget: { value: string } }) => void;

type SelectProps = { control: Control; take: Take; options: { value: string; name: string }[] };

function Select({ control, take, options }: SelectProps) {
  const known = !control.value || options.some(({ value }) => value === control.value);
  return (
    <select {...control} onChange={take}>
      <option value="">{control["aria-required"] ? "Choose…" : "Not set"}</option>
      {!known && <option value={control.value}>{control.value}</option>}
      {options.map(({ value, name }) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  );
}

function Countries({ provider, control, take }: { provider: Provider; control: Control; take: Take }) {
  const { value } = useLoad(() => countries(provider.name), [provider.name]);
  const options = (value ?? [])
    .map((code) => ({ value: code, name: countryName(code) }))
    .sort((a, b) => a.name.localeCompare(b.name));
  return <Select control={control} take={take} options={options} />;
}

function States({ control, take }: { control: Control; take: Take }) {
  const { value } = useLoad((signal) => call("GET /v1/states", { query: { country: "US" }, signal }), []);
  return (
    <Select control={control} take={take} options={(value ?? []).map(({ code, name }) => ({ value: code, name }))} />
  );
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

/** What people call a field whose name in the API says little. */
const labels: Record<string, string> = {
  html: "Stored page (HTML)",
  markdown: "Markdown",
  rawResponse: "Raw response",
  searchQueries: "Search queries",
  ads: "Ads",
  shopping: "Products and offers",
  expandProducts: "Offers for products",
  searchoverview: "AI overview",
  paaSearchoverview: "Answers to “People also ask”",
  legacy: "Older interface",
  disableWebSearch: "Leave the web search to the assistant",
  gl: "Country parameter (gl)",
  hl: "Language (hl)",
  uule: "Encoded place (uule)",
  location: "Place",
  url: "Search URL",
  include: "Add to the result",
};

/** What a form says of a field in the place of its description, which speaks to programs. */
const abouts: Record<string, string> = {
  "include.searchoverview":
    "The AI overview of the page, with its sources. Costs an add-on, once for this and the next.",
  "include.paaSearchoverview": "The questions that an AI overview answers get that answer, with its sources.",
};

/** A field's label: disableWebSearch as people write it, unless there is a better word. */
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

/** A copy with one field set, or left out where it is undefined. */
function write(value: Payload, path: string, to: unknown): Payload {
  const [name, ...rest] = path.split(".");
  const { [name]: before, ...others } = value;
  const inner = rest.length ? write(isObject(before) ? before : {}, rest.join("."), to) : to;
  return inner === undefined ? others : { ...value, [name]: inner };
}

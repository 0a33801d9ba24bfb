// The page without trackers, the demo, and the form of a new tracker.
import { call } from "../api";
import { route } from "../state";
import { Button, Needs, Problem, Spinner, useAction } from "../ui";
import { addressOf, setQuery } from "./address";
import { Editor } from "./editor";

const example = `name: running-shoes
brands:
  - {name: Ollaro, own: true, domains: [ollaro.example]}
  - {name: Kestrin, domains: [kestrin.example]}
prompts:
  - best running shoes for beginners
  - {text: "Which trail running shoes last longest?", tags: [trail]}
targets:
  - {provider: chatassistant, country: US}
  - {provider: answerengine, country: DE}
schedule: {every: day, at: "06:00", timezone: Europe/Berlin}
ceiling: {creditsPerMonth: 1000}
`;

/** The empty state of the list of trackers. */
export function Beginning() {
  return (
    <section class="card beginning" aria-label="No trackers yet">
      <h2>See how AI assistants talk about your brand</h2>
      <p>
        A tracker asks the same prompts on a schedule, on the platforms and in the countries that you choose, and
        measures how often each brand is named. You see the maximum cost before anything runs.
      </p>
      <Needs scope="track" what="create a tracker">
        <p class="actions-left">
          <a class="button primary" href="#/start/tracker">
            Get started
          </a>
          <DemoButton /> <Button text="Import YAML" onClick={() => setQuery({ new: "file" })} />{" "}
          <Button text="New tracker" onClick={() => setQuery({ new: "form" })} />
        </p>
        <p class="faint">
          The demo shows every page with 90 days of sample data. It is free, and you can delete it at any time.
        </p>
      </Needs>
    </section>
  );
}

/** Creates the demo and opens it. */
export function DemoButton() {
  const { busy, error, run } = useAction(async () => {
    const { tracker } = await call("POST /v1/trackers/{name}/demo", { params: { name: "demo" }, body: {} });
    location.hash = addressOf(tracker.name, "overview");
  });
  return (
    <>
      <button type="button" disabled={busy} onClick={run} data-testid="demo">
        {busy && <Spinner label="Creating the demo" />} {busy ? "Creating the demo…" : "View a demo"}
      </button>
      <Problem error={error} />
    </>
  );
}

/** A new tracker, from a form (?new=form) or from YAML (?new=file). */
export function NewTracker() {
  const asForm = route.value.query.new === "form";
  const blank = {
    name: "",
    brands: [{ name: "", own: true }],
    prompts: [],
    targets: [{ provider: "chatassistant" as const, country: "US" }],
    schedule: { every: "day", at: "06:00", timezone: Intl.DateTimeFormat().resolvedOptions().timeZone },
    ceiling: { creditsPerMonth: 1000 },
  };
  return (
    <>
      <p class="back">
        <a href="#/trackers">← Trackers</a>
      </p>
      <h1>New tracker</h1>
      <p>
        <a href="#/start/tracker">Suggest settings from a company's name and website</a>
      </p>
      <Editor
        key={String(asForm)}
        start={asForm ? blank : example}
        onApplied={({ tracker }) => {
          location.hash = addressOf(tracker.name, "overview");
        }}
      />
    </>
  );
}

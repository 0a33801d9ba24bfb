// Beginning: what a tracker is, a demo to look at, a file to paste, a form to fill in.
import { useState } from "preact/hooks";
import { call } from "../api";
import { route } from "../state";
import { Button, Copy, Problem, Spinner } from "../ui";
import { addressOf, setQuery } from "./address";
import { Editor } from "./editor";
import { mayTrack } from "./pieces";

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

/** What stands in the place of the list when there is no tracker. */
export function Beginning() {
  return (
    <section class="card beginning" aria-label="Begin">
      <div>
        <h2>See how AI assistants talk about your brand, and whether it changed</h2>
        <p>
          A tracker asks the same questions again and again, of the assistants and countries you choose, and counts who
          is named in the answers.
        </p>
        <ol class="steps">
          <li>
            <strong>You give</strong> questions, brands and where to ask.
          </li>
          <li>
            <strong>Every sweep</strong> asks each question once everywhere. Answers are kept, so you can always read
            what is behind a number.
          </li>
          <li>
            <strong>You get</strong> shares with their uncertainty. A change is told only when asking twice would not
            explain it.
          </li>
        </ol>
        {mayTrack() ? (
          <>
            <p class="actions-left">
              <DemoButton primary /> <Button text="Paste a file" onClick={() => setQuery({ new: "file" })} />{" "}
              <Button text="Fill in a form" onClick={() => setQuery({ new: "form" })} />
            </p>
            <p class="faint">
              The demo fills every page with 90 days of made-up answers, asks nobody, costs nothing and goes away with
              one click.
            </p>
          </>
        ) : (
          <p class="notice">
            Your key may only read. A key with the scope <code>track</code> can make a tracker.
          </p>
        )}
      </div>
      <div>
        <div class="title-line">
          <h3>A tracker is a small file</h3>
          <Copy text={example} />
        </div>
        <pre tabIndex={0} aria-label="Example of a tracker">
          {example}
        </pre>
        <p class="faint">What it costs at most is told before anything is asked.</p>
      </div>
    </section>
  );
}

/** Makes the demo and opens it. */
export function DemoButton({ primary }: { primary?: boolean }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const make = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const { tracker } = await call("POST /v1/trackers/{name}/demo", { params: { name: "demo" }, body: {} });
      location.hash = addressOf(tracker.name, "overview");
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  return (
    <>
      <button type="button" class={primary ? "primary" : ""} disabled={busy} onClick={make} data-testid="demo">
        {busy ? (
          <>
            <Spinner label="Making 90 days of answers" /> Making it…
          </>
        ) : (
          "See a demo"
        )}
      </button>
      <Problem error={error} />
    </>
  );
}

/** A new tracker: ?new=file or ?new=form. */
export function NewTracker() {
  const asForm = route.value.query.new === "form";
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const blank = {
    name: "",
    brands: [{ name: "", own: true }],
    prompts: [],
    targets: [{ provider: "chatassistant" as const, country: "US" }],
    schedule: { every: "day", at: "06:00", timezone: zone },
    ceiling: { creditsPerMonth: 1000 },
  };
  return (
    <>
      <p class="back">
        <a href="#/trackers">← Trackers</a>
      </p>
      <h1>New tracker</h1>
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

// Trying a name on the answers that are kept.
import { useEffect, useState } from "preact/hooks";
import { AsCall } from "../../ascall";
import { call } from "../../api";
import type { Brand, BrandName, NameMatch, NameTried } from "../../api.gen";
import { addressOf } from "../address";
import { Failed, mayTrack, type PanelBrand, Skeleton } from "../pieces";
import type { TabProps } from "../pieces";
import { inTurn, Report } from "./report";

/** The form: lists are written with commas. */
interface Draft {
  name: string;
  exact: boolean;
  joined: boolean;
  suffixes: string;
  prefixes: string;
  near: string;
  within: string;
  not: string;
}

const listOf = (text: string) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

function matchOf({ exact, joined, suffixes, prefixes, near, within, not }: Draft): NameMatch | undefined {
  const match: NameMatch = {
    ...(exact && { case: "exact" as const }),
    ...(joined && { joined }),
    ...(listOf(suffixes).length && { suffixes: listOf(suffixes) }),
    ...(listOf(prefixes).length && { prefixes: listOf(prefixes) }),
    ...(listOf(near).length && { near: listOf(near), ...(Number(within) && { within: Number(within) }) }),
    ...(listOf(not).length && { not: listOf(not) }),
  };
  return Object.keys(match).length ? match : undefined;
}

interface TrialProps {
  tracker: TabProps["tracker"];
  panel: PanelBrand[];
  brand?: Brand;
  /** A name that the panel lacks. */
  name?: string;
}

export function Trial({ tracker, panel, brand, name = "" }: TrialProps) {
  const [draft, setDraft] = useState<Draft>({
    name,
    exact: false,
    joined: false,
    suffixes: "",
    prefixes: "",
    near: "",
    within: "",
    not: "",
  });
  const [tried, setTried] = useState<{ name: BrandName; found: NameTried }>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const candidate: BrandName = { name: draft.name.trim(), match: matchOf(draft) };
  const body = { brand: brand?.name, names: [candidate] };
  const run = async () => {
    setBusy(true);
    setError(undefined);
    try {
      setTried({
        name: candidate,
        found: await inTurn(() => call("POST /v1/trackers/{name}/names/try", { params: { name: tracker.name }, body })),
      });
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  useEffect(() => {
    if (name) void run();
  }, []);
  const field = (label: string, about: string, part: "suffixes" | "prefixes" | "near" | "not") => (
    <label>
      {label} <span class="faint">{about}</span>
      <input value={draft[part]} onInput={(event) => set({ [part]: event.currentTarget.value })} />
    </label>
  );
  return (
    <section class="card" aria-label="Try a name">
      <h2>{brand ? `Try another name of ${brand.name}` : "Try a brand that is not in the panel"}</h2>
      <form
        class="trial-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (candidate.name) void run();
        }}>
        <div>
          <label>
            Name
            <input
              name="name"
              value={draft.name}
              maxLength={200}
              required
              onInput={(event) => set({ name: event.currentTarget.value })}
              data-testid="trial-name"
            />
          </label>
          <label class="inline">
            <input
              type="checkbox"
              checked={draft.exact}
              onChange={(event) => set({ exact: event.currentTarget.checked })}
            />{" "}
            Exact case <span class="faint">HP, not hp</span>
          </label>
          <label class="inline">
            <input
              type="checkbox"
              checked={draft.joined}
              onChange={(event) => set({ joined: event.currentTarget.checked })}
            />{" "}
            Joined spelling <span class="faint">spaces and hyphens may be missing or others</span>
          </label>
        </div>
        <div>
          {field("Endings", "such as 's", "suffixes")}
          {field("Prefixes", "with commas between them", "prefixes")}
        </div>
        <div>
          {field("Only near one of these words", "with commas between them", "near")}
          <label>
            Within so many words
            <input
              type="number"
              min={1}
              max={100}
              placeholder="8"
              value={draft.within}
              onInput={(event) => set({ within: event.currentTarget.value })}
            />
          </label>
        </div>
        <div>
          {field("Never in these phrases", "with commas between them", "not")}
          <button class="primary" disabled={busy || !candidate.name} data-testid="try-name">
            {busy ? "Looking…" : "Try it"}
          </button>
        </div>
      </form>
      <Failed error={error} again={run} stale={!!tried} />
      {busy && !tried && <Skeleton lines={4} label="Looking through the answers" />}
      {tried && <Report tracker={tracker.name} panel={panel} of={tried.found} />}
      {tried &&
        mayTrack() &&
        (tracker.demo ? (
          <p class="faint">The definition of a demo cannot be changed, so this name cannot be kept.</p>
        ) : (
          <p class="actions-left">
            <a
              class="button primary"
              href={addressOf(tracker.name, "definition", { brand: brand?.name, add: JSON.stringify(tried.name) })}
              data-testid="keep-name">
              {brand ? "Keep this name…" : "Add it to the panel…"}
            </a>
            <span class="faint">
              It leads to the definition with its dry run; applying it makes new rules, and all kept answers are
              analysed again at no credit.
            </span>
          </p>
        ))}
      <AsCall method="POST" path={`/v1/trackers/${encodeURIComponent(tracker.name)}/names/try`} body={body} />
    </section>
  );
}

// The form that tests a name on existing answers.
import { useEffect, useState } from "preact/hooks";
import { AsCall } from "../../ascall";
import { call } from "../../api";
import type { Brand, BrandName, NameMatch, NameTried } from "earshot";
import { addressOf } from "../address";
import { Failed, Skeleton, useAction } from "../../ui";
import { listOf } from "../form";
import { apiPath, mayTrack, type PanelBrand, type TabProps } from "../pieces";
import { inTurn, Report } from "./report";

/** The values of the form; lists have commas. */
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

const emptyDraft = { exact: false, joined: false, suffixes: "", prefixes: "", near: "", within: "", not: "" };

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
  /** The name of a brand that is not tracked yet. */
  name?: string;
}

export function Trial({ tracker, panel, brand, name = "" }: TrialProps) {
  const [draft, setDraft] = useState<Draft>({ ...emptyDraft, name });
  const [tried, setTried] = useState<{ name: BrandName; found: NameTried }>();
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const candidate: BrandName = { name: draft.name.trim(), match: matchOf(draft) };
  const body = { brand: brand?.name, names: [candidate] };
  const { busy, error, run } = useAction(async () => {
    const search = () => call("POST /v1/trackers/{name}/names/try", { params: { name: tracker.name }, body });
    setTried({ name: candidate, found: await inTurn(search) });
  });
  useEffect(() => {
    if (name) void run();
  }, []);
  const field = (label: string, about: string, part: "suffixes" | "prefixes" | "near" | "not") => (
    <label>
      {label} <span class="faint">{about}</span>
      <input value={draft[part]} onInput={(event) => set({ [part]: event.currentTarget.value })} />
    </label>
  );
  const check = (label: string, about: string, part: "exact" | "joined") => (
    <label class="inline">
      <input
        type="checkbox"
        checked={draft[part]}
        onChange={({ currentTarget }) => set({ [part]: currentTarget.checked })}
      />{" "}
      {label} <span class="faint">{about}</span>
    </label>
  );
  return (
    <section class="card" aria-label="Test a name">
      <h2>{brand ? `Test a name for ${brand.name}` : "Test a new brand"}</h2>
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
          {check("Case-sensitive", "HP, not hp", "exact")}
          {check("Any spacing", "also without spaces or hyphens", "joined")}
        </div>
        <div>
          {field("Endings", "for example 's", "suffixes")}
          {field("Prefixes", "separated by commas", "prefixes")}
        </div>
        <div>
          {field("Only near these words", "separated by commas", "near")}
          <label>
            Maximum distance in words
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
          {field("Never in these phrases", "separated by commas", "not")}
          <button class="primary" disabled={busy || !candidate.name} data-testid="try-name">
            {busy ? "Testing…" : "Test"}
          </button>
        </div>
      </form>
      <Failed error={error} again={run} stale={!!tried} />
      {busy && !tried && <Skeleton lines={4} />}
      {tried && <Report tracker={tracker.name} panel={panel} of={tried.found} />}
      {tried &&
        mayTrack() &&
        (tracker.demo ? (
          <p class="faint">You can't add names to a demo.</p>
        ) : (
          <p class="actions-left">
            <a
              class="button primary"
              href={addressOf(tracker.name, "definition", { brand: brand?.name, add: JSON.stringify(tried.name) })}
              data-testid="keep-name">
              {brand ? "Add name…" : "Add brand…"}
            </a>
            <span class="faint">
              Opens the settings with a preview. Saving analyzes all answers again, free of charge.
            </span>
          </p>
        ))}
      <AsCall method="POST" path={apiPath(tracker.name, "/names/try")} body={body} />
    </section>
  );
}

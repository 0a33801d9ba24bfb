// The versions of the matching rules, and the progress of analyzing answers with them.
import { useEffect, useState } from "preact/hooks";
import { AsCall } from "../../ascall";
import { call } from "../../api";
import type { Brand, BrandName as Name, NamingRule } from "earshot";
import { When } from "../../time";
import { CardTable } from "../../table";
import { Button, Confirm, Loading, number, useLoad } from "../../ui";
import { apiPath, BrandMark, lookOf, mayTrack, StrongValue, Value, type PanelBrand, type TabProps } from "../pieces";

const pause = 2000;

export function Rules({ tracker, panel }: Pick<TabProps, "tracker" | "panel">) {
  const params = { name: tracker.name };
  const loaded = useLoad((signal) => call("GET /v1/trackers/{name}/rules", { params, signal }), [tracker]);
  const { value, again } = loaded;
  const [asking, ask] = useState(false);
  const pending = value?.rules.some(({ state }) => state === "pending");
  useEffect(() => {
    if (!pending) return;
    const timer = setTimeout(again, pause);
    return () => clearTimeout(timer);
  }, [value]);
  const analyze = async () => {
    await call("POST /v1/trackers/{name}/reanalysis", { params });
    again();
  };
  return (
    <section class="card" data-testid="rules">
      <div class="title-line">
        <div>
          <h2>Matching rules</h2>
          <p class="faint">
            Every change of names creates a new version and analyzes all answers with it. Metrics use the previous
            version until that is done.
          </p>
        </div>
        {mayTrack() && (
          <Button
            text="Analyze again…"
            class="small"
            disabled={pending}
            onClick={() => ask(true)}
            data-testid="reanalyse"
          />
        )}
      </div>
      <Loading of={loaded} lines={2} />
      {value && (
        <CardTable
          label="Versions of the matching rules"
          rows={value.rules}
          rowKey={({ name }) => name}
          cells={{
            Version: ({ name }) => name,
            State: ({ state }) => <span class={`badge ${states[state].look}`}>{states[state].name}</span>,
            Created: ({ createdAt }) => <When at={createdAt} brief />,
            "Analyzed answers": (rule) => <Analyzed rule={rule} />,
            Changes: (rule) => <RuleChanges rule={rule} before={before(value.rules, rule)} />,
          }}
        />
      )}
      {value?.rules.map(
        (rule) =>
          rule.moved && (
            <Moved
              key={rule.name}
              of={rule}
              before={before(value.rules, rule)}
              panel={panel}
              open={rule.state === "current"}
            />
          ),
      )}
      <AsCall path={apiPath(tracker.name, "/rules")} />
      <Confirm
        title="Analyze all answers again?"
        action="Analyze again"
        testid="reanalyse-confirm"
        open={asking}
        onClose={() => ask(false)}
        run={analyze}>
        <p>All answers are searched with the current names. This is free. Metrics do not change until it is done.</p>
      </Confirm>
    </section>
  );
}

const states = {
  current: { name: "Current", look: "is-good" },
  pending: { name: "In progress", look: "is-now" },
  old: { name: "Old", look: "" },
};

const before = (rules: NamingRule[], rule: NamingRule) =>
  rules.filter(({ createdAt }) => createdAt < rule.createdAt).sort((a, b) => b.createdAt.localeCompare(a.createdAt))[0];

function Analyzed({ rule: { name, state, analysed, answers, finishedAt } }: { rule: NamingRule }) {
  if (state !== "pending")
    return (
      <>
        {number(answers)}
        {finishedAt && (
          <span class="faint">
            , finished <When at={finishedAt} brief />
          </span>
        )}
      </>
    );
  return (
    <>
      <progress max={answers || 1} value={analysed} aria-label={`Analyzed with ${name}`} />{" "}
      {`${number(analysed)} of ${number(answers)}`}
    </>
  );
}

function RuleChanges({ rule, before }: { rule: NamingRule; before?: NamingRule }) {
  const changes = before ? changesOf(before, rule) : [];
  if (!changes.length) return <span class="faint">{before ? "Software update" : "First version"}</span>;
  return (
    <ul class="plain-list">
      {changes.map((one) => (
        <li key={one}>{one}</li>
      ))}
    </ul>
  );
}

type MovedProps = { of: NamingRule; before?: NamingRule; panel: PanelBrand[]; open: boolean };

/** The effect of a version: the same answers, analyzed with the previous and the new names. */
function Moved({ of: { name, moved }, before, panel, open }: MovedProps) {
  return (
    <details class="why" open={open} data-testid="moved">
      <summary>
        Effect of {name}
        {before && ` compared with ${before.name}`}
      </summary>
      <p class="faint">The same answers, analyzed with both versions. All differences come from the names.</p>
      <CardTable
        label={`Effect of ${name}`}
        rows={moved ?? []}
        rowKey={({ brand }) => brand}
        cells={{
          Brand: ({ brand }) => (
            <>
              <BrandMark look={lookOf(panel, brand)} /> <bdi>{brand}</bdi>
            </>
          ),
          "#Share before": ({ visibilityBefore }) => <Value of={visibilityBefore} />,
          "#Share after": ({ visibilityAfter }) => <StrongValue of={visibilityAfter} />,
          "#Answers before": ({ answersBefore }) => number(answersBefore),
          "#Answers after": ({ answersAfter }) => number(answersAfter),
          "#Added": ({ gained }) => number(gained),
          "#Removed": ({ lost }) => number(lost),
        }}
      />
    </details>
  );
}

/** Lists the names, matching rules and source types that were added or removed. */
function changesOf(before: NamingRule, after: NamingRule): string[] {
  const words = ({ brands, sources = [] }: NamingRule) => [
    ...brands.flatMap((brand) => [
      ...namesOf(brand).map((name) => `${brand.name}: ${[name.name, ...switchesOf(name)].join(", ")}`),
      ...(brand.domains ?? []).map((domain) => `${brand.name}: website ${domain}`),
    ]),
    ...sources.map(({ domain, type }) => `${domain}: type ${type}`),
  ];
  const [old, now] = [words(before), words(after)];
  return [
    ...now.filter((one) => !old.includes(one)).map((one) => `+ ${one}`),
    ...old.filter((one) => !now.includes(one)).map((one) => `− ${one}`),
  ];
}

/** Returns all names of a brand, its main name first. */
export const namesOf = ({ name, match, aliases }: Brand): Name[] => [
  { name, match },
  ...(aliases ?? []).map((alias) => (typeof alias === "string" ? { name: alias } : alias)),
];

/** Returns the matching rules of a name in words. */
export function switchesOf({ match }: Name): string[] {
  if (!match) return [];
  return [
    match.case === "exact" && "Case-sensitive",
    match.joined && "Any spacing",
    match.suffixes?.length && `Endings: ${match.suffixes.join(", ")}`,
    match.prefixes?.length && `Prefixes: ${match.prefixes.join(", ")}`,
    match.near?.length && `Only within ${match.within ?? 8} words of: ${match.near.join(", ")}`,
    match.not?.length && `Never in: ${match.not.join(", ")}`,
  ].filter((one): one is string => !!one);
}

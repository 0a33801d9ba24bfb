// The versions of the names, and how far the analysis of what is kept is.
import { useEffect, useState } from "preact/hooks";
import { AsCall } from "../../ascall";
import { call } from "../../api";
import type { Brand, BrandName as Name, NamingRule } from "../../api.gen";
import { Button, Confirm, Heads, number, useLoad, When } from "../../ui";
import { BrandMark, Failed, mayTrack, Skeleton, Value, type PanelBrand } from "../pieces";
import type { TabProps } from "../pieces";

const pause = 2000;

export function Rules({ tracker, panel }: Pick<TabProps, "tracker" | "panel">) {
  const { value, error, again } = useLoad(
    (signal) => call("GET /v1/trackers/{name}/rules", { params: { name: tracker.name }, signal }),
    [tracker],
  );
  const [asking, ask] = useState(false);
  const pending = value?.rules.some(({ state }) => state === "pending");
  useEffect(() => {
    if (!pending) return;
    const timer = setTimeout(again, pause);
    return () => clearTimeout(timer);
  }, [value]);
  return (
    <section class="card" data-testid="rules">
      <div class="title-line">
        <div>
          <h2>
            Rules <span class="faint">{value && `numbers are read by ${value.current}`}</span>
          </h2>
          <p class="faint">
            Each change of names makes a new version, and all kept answers are analysed by it. Until that is done,
            numbers stay those of the version before.
          </p>
        </div>
        {mayTrack() && (
          <Button
            text="Analyse all again…"
            class="small"
            disabled={pending}
            onClick={() => ask(true)}
            data-testid="reanalyse"
          />
        )}
      </div>
      <Failed error={error} again={again} stale={!!value} />
      {!value && !error && <Skeleton lines={2} label="Loading the rules" />}
      {value && (
        <table class="row-cards" aria-label="Versions of the rules">
          <Heads names={["Version", "State", "Since", "Analysed", "Against the version before"]} />
          <tbody>
            {value.rules.map((rule) => (
              <Rule key={rule.name} of={rule} before={before(value.rules, rule)} />
            ))}
          </tbody>
        </table>
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
      <AsCall path={`/v1/trackers/${encodeURIComponent(tracker.name)}/rules`} />
      <Confirm
        title="Analyse all kept answers again?"
        action="Analyse them"
        testid="reanalyse-confirm"
        open={asking}
        onClose={() => ask(false)}
        run={async () => {
          await call("POST /v1/trackers/{name}/reanalysis", { params: { name: tracker.name } });
          again();
        }}>
        <p>
          Every kept answer is searched for the names as they are now. It costs no credits; numbers stay as they are
          until it is done.
        </p>
      </Confirm>
    </section>
  );
}

const before = (rules: NamingRule[], rule: NamingRule) =>
  rules.filter(({ createdAt }) => createdAt < rule.createdAt).sort((a, b) => b.createdAt.localeCompare(a.createdAt))[0];

function Rule({ of: rule, before }: { of: NamingRule; before?: NamingRule }) {
  const looks = { current: "is-good", pending: "is-now", old: "" };
  const changes = before ? changesOf(before, rule) : [];
  return (
    <tr>
      <th scope="row">{rule.name}</th>
      <td data-label="State">
        <span class={`badge ${looks[rule.state]}`}>{rule.state}</span>
      </td>
      <td data-label="Since">
        <When at={rule.createdAt} />
      </td>
      <td data-label="Analysed">
        {rule.state === "pending" ? (
          <>
            <progress max={rule.answers || 1} value={rule.analysed} aria-label={`Analysed by ${rule.name}`} />{" "}
            {number(rule.analysed)} of {number(rule.answers)}
          </>
        ) : (
          <>
            {number(rule.analysed)} after the fact, of {number(rule.answers)} kept
            {rule.finishedAt && (
              <span class="faint">
                {" "}
                · done <When at={rule.finishedAt} />
              </span>
            )}
          </>
        )}
      </td>
      <td data-label="Against the version before">
        {changes.length ? (
          <ul class="plain-list">
            {changes.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        ) : (
          <span class="faint">{before ? "the same names, found by newer code" : "the first"}</span>
        )}
      </td>
    </tr>
  );
}

type MovedProps = { of: NamingRule; before?: NamingRule; panel: PanelBrand[]; open: boolean };

/** What a version changed when it took over: the same answers, read by the names before and by the new ones. */
function Moved({ of: { name, moved }, before, panel, open }: MovedProps) {
  return (
    <details class="why" open={open} data-testid="moved">
      <summary>
        What {name} changed{before && ` against ${before.name}`}
      </summary>
      <p class="faint">
        The same kept answers, read by both. Nobody was asked again, so all of it comes from the names and none is
        noise.
      </p>
      <table class="row-cards" aria-label={`What ${name} changed`}>
        <Heads
          names={["Brand", "#Share before", "#Share after", "#Answers before", "#Answers after", "#Gained", "#Lost"]}
        />
        <tbody>
          {moved?.map((row) => (
            <tr key={row.brand}>
              <th scope="row">
                <BrandMark look={panel.find(({ name }) => name === row.brand)?.look ?? 6} /> {row.brand}
              </th>
              <td data-label="Share before" class="number">
                <Value of={row.visibilityBefore} />
              </td>
              <td data-label="Share after" class="number">
                <strong>
                  <Value of={row.visibilityAfter} />
                </strong>
              </td>
              <td data-label="Answers before" class="number">
                {number(row.answersBefore)}
              </td>
              <td data-label="Answers after" class="number">
                {number(row.answersAfter)}
              </td>
              <td data-label="Gained" class="number">
                {number(row.gained)}
              </td>
              <td data-label="Lost" class="number">
                {number(row.lost)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** Names, switches and types of sites that came and went. */
function changesOf(before: NamingRule, after: NamingRule): string[] {
  const words = ({ brands, sources = [] }: NamingRule) => [
    ...brands.flatMap((brand) => [
      ...namesOf(brand).map((name) => `${brand.name}: ${[name.name, ...switchesOf(name)].join(", ")}`),
      ...(brand.domains ?? []).map((domain) => `${brand.name}: domain ${domain}`),
    ]),
    ...sources.map(({ domain, type }) => `${domain} is of type ${type}`),
  ];
  const [old, now] = [words(before), words(after)];
  return [
    ...now.filter((one) => !old.includes(one)).map((one) => `+ ${one}`),
    ...old.filter((one) => !now.includes(one)).map((one) => `− ${one}`),
  ];
}

/** All names of a brand: its own first. */
export const namesOf = ({ name, match, aliases }: Brand): Name[] => [
  { name, match },
  ...(aliases ?? []).map((alias) => (typeof alias === "string" ? { name: alias } : alias)),
];

/** The switches of a name in words. */
export function switchesOf({ match }: Name): string[] {
  if (!match) return [];
  return [
    match.case === "exact" && "exact case",
    match.joined && "joined spelling",
    match.suffixes?.length && `endings ${match.suffixes.join(", ")}`,
    match.prefixes?.length && `prefixes ${match.prefixes.join(", ")}`,
    match.near?.length && `only within ${match.within ?? 8} words of ${match.near.join(", ")}`,
    match.not?.length && `never in ${match.not.join(", ")}`,
  ].filter((one): one is string => !!one);
}

// The fields in which a form asks when something expires.
import { useState } from "preact/hooks";
import { dayLength } from "./time";
import { Select } from "./ui";

/** Asks after how many days or on which date something expires. expiryOf reads the fields. */
export function Expiry({ days, orNever }: { days: number[]; orNever?: boolean }) {
  const [life, setLife] = useState(orNever ? "" : String(days[0]));
  const lives = days.map((n) => [String(n), `In ${n} days`] as const);
  return (
    <>
      <label>
        Expires
        <Select
          name="life"
          all={orNever ? "Never" : undefined}
          value={life}
          options={[...lives, ["date", "On a date"]]}
          onChoose={setLife}
          data-testid="expiry"
        />
      </label>
      {life === "date" && (
        <label>
          Last day
          <input name="lastDay" type="date" required min={new Date().toLocaleDateString("sv")} />
        </label>
      )}
    </>
  );
}

/** Returns when something expires; a date means the end of that day in the user's time zone. */
export function expiryOf(form: FormData): string | undefined {
  const life = form.get("life");
  if (!life) return undefined;
  return (
    life === "date" ? new Date(`${form.get("lastDay")}T23:59:59`) : new Date(Date.now() + Number(life) * dayLength)
  ).toISOString();
}

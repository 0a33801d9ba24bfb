// The alert sensitivity in words, and the false alarms a year that each stands for.

/** Normal is the API's default. */
export const sensitivities = { Low: 0.25, Normal: 1, High: 12 };

/** Returns the sensitivity of a number of false alarms a year: "Normal: 1 a year", or "Custom: 3 a year". */
export function sensitivityText(falseAlarms: number): string {
  const known = Object.entries(sensitivities).find(([, alarms]) => alarms === falseAlarms);
  return `${known?.[0] ?? "Custom"}: ${falseAlarms} a year`;
}

type SensitivityProps = { saved?: number; chosen?: number; onChoose: (alarms: number) => void };

/** A choice of sensitivities, with the saved one if it is none of the three. */
export function Sensitivity({
  saved = sensitivities.Normal,
  chosen = sensitivities.Normal,
  onChoose,
}: SensitivityProps) {
  const choices = new Set([...Object.values(sensitivities), saved]);
  return (
    <fieldset class="keys-choices">
      <legend>Alert sensitivity and expected false alarms</legend>
      {[...choices].map((alarms) => (
        <label key={alarms} class="inline">
          <input
            type="radio"
            name="sensitivity"
            value={alarms}
            checked={alarms === chosen}
            onChange={() => onChoose(alarms)}
          />
          {sensitivityText(alarms)}
        </label>
      ))}
    </fieldset>
  );
}

// The alert sensitivity in words, and the false alarms a year that each stands for.

/** Normal is the API's default. */
export const sensitivities = { Low: 0.25, Normal: 1, High: 12 };

/** Returns the sensitivity of a number of false alarms a year: "Normal: 1 a year", or "Custom: 3 a year". */
export function sensitivityText(falseAlarms: number): string {
  const known = Object.entries(sensitivities).find(([, alarms]) => alarms === falseAlarms);
  return `${known?.[0] ?? "Custom"}: ${falseAlarms} a year`;
}

// States as badges, and the choice among them.
import { useLoad } from "../ui";

const looks: Record<string, string> = { COMPLETED: "good", delivered: "good", FAILED: "bad", failed: "bad", PROCESSING: "warn", pending: "warn" };

export function State({ of, why }: { of: string; why?: string }) {
  return <span class={`badge ${looks[of] ?? ""}`} title={why} data-testid="state">{of.toLowerCase()}</span>;
}

/** A filter whose choices the API's description names. */
export function Filter({ label, value, choices, onChange }: {
  label: string; value: string; choices: () => Promise<string[]>; onChange: (value: string) => void;
}) {
  const loaded = useLoad(choices, []);
  const id = `filter-${label.toLowerCase().replace(" ", "-")}`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">All</option>
        {(loaded.value ?? (value ? [value] : [])).map((choice) => <option key={choice} value={choice}>{choice.toLowerCase().replace("_", " ")}</option>)}
      </select>
    </div>
  );
}

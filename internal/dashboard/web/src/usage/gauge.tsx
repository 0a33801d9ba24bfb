/** How much of something is taken, as a bar and in words. */
export function Gauge({ label, used, of, text, warnAt = 0.9, testid }: {
  label: string; used: number; of: number; text: string; warnAt?: number; testid?: string;
}) {
  const share = of > 0 ? Math.min(Math.max(used / of, 0), 1) : 0;
  return (
    <div class="gauge" data-testid={testid}>
      <div class="gauge-text"><span>{label}</span><span>{text}</span></div>
      <div class="gauge-bar" role="meter" aria-label={label} aria-valuemin={0} aria-valuemax={of} aria-valuenow={Math.min(used, of)} aria-valuetext={text}>
        <div class={share >= warnAt ? "much" : undefined} style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}

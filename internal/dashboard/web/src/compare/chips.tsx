// Marks that tell by a symbol and a colour how many answers share something.
import type { Mention, Share } from "./shared";
import { shares } from "./shared";

export function Mark({ share }: { share: Share }) {
  const { symbol, label } = shares[share];
  return <span class={`share ${share}`} role="img" aria-label={label}>{symbol}</span>;
}

export function Legend({ mentions }: { mentions: Mention[] }) {
  return (
    <ul class="compare-chips legend" aria-label="What the marks mean">
      {(Object.keys(shares) as Share[]).map((share) => (
        <li key={share} class={`compare-chip ${share}`} data-testid={`legend-${share}`}>
          <span aria-hidden="true">{shares[share].symbol}</span> {shares[share].label}: {mentions.filter((mention) => mention.share === share).length}
        </li>
      ))}
    </ul>
  );
}

/** The domains of one answer, those that most answers share first. */
export function Domains({ mentions, column }: { mentions: Mention[]; column: number }) {
  const cited = mentions.filter(({ counts }) => counts[column] > 0);
  if (!cited.length) return <p class="faint">No sources</p>;
  return (
    <ul class="compare-chips" aria-label="Source domains">
      {cited.map(({ name, counts, share }) => (
        <li key={name} class={`compare-chip ${share}`} data-share={share} title={`${name}: ${shares[share].label}`}>
          <Mark share={share} /> {name}{counts[column] > 1 && <span class="faint"> ×{counts[column]}</span>}
        </li>
      ))}
    </ul>
  );
}

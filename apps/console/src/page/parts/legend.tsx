import type { Tone } from '../model/node-state.ts';

const fills: readonly (readonly [Tone, string])[] = [
  ['allocated', 'allocated'],
  ['good', 'sellable'],
  ['held', 'held back'],
  ['failed', 'failed'],
  ['unknown', 'unknown'],
];

/** What the fills mean, once per page. */
export function Legend({ without = [] }: { readonly without?: readonly Tone[] }) {
  return (
    <ul className="legend" aria-label="Legend">
      {fills
        .filter(([tone]) => !without.includes(tone))
        .map(([tone, word]) => (
          <li key={tone}>
            <span className={`legend-fill fill-${tone}`} aria-hidden="true" />
            {word}
          </li>
        ))}
    </ul>
  );
}

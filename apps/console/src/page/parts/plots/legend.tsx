import type { Tone } from '@quartermaster/api/states';

// fill -> what it means
type Fills = Readonly<Partial<Record<Tone, string>>>;

const capacityFills: Fills = { allocated: 'allocated', good: 'sellable', held: 'held back', unknown: 'unknown' };
/** Where reservations are shown, too. */
export const reservedFills: Fills = {
  allocated: 'allocated',
  reserved: 'reserved (pending and active)',
  good: 'sellable',
  held: 'held back',
  unknown: 'unknown',
};

interface LegendProps {
  readonly fills?: Fills | undefined;
  /** A further class in the style sheet. */
  readonly layout?: string | undefined;
}

/** What the fills mean, once per page. */
export function Legend({ fills = capacityFills, layout = '' }: LegendProps) {
  return (
    <ul className={`legend ${layout}`} aria-label="Legend">
      {Object.entries(fills).map(([tone, word]) => (
        <li key={tone}>
          <span className={`legend-fill fill-${tone}`} aria-hidden="true" />
          {word}
        </li>
      ))}
    </ul>
  );
}

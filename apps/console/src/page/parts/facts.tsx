import type { ReactNode } from 'react';

export type FactList = readonly (readonly [name: string, value: ReactNode])[];

interface FactsProps {
  readonly facts: FactList;
  /** The class in the style sheet. */
  readonly layout?: string | undefined;
}

/** Names and what they stand for. What is not known is left out. */
export function Facts({ facts, layout = 'facts-list' }: FactsProps) {
  const known = facts.filter(([, value]) => value !== undefined && value !== '' && value !== false);
  if (known.length === 0) return <p className="empty-line">No information yet.</p>;
  return (
    <dl className={layout}>
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

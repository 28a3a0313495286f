import type { Need } from '@quartermaster/api/inventory-views';

/** That somebody knows of a need, why it may stay as it is, and until when. */
export interface Acknowledgement {
  /** Of one need: another reason against the same thing is another need. */
  readonly key: string;
  readonly reason: string;
  /** Milliseconds since the epoch; from then on it needs a person again. */
  readonly until: number;
}

// how long -> milliseconds
export const spans: Readonly<Record<string, number>> = {
  '1 hour': 3_600_000,
  '8 hours': 28_800_000,
  '1 day': 86_400_000,
  '7 days': 604_800_000,
};

export const needKey = ({ kind, id, node = '', reason }: Need): string => [kind, node, id, reason.code].join(' ');

/** As the browser keeps them. What makes no sense, or has ended, is left out. */
export function parseAcknowledgements(text: string | null, now: number): readonly Acknowledgement[] {
  try {
    const parsed: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(parsed) ? parsed.filter(isAcknowledgement).filter(({ until }) => until > now) : [];
  } catch {
    return [];
  }
}

function isAcknowledgement(value: unknown): value is Acknowledgement {
  if (typeof value !== 'object' || value === null) return false;
  const { key, reason, until } = value as Readonly<Record<string, unknown>>;
  return typeof key === 'string' && typeof reason === 'string' && typeof until === 'number';
}

/** Needs of one reason together, in the order in which the first of each comes. */
export function byReason(needs: readonly Need[]): readonly (readonly [string, readonly Need[]])[] {
  return [...Map.groupBy(needs, ({ state, reason }) => `${state} ${reason.code}`)];
}

/** What to type first; what it says, or does, is in the message of the need. */
export function remedyOf({ kind, id, node, reason }: Need): string {
  if (kind === 'class') return `kubectl describe storageclass ${id}`;
  if (kind === 'gpu') return `npx quartermaster explain gpu ${id}`;
  return reason.code === 'Cordoned' ? `kubectl uncordon ${node ?? id}` : `kubectl describe node ${node ?? id}`;
}

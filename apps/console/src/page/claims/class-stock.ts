import { celText } from '../../filter/cel-text.ts';
import { hostKind } from '../api/object-kind.ts';
import { useObjectCount } from '../objects/object-count.tsx';
import { useSession } from '../session/session.ts';
import { type ClassPart, filtersOf } from './claim-refusal.ts';

/** The hosts of a class. */
export const ofClass = (id: string): string => `this.spec.class == ${celText(id)}`;

// A host of several is in the first.
const parts: readonly ClassPart[] = ['used', 'pooled', 'failed', 'withheld'];

const outside = (some: readonly ClassPart[]): readonly string[] => some.map((part) => filtersOf(part).outside);

const ofPart =
  (part: ClassPart) =>
  (id: string): string =>
    [ofClass(id), ...outside(parts.slice(0, parts.indexOf(part))), filtersOf(part).within].join(' && ');

/** Those of them that could be given to a cluster now. */
export const freeOfClass = (id: string): string => [ofClass(id), ...outside(parts)].join(' && ');

/** What became of the hosts of a class: each host is in one of them. */
export const classParts: Readonly<Record<ClassPart | 'free', (id: string) => string>> = {
  used: ofPart('used'),
  pooled: ofPart('pooled'),
  free: freeOfClass,
  withheld: ofPart('withheld'),
  failed: ofPart('failed'),
};

/** How many hosts of a class are free now, for those who may know; undefined for others, and until it is counted. */
export function useStock(hostClass: string): number | undefined {
  const { isStaff } = useSession();
  return useObjectCount(hostKind, freeOfClass(hostClass), { isWanted: isStaff && hostClass !== '' });
}

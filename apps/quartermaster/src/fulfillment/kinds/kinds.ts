import { StatusError } from '@quartermaster/kernel';
import { clusterTemplates } from './cluster-templates.ts';
import { clusters } from './clusters.ts';
import { hostClasses } from './host-classes.ts';
import { hostPools } from './host-pools.ts';
import { hosts } from './hosts.ts';
import { hubs } from './hubs.ts';
import type { Kind, KindPlural } from './kind.ts';
import { marketKinds } from './market-kinds.ts';

/** All kinds of the fulfillment service, in the order in which commands list them. */
export const kinds: readonly Kind[] = [hosts, hostClasses, clusterTemplates, clusters, hubs, hostPools];

/** Those of the market, too. */
export const everyKind: readonly Kind[] = [...kinds, ...marketKinds];

export function kindNamed(plural: KindPlural): Kind {
  return kindTyped(plural, everyKind);
}

/** The kind that somebody typed, in any of its spellings. Throws when there is none. */
export function kindTyped(text: string, among: readonly Kind[] = kinds): Kind {
  const known = among.find(({ plural, stored, aliases }) => plural === text || stored === text || aliases.includes(text.toLowerCase()));
  if (known !== undefined) return known;
  throw new StatusError('invalid_argument', `unknown kind "${text}": must be one of ${among.map(({ plural }) => plural).join(', ')}`);
}

/** Orders kinds so that what is made from others is written after them. */
export function byWritingOrder(a: KindPlural, b: KindPlural): number {
  return rank(a) - rank(b) || a.localeCompare(b);
}

/** How many kinds must be there before this one. */
function rank(plural: KindPlural): number {
  const { references, sets } = kindNamed(plural);
  const before = references.filter(([path]) => !path.startsWith('status.')).map(([, to]) => to);
  return Math.max(0, ...[...before, ...(sets === undefined ? [] : ['host-classes' as const])].map((to) => rank(to) + 1));
}

import type { HostFacts } from '@quartermaster/api/fulfillment-extras';
import type { Host } from '@quartermaster/api/private';
import type { FieldViolation } from '@quartermaster/kernel';
import type { Alike } from '../identity/machine-census.ts';
import type { ApplyOptions } from './apply-options.ts';
import { hostWithFacts } from './host-with-facts.ts';
import type { Known } from './known-hosts.ts';
import { type MatchOptions, matchHost } from './match-host.ts';

/** What is to be done about one host of a batch. */
export type HostPlan =
  | { readonly kind: 'create'; readonly after: Host }
  | { readonly kind: 'update'; readonly before: Host; readonly after: Host }
  | { readonly kind: 'none'; readonly host: Host }
  | { readonly kind: 'conflict'; readonly id: string; readonly message: string }
  | { readonly kind: 'refused'; readonly id: string; readonly violations: readonly FieldViolation[] };

export interface PlanOptions extends MatchOptions {
  /** The id that a new host gets: always the same for the same facts. */
  readonly idOf: (facts: HostFacts) => string;
}

/** Compares the facts with what is stored. A password that equals the stored one is no change, and nothing of either is kept. */
export async function planHost(
  { kinds }: Pick<ApplyOptions, 'kinds'>,
  facts: HostFacts,
  known: Known,
  alike: () => readonly Alike[],
  options: PlanOptions,
): Promise<HostPlan> {
  const match = matchHost(facts, alike, known, options);
  if (match.kind === 'conflict') return match;
  const before = match.kind === 'known' ? match.host : undefined;
  const { rules } = kinds.hosts;
  const wished = rules.normalise(hostWithFacts(before, facts, options.source));
  wished.id = before?.id ?? options.idOf(facts);
  const violations = [...rules.validate(wished, before), ...bindClass(wished, before, known)];
  if (violations.length > 0) return { kind: 'refused', id: before?.id ?? '', violations };
  const isCompared = before !== undefined && options.comparesSecrets;
  const secrets = isCompared
    ? await kinds.hosts.store.knownSecrets(known.secrets(before.id), before, wished)
    : new Map<string, Uint8Array>();
  const sends = (field: string): boolean => field === 'spec.bmc.password_ref' && facts.bmc?.passwordRef !== undefined;
  const prepared = before === undefined ? rules.onCreate(wished, new Map()) : rules.onUpdate(before, wished, new Map(), { sends, secrets });
  if (prepared.violations.length > 0) return { kind: 'refused', id: before?.id ?? '', violations: prepared.violations };
  if (before === undefined) return { kind: 'create', after: prepared.object };
  const after = kinds.hosts.store.withKnownSecrets(secrets, before, prepared.object);
  return kinds.hosts.store.isSame(before, after) ? { kind: 'none', host: before } : { kind: 'update', before, after };
}

/** Puts the id of the class in place of its name. */
function bindClass(host: Host, before: Host | undefined, known: Known): FieldViolation[] {
  const text = host.spec?.class ?? '';
  if (host.spec === undefined || text === '' || text === before?.spec?.class) return [];
  const field = 'spec.class';
  const found = known.classes(text).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  const byId = found.find(({ id }) => id === text);
  if (byId !== undefined) return [];
  const [only, ...others] = found;
  if (only === undefined)
    return [{ field, description: `there is no host class with the id or name "${text}"; apply it with the hosts, or create it first` }];
  if (others.length > 0) {
    return [{ field, description: `several have the name "${text}" (${found.map(({ id }) => `"${id}"`).join(', ')}); use an id` }];
  }
  host.spec.class = only.id;
  return [];
}

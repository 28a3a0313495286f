import { StatusError } from '@quartermaster/kernel';

/** What the kinds of the fulfillment service are called. Free of their contracts, so that a command line is understood before those are loaded. */
export interface KindName {
  /** As it is typed: `get host-classes`. */
  readonly plural: KindPlural;
  readonly singular: string;
  /** Other ways to type it. */
  readonly aliases: readonly string[];
  /** Of its message, and the `kind` of a document: `HostClass`. */
  readonly message: string;
  /** Of events and errors: `host_class`. */
  readonly field: string;
  /** Of the audit log: `host_classes`. */
  readonly stored: string;
  readonly summary: string;
}

export type KindPlural = 'hosts' | 'host-classes' | 'cluster-templates' | 'clusters' | 'hubs' | 'host-pools';

const kinds: Readonly<Record<KindPlural, KindName>> = {
  hosts: kind('hosts', 'Host', 'Hosts: machines in racks, and who has them.'),
  'host-classes': kind('host-classes', 'HostClass', 'Host classes: what kinds of machines there are.'),
  'cluster-templates': kind('cluster-templates', 'ClusterTemplate', 'Cluster templates: what can be ordered.'),
  clusters: kind('clusters', 'Cluster', 'Clusters: what was ordered, and how far it is.'),
  hubs: kind('hubs', 'Hub', 'Hubs: the Kubernetes clusters that clusters are made from.'),
  'host-pools': kind('host-pools', 'HostPool', 'Host pools: hosts that are kept together.'),
};

export const kindNames: readonly KindName[] = Object.values(kinds);

export const kindNamed = (plural: KindPlural): KindName => kinds[plural];

/** The kind that somebody typed, in any of its spellings. Throws when there is none. */
export function kindTyped(text: string): KindName {
  const known = kindNames.find(({ plural, stored, aliases }) => plural === text || stored === text || aliases.includes(text.toLowerCase()));
  if (known !== undefined) return known;
  throw new StatusError('invalid_argument', `"${text}" is no kind: there are ${kindNames.map(({ plural }) => plural).join(', ')}`);
}

export const kindsNamed = (texts: readonly string[]): readonly KindPlural[] => texts.map((text) => kindTyped(text).plural);

function kind(plural: KindPlural, message: string, summary: string): KindName {
  const singular = plural.replace(/(ss)es$/, '$1').replace(/([^s])s$/, '$1');
  const field = singular.replaceAll('-', '_');
  const joined = [plural, singular].flatMap((word) => (word.includes('-') ? [word.replaceAll('-', '')] : []));
  return { plural, singular, aliases: [singular, ...joined], message, field, stored: plural.replaceAll('-', '_'), summary };
}

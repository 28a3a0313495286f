import { isDisputed, type RefusalReason, type StatedHost } from '@quartermaster/api/states';

/** What of a host decides whether it is free. */
export interface OfferedHost extends Pick<StatedHost, 'metadata' | 'status'> {
  readonly spec?:
    | {
        readonly class?: string | undefined;
        readonly bmc?: { readonly url: string } | undefined;
        readonly boot_mac?: string | undefined;
      }
    | undefined;
}

/** One reason of the service, in code, in the language of filters and in words. */
interface RefusalRule {
  readonly applies: (host: OfferedHost) => boolean;
  readonly filter: string;
  /** Where it does not apply; `!(…)` without it. */
  readonly unless?: string | undefined;
  /** Why nobody can claim the host, and what to do about it. */
  readonly words: (host: OfferedHost) => string;
  /** What becomes of such hosts of a class; undefined: they are of none. */
  readonly part: ClassPart | undefined;
}

export type ClassPart = 'used' | 'pooled' | 'failed' | 'withheld';

/** Who is free, and why not, in the order in which it is told. Which hub is wanted is known only of a claim. */
export const refusalRules = {
  DELETED: {
    applies: ({ metadata }) => metadata?.deletion_timestamp !== undefined,
    filter: 'has(this.metadata.deletion_timestamp)',
    words: () => 'it is being deleted.',
    part: 'withheld',
  },
  ASSIGNED: {
    applies: ({ status }) => isSet(status?.cluster),
    filter: 'this.status.cluster != ""',
    unless: 'this.status.cluster == ""',
    words: () => 'a cluster has it. Release it first.',
    part: 'used',
  },
  IN_POOL: {
    applies: ({ status }) => isSet(status?.host_pool),
    filter: 'this.status.host_pool != ""',
    unless: 'this.status.host_pool == ""',
    words: ({ status }) => `it is in the host pool ${status?.host_pool}. Remove it from the pool first.`,
    part: 'pooled',
  },
  OTHER_CLASS: {
    applies: ({ spec }) => !isSet(spec?.class),
    filter: 'this.spec.class == ""',
    words: () => 'it has no class. Edit it and choose one.',
    part: undefined,
  },
  FAILED: {
    applies: ({ status }) => status?.state === 'HOST_STATE_FAILED',
    filter: 'this.status.state == HOST_STATE_FAILED',
    words: () => 'it has failed. Its conditions say why.',
    part: 'failed',
  },
  IN_PROGRESS: {
    applies: ({ status }) => status?.state === 'HOST_STATE_PROGRESSING',
    filter: 'this.status.state == HOST_STATE_PROGRESSING',
    words: () => 'it is in progress: something works on it.',
    part: 'withheld',
  },
  CONFLICT: {
    applies: isDisputed,
    filter: 'this.status.conditions.exists(c, c.type == HOST_CONDITION_TYPE_DISPUTED && c.status == CONDITION_STATUS_TRUE)',
    words: () => 'it is disputed. Its condition says by whom.',
    part: 'withheld',
  },
  NO_BMC: {
    applies: ({ spec }) => !isSet(spec?.bmc?.url),
    filter: '!has(this.spec.bmc) || this.spec.bmc.url == ""',
    words: () => 'it has no address of a management controller. Edit it and set one.',
    part: 'withheld',
  },
  NO_BOOT_MAC: {
    applies: ({ spec }) => !isSet(spec?.boot_mac),
    filter: 'this.spec.boot_mac == ""',
    words: () => 'it has no MAC address to boot from. Edit it and set one.',
    part: 'withheld',
  },
} as const satisfies Record<Exclude<RefusalReason, 'OTHER_HUB'>, RefusalRule>;

const isSet = (text: string | undefined): boolean => (text ?? '') !== '';

/** Why nobody can claim a host, and what to do about it, as the service would say; undefined for one that is free. */
export function claimRefusal(host: OfferedHost): string | undefined {
  return rules.find(({ applies }) => applies(host))?.words(host);
}

const rules: readonly RefusalRule[] = Object.values(refusalRules);

/** Filters of the hosts of a class that are of the part, and of those that are not. */
export function filtersOf(part: ClassPart): { readonly within: string; readonly outside: string } {
  const own = rules.filter((rule) => rule.part === part);
  const any = own.map(({ filter }) => filter).join(' || ');
  return {
    within: own.length === 1 ? any : `(${any})`,
    outside: own.map(({ filter, unless }) => unless ?? `!(${filter})`).join(' && '),
  };
}

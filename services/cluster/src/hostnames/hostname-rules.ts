import { getPublicSuffix } from 'tldts';
import type { LeaseId } from '../model/lease.ts';
import { ingressHost } from '../objects/ingress-host.ts';
import type { WantedHostname } from './hostname-book.ts';
import { type HostnameRefusal, isRefusal, isWithin, type NormalHostname, normalHostname } from './normal-hostname.ts';

export interface HostnameRulesOptions {
  /** blocked-hostnames, normalised: with a leading dot the domain and everything below it. */
  readonly blocked: readonly string[];
  /** deployment-ingress-domain, normalised; empty: none. */
  readonly ingressDomain: string;
  /** cluster-public-hostname, normalised: it and everything below it is the provider's. Empty: none. */
  readonly publicHostname: string;
}

/** Whether a lease may claim a name at all, whoever has it now. Says nothing of what it has already: that stays its own when rules change. */
export type HostnameRules = (lease: LeaseId, wanted: WantedHostname) => NormalHostname | HostnameRefusal;

/**
 * Names that mean something inside of networks, on one machine, or nothing at all. `.test` and `.example` are not among them: they lead nowhere, and whoever tries something
 * out needs names.
 */
const specialDomains = ['localhost', 'local', 'internal', 'svc', 'arpa', 'invalid', 'onion', 'alt'];

/** First labels of the names under which the routes of wildcards are kept. */
const wildcardLabel = /^wildcard-[0-9a-f]{8}$/;

export function hostnameRules(options: HostnameRulesOptions): HostnameRules {
  const { ingressDomain } = options;
  const rules = [specialRule, suffixRule, reservedRule, providerRule(options), blockedRule(options.blocked)];
  return (lease, { hostname, service, isStatic }) => {
    const normal = normalHostname(hostname);
    if (isRefusal(normal)) return normal;
    if (isStatic && ingressDomain !== '' && normal.name === `${ingressHost(lease, service)}.${ingressDomain}`) return normal;
    for (const rule of rules) {
      const refusal = rule(normal);
      if (refusal !== undefined) return refusal;
    }
    return normal;
  };
}

type Rule = (normal: NormalHostname) => HostnameRefusal | undefined;

const specialRule: Rule = ({ name, base }) => {
  const special = specialDomains.find((domain) => isWithin(base, domain));
  if (special === undefined) return undefined;
  return { code: 'HostnameReserved', message: `"${name}" is below .${special}, which is not public: take a name of a domain of yours` };
};

/** Those of the private section as well: what is below github.io belongs to as many people as what is below com. */
const suffixRule: Rule = ({ name, base, isWildcard }) => {
  if (getPublicSuffix(base, { allowPrivateDomains: true }) !== base) return undefined;
  const message = isWildcard ? `"${name}" would cover the domains of everybody below ${base}` : `"${name}" is a public suffix`;
  return { code: 'HostnamePublicSuffix', message: `${message}: take a domain of yours, or a name below it` };
};

const reservedRule: Rule = ({ name, base }) => {
  if (!wildcardLabel.test(base.slice(0, base.indexOf('.')))) return undefined;
  return { code: 'HostnameReserved', message: `"${name}" starts with a label that is reserved for wildcards: choose another first label` };
};

function providerRule({ ingressDomain, publicHostname }: HostnameRulesOptions): Rule {
  // Below its own name a provider has others, of its API or its console, and no list of them.
  const domains = [ingressDomain, publicHostname].filter((domain) => domain !== '');
  return (normal) => {
    if (!hits(normal, domains, [])) return undefined;
    const message = normal.isWildcard ? 'covers names of the provider' : 'is a name of the provider';
    return { code: 'HostnameOfProvider', message: `"${normal.name}" ${message}: take a name of a domain of yours` };
  };
}

function blockedRule(blocked: readonly string[]): Rule {
  const domains = blocked.filter((entry) => entry.startsWith('.')).map((entry) => entry.slice(1));
  const names = blocked.filter((entry) => !entry.startsWith('.'));
  return (normal) => {
    if (!hits(normal, domains, names)) return undefined;
    const message = normal.isWildcard ? 'covers a name that is blocked by this provider' : 'is blocked by this provider';
    return { code: 'HostnameBlocked', message: `"${normal.name}" ${message}: take another name, or another provider` };
  };
}

/** A wildcard is taken to cover everything below it: some gateways do not stop at one label. */
function hits({ base, isWildcard }: NormalHostname, domains: readonly string[], names: readonly string[]): boolean {
  if (domains.some((domain) => isWithin(base, domain) || (isWildcard && isWithin(domain, base)))) return true;
  return names.some((name) => (isWildcard ? name !== base && isWithin(name, base) : name === base));
}

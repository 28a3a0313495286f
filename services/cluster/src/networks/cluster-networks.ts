import { invalidFields } from '@quartermaster/kernel';
import { aggregated, type Cidr, cidrText, isWithin, parseCidr } from './cidr.ts';
import { standingNetworks } from './standing-networks.ts';

/** What a tenant must not reach: pods, Services, nodes and API servers, wherever their networks are. CIDRs, IPv4 and IPv6, sorted, none inside of another. */
export interface ClusterNetworks {
  readonly blocked: readonly string[];
}

/** Where the networks of a cluster may be read. All of them count. */
interface NetworkInputs {
  readonly podCidrs: readonly string[];
  readonly serviceCidrs: readonly string[];
  /** Of nodes, of every type, and of API servers: names among them are left out. */
  readonly nodeAddresses: readonly string[];
  /** Networks that a provider keeps from its tenants besides. */
  readonly configured: readonly string[];
}

/**
 * What no tenant reaches beyond what nobody reaches anyway. The same inputs in any order give the same. Throws `invalid_argument` for a network that cannot be read: leaving
 * it out would open it.
 */
export function clusterNetworks({ podCidrs, serviceCidrs, nodeAddresses, configured }: NetworkInputs): ClusterNetworks {
  const networks = Object.entries({ podCidrs, serviceCidrs, configured }).flatMap(([field, texts]) =>
    texts.map((text, at) => required(text, `${field}[${at}]`)),
  );
  const nodes = nodeAddresses.flatMap((text) => parseCidr(text) ?? []);
  return { blocked: aggregated([...networks, ...nodes].filter((each) => !isWithin(each, standingNetworks))).map(cidrText) };
}

function required(text: string, field: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr !== undefined) return cidr;
  throw invalidFields([{ field, description: `is "${text}"; it must be a network such as 10.0.0.0/8 or fd00::/8` }]);
}

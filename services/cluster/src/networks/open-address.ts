import { BlockList, isIP } from 'node:net';
import { cidrText } from './cidr.ts';
import type { ClusterNetworks } from './cluster-networks.ts';
import { standingNetworks } from './standing-networks.ts';

interface AddressedPod {
  /** Namespace and name. */
  readonly key: string;
  readonly value: { readonly addresses: readonly string[] };
}

/** One for each family: a list takes an address of IPv4 for one of IPv6 as well, of which those that stand for IPv4 are all kept from tenants. */
type Kept = Readonly<Record<Family, BlockList>>;
type Family = 'ipv4' | 'ipv6';

/** Made once of the networks of the cluster: pods are many, and are looked at whenever somebody asks how things are. */
const lists = new WeakMap<ClusterNetworks, Kept>();

/**
 * What is wrong where a pod has an address that tenants are not kept from; undefined where none has. Nodes tell the networks of their pods only where the network plugin has them
 * from Kubernetes: of one that manages addresses itself they may be anywhere.
 */
export function openAddress(pods: Iterable<AddressedPod>, networks: ClusterNetworks): string | undefined {
  let kept = lists.get(networks);
  if (kept === undefined) {
    kept = keptOf([...standingNetworks.map(cidrText), ...networks.blocked]);
    lists.set(networks, kept);
  }
  for (const { key, value } of pods) {
    const open = value.addresses.find((address) => !kept[familyOf(address)].check(address, familyOf(address)));
    if (open !== undefined)
      return `pod ${key} has the address ${open}, which is in no network that tenants are kept from: they may reach all pods of the cluster; add the network of pods to deployment-blocked-networks`;
  }
  return undefined;
}

function keptOf(cidrs: readonly string[]): Kept {
  const kept: Kept = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const cidr of cidrs) {
    const [address = '', prefix = ''] = cidr.split('/');
    kept[familyOf(address)].addSubnet(address, Number(prefix), familyOf(address));
  }
  return kept;
}

const familyOf = (address: string): Family => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

import { Address4, Address6 } from 'ip-address';

/** A network of IPv4 or IPv6. An address is one of a single address. */
export interface Cidr {
  readonly family: 4 | 6;
  /** Its first address. */
  readonly start: bigint;
  readonly prefix: number;
}

const bits = { 4: 32, 6: 128 } as const;

/** A network or an address; undefined where it is neither. What lies behind the prefix does not count: 10.1.2.3/8 is 10.0.0.0/8. */
export function parseCidr(text: string): Cidr | undefined {
  const family = text.includes(':') ? 6 : 4;
  const kind = family === 6 ? Address6 : Address4;
  if (!kind.isValid(text)) return undefined;
  const address = new kind(text);
  return { family, start: address.startAddress().bigInt(), prefix: address.subnetMask };
}

/** As Kubernetes writes it. */
export function cidrText({ family, start, prefix }: Cidr): string {
  const address = family === 6 ? Address6.fromBigInt(start) : Address4.fromBigInt(start);
  return `${address.correctForm()}/${prefix}`;
}

const size = ({ family, prefix }: Cidr): bigint => 1n << BigInt(bits[family] - prefix);

const contains = (outer: Cidr, inner: Cidr): boolean =>
  outer.family === inner.family && outer.start <= inner.start && inner.start + size(inner) <= outer.start + size(outer);

export const isWithin = (inner: Cidr, outers: readonly Cidr[]): boolean => outers.some((outer) => contains(outer, inner));

/** The fewest networks with the same addresses: IPv4 first, by their addresses. */
export function aggregated(networks: readonly Cidr[]): readonly Cidr[] {
  const kept: Cidr[] = [];
  for (const next of networks.toSorted(byAddress)) {
    const last = kept.at(-1);
    if (last !== undefined && contains(last, next)) continue;
    kept.push(next);
    for (let pair = joined(kept); pair !== undefined; pair = joined(kept)) kept.splice(-2, 2, pair);
  }
  return kept;
}

/** The network that the last two are the halves of. */
function joined(networks: readonly Cidr[]): Cidr | undefined {
  const [left, right] = networks.slice(-2);
  if (left === undefined || right === undefined || left.prefix !== right.prefix || left.family !== right.family) return undefined;
  const whole = { ...left, prefix: left.prefix - 1 };
  return left.start % size(whole) === 0n && right.start === left.start + size(left) ? whole : undefined;
}

function byAddress(a: Cidr, b: Cidr): number {
  if (a.family !== b.family) return a.family - b.family;
  if (a.start !== b.start) return a.start < b.start ? -1 : 1;
  return a.prefix - b.prefix;
}

import { isIPv4, isIPv6 } from 'node:net';
import type { Environment } from '@marcbachmann/cel-js';

/** An address without a zone. One of IPv4 that is written as one of IPv6 is none. */
class Ip {
  readonly family: 4 | 6;
  readonly bits: bigint;
  readonly text: string;

  constructor(text: string) {
    this.family = isIPv4(text) ? 4 : 6;
    this.text = this.family === 4 ? text : isIPv6(text) && !text.includes('%') ? new URL(`http://[${text}]`).hostname.slice(1, -1) : '';
    this.bits = this.family === 4 ? bitsOf(text.split('.').map(Number), 8n) : bitsOf(groupsOf(this.text), 16n);
    if (this.text === '') throw new Error(`IP Address ${JSON.stringify(text)} parse error during conversion from string`);
    if (this.family === 6 && this.bits >> 32n === 0xffffn)
      throw new Error(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  }
}

const bitsOf = (parts: readonly number[], width: bigint): bigint => parts.reduce((bits, part) => (bits << width) | BigInt(part), 0n);

/** Of an address in its canonical form. */
function groupsOf(text: string): number[] {
  const [head = [], tail] = text.split('::').map((side) => (side === '' ? [] : side.split(':').map((group) => Number.parseInt(group, 16))));
  return tail === undefined ? head : [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

/** An address with the length of its network's prefix. */
class Cidr {
  readonly ip: Ip;
  readonly prefixLength: number;

  constructor(text: string) {
    const [address = '', length = '', ...more] = text.split('/');
    this.ip = new Ip(address);
    this.prefixLength = Number(length);
    if (more.length > 0 || !/^(0|[1-9]\d{0,2})$/.test(length) || this.prefixLength > this.#width)
      throw new Error(`network address parse error during conversion from string: ${JSON.stringify(text)}`);
  }

  get #width(): number {
    return this.ip.family === 4 ? 32 : 128;
  }

  get text(): string {
    return `${this.ip.text}/${this.prefixLength}`;
  }

  masked(): Cidr {
    const hostBits = BigInt(this.#width - this.prefixLength);
    const bits = (this.ip.bits >> hostBits) << hostBits;
    const [size, width, radix, joint] = this.ip.family === 4 ? ([4, 8n, 10, '.'] as const) : ([8, 16n, 16, ':'] as const);
    const part = (index: number): bigint => (bits >> (width * BigInt(size - 1 - index))) & ((1n << width) - 1n);
    return new Cidr(`${Array.from({ length: size }, (_, index) => part(index).toString(radix)).join(joint)}/${this.prefixLength}`);
  }

  contains({ family, bits }: Ip): boolean {
    const hostBits = BigInt(this.#width - this.prefixLength);
    return family === this.ip.family && bits >> hostBits === this.ip.bits >> hostBits;
  }

  includes(other: Cidr): boolean {
    return this.prefixLength <= other.prefixLength && this.contains(other.ip);
  }
}

const isIn =
  (...networks: readonly string[]) =>
  (ip: Ip): boolean =>
    networks.some((network) => new Cidr(network).contains(ip));

const isUnspecified = isIn('0.0.0.0/32', '::/128');
const isLoopback = isIn('127.0.0.0/8', '::1/128');
const isLinkLocalUnicast = isIn('169.254.0.0/16', 'fe80::/10');
const isLinkLocalMulticast = isIn('224.0.0.0/24', ...Array.from({ length: 16 }, (_, flags) => `ff${flags.toString(16)}2::/16`));
const isNobodys = isIn('255.255.255.255/32', '224.0.0.0/4', 'ff00::/8');

/** What the name `ip` stands for where it is not called. */
class IpFunctions {
  isCanonical(text: string): boolean {
    return new Ip(text).text === text;
  }
}

const succeeds = (work: () => unknown): boolean => {
  try {
    work();
    return true;
  } catch {
    return false;
  }
};

/** `ip`, `cidr` and their members. */
export function addNetwork(environment: Environment): Environment {
  return environment
    .registerType('net.IP', { ctor: Ip, fields: {} })
    .registerType('net.CIDR', { ctor: Cidr, fields: {} })
    .registerType('IpFunctions', { ctor: IpFunctions, fields: {} })
    .registerConstant('ip', 'IpFunctions', new IpFunctions())
    .registerFunction('ip(string): net.IP', (text: string) => new Ip(text))
    .registerFunction('isIP(string): bool', (text: string) => succeeds(() => new Ip(text)))
    .registerFunction('IpFunctions.isCanonical(string): bool', (functions: IpFunctions, text: string) => functions.isCanonical(text))
    .registerFunction('string(net.IP): string', ({ text }: Ip) => text)
    .registerOperator('net.IP == net.IP', (a: Ip, b: Ip) => a.text === b.text)
    .registerFunction('net.IP.family(): int', ({ family }: Ip) => BigInt(family))
    .registerFunction('net.IP.isUnspecified(): bool', isUnspecified)
    .registerFunction('net.IP.isLoopback(): bool', isLoopback)
    .registerFunction('net.IP.isLinkLocalMulticast(): bool', isLinkLocalMulticast)
    .registerFunction('net.IP.isLinkLocalUnicast(): bool', isLinkLocalUnicast)
    .registerFunction(
      'net.IP.isGlobalUnicast(): bool',
      (ip: Ip) => ![isUnspecified, isLoopback, isLinkLocalUnicast, isNobodys].some((isSpecial) => isSpecial(ip)),
    )
    .registerFunction('cidr(string): net.CIDR', (text: string) => new Cidr(text))
    .registerFunction('isCIDR(string): bool', (text: string) => succeeds(() => new Cidr(text)))
    .registerFunction('string(net.CIDR): string', ({ text }: Cidr) => text)
    .registerOperator('net.CIDR == net.CIDR', (a: Cidr, b: Cidr) => a.text === b.text)
    .registerFunction('net.CIDR.ip(): net.IP', ({ ip }: Cidr) => ip)
    .registerFunction('net.CIDR.masked(): net.CIDR', (cidr: Cidr) => cidr.masked())
    .registerFunction('net.CIDR.prefixLength(): int', ({ prefixLength }: Cidr) => BigInt(prefixLength))
    .registerFunction('net.CIDR.containsIP(net.IP): bool', (cidr: Cidr, ip: Ip) => cidr.contains(ip))
    .registerFunction('net.CIDR.containsIP(string): bool', (cidr: Cidr, text: string) => cidr.contains(new Ip(text)))
    .registerFunction('net.CIDR.containsCIDR(net.CIDR): bool', (cidr: Cidr, other: Cidr) => cidr.includes(other))
    .registerFunction('net.CIDR.containsCIDR(string): bool', (cidr: Cidr, text: string) => cidr.includes(new Cidr(text)));
}

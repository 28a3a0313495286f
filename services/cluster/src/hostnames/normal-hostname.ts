import { isIPv6 } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';

/** Why a name is nobody's, and the way out. */
export interface HostnameRefusal {
  /** HostnameInvalid, HostnameIsAddress, HostnamePublicSuffix, HostnameBlocked, HostnameOfProvider, HostnameReserved. */
  readonly code: string;
  readonly message: string;
}

/** A hostname in the one form in which names are compared and stored: A-labels in lower case, no dot at the end. */
export interface NormalHostname {
  readonly name: string;
  readonly isWildcard: boolean;
  /** The name without `*.`; of one that is no wildcard, the name. */
  readonly base: string;
}

/** Of a whole name, `*.` included. */
const longest = 253;
const shown = 80;
const label = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
/** What ASCII there may be: everything else means something in an address, and would be taken apart or decoded. */
const oddAscii = /(?![-.0-9A-Za-z])\p{ASCII}/u;
/** As the last label it makes an IPv4 address of the whole name, in browsers and in resolvers of C libraries: `2130706433`, `127.1`, `0x7f.1`. */
const number = /^(?:\d+|0x[\da-f]*)$/;
const dots = /[.\u3002\uFF0E\uFF61]/u;

/** Wildcards are allowed as the first label alone. */
export function normalHostname(text: string): NormalHostname | HostnameRefusal {
  const isWildcard = text.startsWith('*.');
  const base = normalDomain(isWildcard ? text.slice(2) : text);
  if (typeof base !== 'string') return { ...base, message: `"${text.slice(0, shown)}" ${base.message}` };
  const name = isWildcard ? `*.${base}` : base;
  if (name.length > longest) return invalid(`"${text.slice(0, shown)}" has more than ${longest} characters: take a shorter name`);
  if (!base.includes('.'))
    return invalid(
      `"${name}" is a single label, which means something else on every network: take a name with a domain, such as www.example.com`,
    );
  return { name, isWildcard, base };
}

/** A name or a domain, of one label as well; a refusal begins where the name is to be put in front of it. */
export function normalDomain(text: string): string | HostnameRefusal {
  if (isIPv6(text.replace(/^\[|\]$/g, ''))) return isAddress;
  if (text.length > 4 * longest) return invalid('is too long: a hostname has at most 253 characters');
  if (text.includes('*')) return invalid('has a * elsewhere than as its first label: a wildcard is written *.example.com');
  if (oddAscii.test(text)) return invalid('has characters that no hostname has: letters, digits, hyphens and dots are allowed');
  // Asked for before the conversion, which makes a dotted address of them.
  if (number.test(text.toLowerCase().normalize('NFKC').split(dots).at(-1) ?? '')) return isAddress;
  const ascii = domainToASCII(text);
  const labels = ascii.split('.');
  if (number.test(labels.at(-1) ?? '')) return isAddress;
  if (ascii.length > longest) return invalid(`has more than ${longest} characters in A-labels: take a shorter name`);
  if (!labels.every((each) => label.test(each)))
    return invalid(
      'is not a DNS name: each label begins and ends with a letter or digit and has at most 63 characters, and there is no dot at the end',
    );
  // What looks like an A-label and is none would be another name to each program that reads it.
  if (labels.some((each) => each.startsWith('xn--') && !isALabel(each)))
    return invalid('has a label that begins with xn-- and is not a valid internationalized name: write it in its own script');
  return ascii;
}

export const isRefusal = (of: string | NormalHostname | HostnameRefusal): of is HostnameRefusal => typeof of === 'object' && 'code' in of;

/** Whether the name is the domain, or below it. */
export const isWithin = (name: string, domain: string): boolean => name === domain || name.endsWith(`.${domain}`);

function isALabel(text: string): boolean {
  const unicode = domainToUnicode(text);
  return unicode !== text && domainToASCII(unicode) === text;
}

function invalid(message: string): HostnameRefusal {
  return { code: 'HostnameInvalid', message };
}

const isAddress: HostnameRefusal = {
  code: 'HostnameIsAddress',
  message: 'is an IP address, or is read as one: take a hostname, or ask for a leased address',
};

import { isIP, isIPv6 } from 'node:net';
import type { FieldViolation } from '@quartermaster/kernel';

/**
 * A MAC address in lower case with colons, from any of its spellings (colons, hyphens, dots, none). Addresses of 6 octets, of 8 (EUI-64)
 * and of 20 (InfiniBand) are known. Any other text comes back as it is.
 */
export function normalisedMac(text: string): string {
  const digits = text
    .trim()
    .toLowerCase()
    .replaceAll(/[:.\s-]/g, '');
  if (!/^[0-9a-f]+$/.test(digits) || ![12, 16, 40].includes(digits.length)) return text;
  return digits.match(/../g)?.join(':') ?? text;
}

export function macViolations(field: string, mac: string): FieldViolation[] {
  if (mac === '') return [];
  if (!/^[0-9a-f]{2}(:[0-9a-f]{2})+$/.test(mac) || ![17, 23, 59].includes(mac.length)) {
    return [{ field, description: 'must be a MAC address such as "b8:3f:d2:00:00:01"' }];
  }
  if (!/[1-9a-f]/.test(mac)) return [{ field, description: 'must not be all zeros; leave it empty if unknown' }];
  return [];
}

/** An IP address in its canonical spelling: IPv6 in lower case with the longest run of zeros left out. Any other text comes back as it is. */
export function normalisedIp(text: string): string {
  const address = text.trim();
  if (!isIPv6(address) || address.includes('%')) return address;
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

export function ipViolations(field: string, ip: string): FieldViolation[] {
  if (ip === '' || (isIP(ip) !== 0 && !ip.includes('%'))) return [];
  return [{ field, description: 'must be an IPv4 or IPv6 address without prefix length or zone, such as "192.0.2.10" or "2001:db8::10"' }];
}

/** A UUID in lower case with hyphens. Any other text comes back as it is. */
export function normalisedUuid(text: string): string {
  const digits = text.trim().toLowerCase().replaceAll(/[{}-]/g, '');
  if (!/^[0-9a-f]{32}$/.test(digits)) return text;
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export function uuidViolations(field: string, uuid: string): FieldViolation[] {
  if (uuid === '') return [];
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid)) {
    return [{ field, description: 'must be a UUID such as "4c4c4544-0042-3010-8044-b3c04f4e5a32"' }];
  }
  if (/^(0|-)+$|^(f|-)+$/.test(uuid)) {
    return [
      {
        field,
        description: 'must not be a placeholder of the firmware; leave it empty if unknown',
      },
    ];
  }
  return [];
}

/** Drivers of management controllers. Those that speak HTTP say with `+http` or `+https` how. */
const bmcSchemes = [
  'redfish',
  'redfish-virtualmedia',
  'redfish-uefihttp',
  'idrac',
  'idrac-redfish',
  'idrac-virtualmedia',
  'ilo4',
  'ilo4-virtualmedia',
  'ilo5',
  'ilo5-redfish',
  'ilo5-virtualmedia',
  'irmc',
  'ibmc',
];
const knownBmcSchemes = new Set([
  'http',
  'https',
  'ipmi',
  'libvirt',
  ...bmcSchemes.flatMap((scheme) => [scheme, `${scheme}+http`, `${scheme}+https`]),
]);

/** Never repeats the URL: it may hold a password. */
export function bmcUrlViolations(field: string, text: string): FieldViolation[] {
  if (text === '') return [];
  const url = URL.parse(text);
  // Programs do not agree where the host of such a URL ends.
  if (/[\\\s\p{C}]/u.test(text)) return [{ field, description: 'must not contain backslashes, whitespace or control characters' }];
  if (url === null || url.host === '') {
    return [{ field, description: 'must be a URL with a host, such as "redfish-virtualmedia+https://192.0.2.5/redfish/v1/Systems/1"' }];
  }
  if (!knownBmcSchemes.has(url.protocol.slice(0, -1))) {
    return [
      {
        field,
        description: `must begin with a known driver: ${[...bmcSchemes, 'ipmi', 'libvirt', 'http', 'https'].join(', ')}; the HTTP ones optionally with "+http" or "+https"`,
      },
    ];
  }
  const credentials = credentialViolations(field, url);
  if (credentials.length > 0) return credentials;
  if (url.pathname.includes('//')) return [{ field, description: 'must not have "//" in its path; write "/"' }];
  return isNormalHost(text)
    ? []
    : [{ field, description: 'must have its host in the normal form: IPv4 as four plain decimal numbers, IPv6 shortened, names in ASCII' }];
}

/** Whether every program reads the same host there: "192.168.010.1" is 192.168.8.1 for some, and 192.168.10.1 for others. */
export function isNormalHost(text: string): boolean {
  const host = /^[^:]+:\/\/([^/?#]*?)(?::\d*)?(?:[/?#]|$)/.exec(text)?.[1]?.toLowerCase() ?? '';
  return URL.parse(`http://${host}/`)?.hostname === host;
}

/** A page for people or an API: http or https. */
export function webUrlViolations(field: string, text: string): FieldViolation[] {
  if (text === '') return [];
  const url = URL.parse(text);
  if (url === null || url.host === '' || !['http:', 'https:'].includes(url.protocol)) {
    return [{ field, description: 'must be a URL that begins with "https://" or "http://"' }];
  }
  return credentialViolations(field, url);
}

function credentialViolations(field: string, url: URL): FieldViolation[] {
  if (url.username === '' && url.password === '') return [];
  return [{ field, description: 'must not contain a user or password: use the fields for credentials, which are stored encrypted' }];
}

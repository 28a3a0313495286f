import { isIPv4, isIPv6 } from 'node:net';

const day = String.raw`\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`;
const dateTime = new RegExp(String.raw`^${day}[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$`);
const hostname = /^([a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)(\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)*$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const goDuration = /^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))*$/;
const words = '(nanoseconds?|ns|microseconds?|us|µs|milliseconds?|ms|seconds?|s|minutes?|m|hours?|h|days?|d|weeks?|w)';
const wordyDuration = new RegExp(`^(\\d+\\s*${words}\\s*)+$`);
const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const uuid = (version: string) => new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i');

const matches = (pattern: RegExp) => (text: string) => pattern.test(text);

// format -> whether a text has it
const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date', (text: string) => new RegExp(`^${day}$`).test(text) && isCalendarDay(text)],
  ['date-time', matches(dateTime)],
  ['datetime', matches(dateTime)],
  ['duration', (text: string) => text === '0' || goDuration.test(text) || wordyDuration.test(text)],
  ['uri', (text: string) => /^(\/|[a-zA-Z][a-zA-Z0-9+.-]*:)/.test(text) && !/\s/.test(text)],
  ['email', matches(/^[^\s@<>]+@[^\s@<>]+$/)],
  ['hostname', (text: string) => text.length <= 255 && hostname.test(text)],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['cidr', isCidr],
  ['mac', matches(/^([0-9a-f]{2}([:-]))([0-9a-f]{2}\2){4}([0-9a-f]{2}\2?)(?<![:-])$|^([0-9a-f]{4}\.){2}[0-9a-f]{4}$/i)],
  ['byte', matches(base64)],
  ['uuid', matches(uuid('[0-9a-f]'))],
  ['uuid3', matches(uuid('3'))],
  ['uuid4', matches(uuid('4'))],
  ['uuid5', matches(uuid('5'))],
  ['hexcolor', matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['k8s-short-name', (text: string) => text.length <= 63 && new RegExp(`^${label}$`).test(text)],
  ['k8s-long-name', (text: string) => text.length <= 253 && new RegExp(`^${label}(\\.${label})*$`).test(text)],
]);

/** Whether a text has a format. Formats that the server does not know are no rule. */
export function hasFormat(format: string, text: string): boolean {
  return formats.get(format)?.(text) ?? true;
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  const limit = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1;
  return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= limit;
}

function isCalendarDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

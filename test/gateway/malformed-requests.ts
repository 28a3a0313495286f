import fc from 'fast-check';
import type { Deployed } from '../leases/running-leases.ts';
import type { Asked } from './gateway-client.ts';
import { pathOf, type SiteTenant } from './gateway-site.ts';
import { claimsOf, joinedToken } from './tenant-key.ts';

/** What is wrong with it, how it is sent, and what it may be answered with. */
export interface Malformed {
  readonly kind: string;
  readonly asked: Asked;
  readonly isUpgrade?: boolean;
  readonly answers: readonly number[];
}

export interface MalformedOf {
  readonly lease: Deployed;
  readonly tenant: SiteTenant;
}

const letters = (most: number, of = 'abcdefghijklmnopqrstuvwxyz0123456789-._~'): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...of.split('')), minLength: 1, maxLength: most });
const notFor = (value: string, ...good: readonly string[]): boolean => !good.includes(value);

const badNumber = fc.oneof(
  fc.constantFrom(
    '0',
    '00',
    '01',
    '-1',
    '+1',
    '1.5',
    '1e3',
    '0x1',
    '1_000',
    '%201',
    '1%20',
    'NaN',
    '%F0%9F%98%80',
    '٣',
    '18446744073709551616',
  ),
  letters(30).filter((text) => !/^[1-9]\d*$/.test(text) && text !== '.' && text !== '..'),
  fc.bigInt({ min: 2n ** 64n, max: 2n ** 99n }).map(String),
);
const badEscape = fc.constantFrom('%', '%2', '%GG', '%FF', '%C3%28', '%ED%A0%80', 'a%');
const leasePaths = ['/status', '/manifest', '/service/web/status'] as const;

/** Each has a connection of its own. */
const upgradesOfKind = 60;

/** Requests of every kind, `count` in all, always the same for a seed. */
export function malformedRequests(
  of: MalformedOf,
  { seed, count }: { readonly seed: number; readonly count: number },
): readonly Malformed[] {
  const upgrades = [...queries(of), ...handshakes(of)].flatMap((kind, index) =>
    fc.sample(kind, { seed: seed + index, numRuns: upgradesOfKind }),
  );
  const kinds = [...paths(of), ...tokens(of), ...bodies(of)];
  const each = Math.ceil((count - upgrades.length) / kinds.length);
  const others = kinds.flatMap((kind, index) => fc.sample(kind, { seed: seed + index, numRuns: each }));
  return [...upgrades, ...others].slice(0, count);
}

function paths({ lease, tenant }: MalformedOf): fc.Arbitrary<Malformed>[] {
  const shown = { token: tenant.token() };
  const { dseq, gseq, oseq } = lease.order;
  return [
    fc.array(letters(40), { minLength: 1, maxLength: 8 }).map((parts) => ({
      ...{ kind: 'a path that is not served', asked: { path: `/x${parts.join('/')}`, shown }, answers: [404] },
    })),
    fc
      .tuple(fc.constantFrom(...leasePaths, '/logs', ''), fc.constantFrom('POST', 'DELETE', 'PATCH', 'PUT', 'OPTIONS', 'PROPFIND'))
      .map(([rest, method]) => ({
        ...{ kind: 'a method that is not served', asked: { method, path: pathOf(lease, rest), shown }, answers: [404] },
      })),
    fc.tuple(badNumber, fc.constantFrom(0, 1, 2), fc.constantFrom(...leasePaths)).map(([number, at, rest]) => {
      const numbers = [dseq, gseq, oseq].map((each, index) => (index === at ? number : String(each)));
      return { kind: 'a number', asked: { path: `/lease/${numbers.join('/')}${rest}`, shown }, answers: [400] };
    }),
    fc.tuple(badEscape, fc.constantFrom(...leasePaths)).map(([escape, rest]) => ({
      ...{ kind: 'percent-encoding', asked: { path: `/lease/${escape}/${gseq}/${oseq}${rest}`, shown }, answers: [400] },
    })),
    fc.string({ unit: fc.constantFrom('a', 'b', '%20'), minLength: 300, maxLength: 900 }).map((name) => ({
      ...{ kind: 'a long name', asked: { path: pathOf(lease, `/service/${name}/status`), shown }, answers: [400] },
    })),
    letters(60, 'abcABC_$./ \\"\'<>').map((name) => ({
      kind: 'a service that is not there',
      asked: { path: pathOf(lease, `/service/${encodeURIComponent(`x${name}`)}/status`), shown },
      answers: [404],
    })),
  ];
}

function queries({ lease, tenant }: MalformedOf): fc.Arbitrary<Malformed>[] {
  const shown = { token: tenant.token() };
  const names = ['service', 'follow', 'tail', 'tty', 'stdin', 'podIndex', 'cmd0'];
  const upgrade = (kind: string, rest: string): Malformed => ({
    ...{ kind, isUpgrade: true, asked: { path: pathOf(lease, rest), shown }, answers: [400] },
  });
  const notFlag = letters(9).filter((value) => notFor(value, '0', '1', 'true', 'false'));
  return [
    fc
      .tuple(letters(20), letters(20))
      .filter(([name]) => notFor(name, ...names))
      .map(([name, value]) => upgrade('a parameter', `/logs?${name}=${value}`)),
    fc
      .tuple(
        fc.constantFrom('logs?follow', 'kubeevents?follow', 'shell?cmd0=sh&service=web&tty', 'shell?cmd0=sh&service=web&stdin'),
        notFlag,
      )
      .map(([rest, value]) => upgrade('a flag', `/${rest}=${value}`)),
    fc
      .tuple(fc.constantFrom('logs?tail', 'shell?cmd0=sh&service=web&podIndex'), badNumber)
      .filter(([, value]) => notFor(value, '0', '00', '-1', '01'))
      .map(([rest, value]) => upgrade('a number in the query', `/${rest}=${value}`)),
    fc
      .constantFrom(
        'shell?service=web',
        'shell?cmd1=a',
        'shell?cmd0=',
        'shell?cmd0=a&cmd0=b',
        'logs?tail=1&tail=2',
        `shell?${'cmd0=&'.repeat(9)}cmd0=x`,
        `shell?cmd0=${'x'.repeat(17_000)}`,
      )
      .map((rest) => upgrade('a command', `/${rest}`)),
    fc
      .tuple(letters(10), letters(10))
      .filter(([name]) => name !== 'confirm')
      .map(([name, value]) => ({
        kind: 'a parameter of a manifest',
        asked: { method: 'PUT', path: `/deployment/${lease.order.dseq}/manifest?${name}=${value}`, body: '[]', shown },
        answers: [400],
      })),
  ];
}

function tokens({ lease, tenant }: MalformedOf): fc.Arbitrary<Malformed>[] {
  const good = tenant.token();
  const asked = (token: string): Asked => ({ path: pathOf(lease, '/status'), shown: { token } });
  const part = letters(80, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');
  const wrong = fc.oneof(
    fc.constantFrom(null, -1, 1.5, '', true, 1e300),
    fc.array(fc.integer(), { maxLength: 3 }),
    fc.dictionary(letters(5), fc.integer(), { maxKeys: 3 }),
  );
  return [
    fc.tuple(fc.nat(good.length - 1), fc.nat(63)).map(([at, by]) => {
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      const [before, old, after] = [good.slice(0, at), good[at] ?? '', good.slice(at + 1)];
      const other = old === '.' ? 'A' : (alphabet[(alphabet.indexOf(old) + 1 + (by % 63)) % 64] ?? 'A');
      return { kind: 'a token with another letter', asked: asked(`${before}${other}${after}`), answers: [400, 401] };
    }),
    fc
      .array(part, { minLength: 1, maxLength: 5 })
      .map((parts) => ({ kind: 'letters for a token', asked: asked(parts.join('.')), answers: [400, 401] })),
    fc.constantFrom('Basic YTpi', 'Bearer', 'Bearer a b', 'bearer', 'Negotiate x', ',', 'Bearer\ta').map((authorization) => ({
      kind: 'another authorization',
      asked: { path: pathOf(lease, '/status'), headers: { authorization } },
      answers: [400],
    })),
    fc.tuple(fc.constantFrom('iss', 'iat', 'nbf', 'exp', 'version', 'leases', 'jti'), wrong).map(([claim, value]) => ({
      kind: 'a claim that is signed and wrong',
      asked: asked(tenant.key.token(claimsOf(tenant.owner, { [claim]: value }))),
      answers: [401],
    })),
    fc.tuple(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 })).map(([header, claims]) => ({
      kind: 'JSON for a token',
      asked: asked(joinedToken(JSON.stringify(header), JSON.stringify(claims))),
      answers: [400, 401],
    })),
    fc.integer({ min: 16_400, max: 24_000 }).map((length) => ({ kind: 'a long token', asked: asked('A'.repeat(length)), answers: [400] })),
  ];
}

function bodies({ lease, tenant }: MalformedOf): fc.Arbitrary<Malformed>[] {
  const shown = { token: tenant.token() };
  const put = (body: string | Uint8Array): Asked => ({ method: 'PUT', path: `/deployment/${lease.order.dseq}/manifest`, body, shown });
  const migrate = (body: string | Uint8Array, headers: Record<string, string> = {}): Asked => ({
    ...{ method: 'POST', path: '/hostname/migrate', body, headers, shown },
  });
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const noJson = fc
    .oneof(
      fc.string({ maxLength: 200 }),
      fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value).slice(0, -1)),
    )
    .filter((text) => !isJson(text));
  return [
    noJson.map((text) => ({ kind: 'a manifest that is no JSON', asked: put(text), answers: [400] })),
    fc
      .uint8Array({ maxLength: 64 })
      .map((bytes) => ({ kind: 'bytes for a manifest', asked: put(Buffer.concat([bytes, Buffer.from([0xff])])), answers: [400] })),
    fc
      .integer({ min: 65, max: 5_000 })
      .map((depth) => ({ kind: 'a deep body', asked: migrate('['.repeat(depth) + ']'.repeat(depth)), answers: [400] })),
    fc
      .oneof(
        fc.jsonValue({ maxDepth: 3 }),
        fc.record({ hostnames_to_migrate: fc.jsonValue({ maxDepth: 2 }), destination_dseq: fc.jsonValue({ maxDepth: 1 }) }),
      )
      .map((value) => ({
        kind: 'another request to migrate',
        asked: migrate(JSON.stringify(value)),
        answers: [400],
      })),
    fc.constantFrom('gzip', 'br', 'deflate, gzip', 'x').map((encoding) => ({
      kind: 'an encoding',
      asked: migrate('{}', { 'content-encoding': encoding }),
      answers: [400],
    })),
    fc
      .integer({ min: 1, max: 4_096 })
      .map((more) => ({ kind: 'a long body', asked: migrate(Buffer.alloc(64 * 1024 + more, ' ')), answers: [413] })),
  ];
}

function handshakes({ lease, tenant }: MalformedOf): fc.Arbitrary<Malformed>[] {
  const shown = { token: tenant.token() };
  const stream = (headers: Record<string, string>): Malformed => ({
    ...{ kind: 'a handshake', isUpgrade: true, asked: { path: pathOf(lease, '/logs'), headers, shown }, answers: [400, 405, 426] },
  });
  return [
    fc.oneof(
      letters(30).map((key) => stream({ 'sec-websocket-key': key })),
      fc
        .integer({ min: 0, max: 99 })
        .filter((version) => version !== 8 && version !== 13)
        .map((version) => stream({ 'sec-websocket-version': String(version) })),
      letters(9)
        .filter((protocol) => protocol !== 'websocket')
        .map((protocol) => stream({ upgrade: protocol })),
    ),
    fc.constantFrom(...leasePaths, '/manifest').map((rest) => ({
      ...{ kind: 'a WebSocket of what is no stream', isUpgrade: true, asked: { path: pathOf(lease, rest), shown }, answers: [400] },
    })),
    fc.constantFrom('/logs', '/shell?cmd0=sh&service=web', '/kubeevents').map((rest) => ({
      ...{ kind: 'a stream that is no WebSocket', asked: { path: pathOf(lease, rest), shown }, answers: [400] },
    })),
  ];
}

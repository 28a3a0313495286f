import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { safeKubeconfigViolations } from './safe-kubeconfig.ts';

type Json = Readonly<Record<string, unknown>>;

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const rulesOf = (text: string | Uint8Array): string[] =>
  safeKubeconfigViolations('kubeconfig', typeof text === 'string' ? bytes(text) : text).map(({ description }) => description);

interface Parts {
  readonly cluster?: Json | undefined;
  readonly user?: Json | undefined;
  readonly context?: Json | undefined;
}

/** With a second entry of each list, which the current context does not use, that has `parts` in addition. */
const config = ({ cluster = {}, user = {}, context = {} }: Parts = {}): Json => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'a',
  contexts: [
    { name: 'a', context: { cluster: 'a', user: 'a' } },
    { name: 'b', context: { cluster: 'b', user: 'b', ...context } },
  ],
  clusters: [
    { name: 'a', cluster: { server: 'https://a.example:6443', 'certificate-authority-data': 'eA==' } },
    { name: 'b', cluster: { server: 'https://b.example', 'insecure-skip-tls-verify': false, ...cluster } },
  ],
  users: [
    { name: 'a', user: { token: 'canary' } },
    { name: 'b', user: { 'client-certificate-data': 'eA==', 'client-key-data': 'canary', ...user } },
  ],
});
const plain = stringify(config());

const harmful: readonly (readonly [string, Parts])[] = [
  ['users.1.user.exec', { user: { exec: { command: 'canary' } } }],
  ['users.1.user.auth-provider', { user: { 'auth-provider': { name: 'gcp', config: { 'cmd-path': 'canary' } } } }],
  ['users.1.user.tokenFile', { user: { tokenFile: '/canary' } }],
  ['users.1.user.client-certificate', { user: { 'client-certificate': '/canary' } }],
  ['users.1.user.client-key', { user: { 'client-key': '/canary' } }],
  ['clusters.1.cluster.certificate-authority', { cluster: { 'certificate-authority': '/canary' } }],
  ['clusters.1.cluster.proxy-url', { cluster: { 'proxy-url': 'http://canary' } }],
  ['clusters.1.cluster.insecure-skip-tls-verify', { cluster: { 'insecure-skip-tls-verify': true } }],
  ['clusters.1.cluster.insecure-skip-tls-verify', { cluster: { 'insecure-skip-tls-verify': 'yes' } }],
  ['clusters.1.cluster.server', { cluster: { server: 'http://canary' } }],
  ['clusters.1.cluster.server', { cluster: { server: '' } }],
  ['clusters.1.cluster.server', { cluster: { server: 'https://u:canary@b.example' } }],
  ...['HTTPS:///canary.example/', 'https://canary%2eexample/', 'https://192.168.010.1', 'https://bücher.example', 'https://?canary'].map(
    (server) => ['clusters.1.cluster.server', { cluster: { server } }] as const,
  ),
  ['clusters.1.cluster', { cluster: { Server: 'http://canary' } }],
  ['users.1.user', { user: { Exec: { command: 'canary' } } }],
  ['contexts.1.context', { context: { exec: {} } }],
];

describe('the kubeconfig of a hub', () => {
  it('is taken in YAML and JSON, with tokens, certificates and passwords in it', () => {
    expect(rulesOf(plain)).toEqual([]);
    expect(rulesOf(plain.replaceAll('\n', '\r\n'))).toEqual([]);
    expect(rulesOf(JSON.stringify(config({ user: { username: 'u', password: 'p', as: 'x', 'as-groups': ['g'] } }), undefined, 2))).toEqual(
      [],
    );
    expect(rulesOf(stringify({ ...config(), preferences: {} }))).toEqual([]);
    for (const server of ['https://API.example:6443', 'https://[2001:db8::1]:6443/k8s/clusters/c-1', 'HTTPS://192.0.2.1/?a=b'])
      expect(rulesOf(stringify(config({ cluster: { server } })))).toEqual([]);
  });

  it.each(harmful)('is refused for %s, in an entry that is not the current one', (place, parts) => {
    for (const text of [stringify(config(parts)), JSON.stringify(config(parts))]) {
      const rules = rulesOf(text);
      expect(rules.join()).toContain(place);
      expect(rules.join()).not.toContain('canary');
    }
  });

  it.each([
    ['anchors and aliases', `${plain.replace('token: canary', 'token: &t canary')}preferences: {x: *t}\n`, 'anchors'],
    ['an anchor alone', plain.replace('token: canary', 'token: &t canary'), 'anchors'],
    ['a merge key', plain.replace('token: canary', 'token: canary\n      <<: {exec: {command: sh}}'), 'merge key'],
    ['a key twice', plain.replace('token: canary', 'token: canary\n      "token": other'), 'twice'],
    ['a list twice', `${plain}users: []\n`, 'twice'],
    ['a second document', `${plain}---\n${plain}`, 'single'],
    ['a document after its end', `${plain}...\n${plain}`, 'single'],
    ['a tagged key', plain.replace('token: canary', '!!binary ZXhlYw==: {command: sh}'), 'keys'],
    ['a tagged value', plain.replace('token: canary', 'token: !!str canary'), 'tags'],
    ['a directive', `%YAML 1.1\n---\n${plain}`, 'directives'],
    [
      'a line break of YAML 1.1 in a comment',
      plain.replace('token: canary', 'token: canary # \u2028      exec: {command: sh}'),
      'line breaks',
    ],
    ['a next-line character', plain.replace('token: canary', 'token: canary # \u0085      exec: {command: sh}'), 'line breaks'],
    ['a lone carriage return', plain.replace('token: canary', 'token: canary # \r      exec: {command: sh}'), 'line breaks'],
    ['a NUL', plain.replace('canary', 'ca\0nary'), 'control characters'],
    ['a list as key', `${plain}? [a]\n: b\n`, 'keys'],
  ])('is refused for %s: others would read something else', (_what, text, rule) => {
    expect(rulesOf(text).join()).toContain(rule);
  });

  it('is refused in another encoding', () => {
    expect(rulesOf(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(plain, 'utf16le')]))).toHaveLength(1);
    expect(rulesOf(Buffer.concat([bytes(plain), Buffer.from([0xc3, 0x28])]))).toHaveLength(1);
  });

  it('is refused, and not followed, when it is nested without end', () => {
    expect(rulesOf(`${plain}preferences: ${'['.repeat(10_000)}`)).toHaveLength(1);
  });

  const many = Array.from({ length: 36_000 }, (_, index) => `k${index}`).join();

  // What compares every key with every other takes minutes for one of these.
  it('is read in time that grows with its size alone', { timeout: 30_000 }, () => {
    const large = `${plain}extensions: {${many}}\n`;
    expect(bytes(large).length).toBeGreaterThan(240_000);
    expect(rulesOf(large)).toEqual([]);
    expect(rulesOf(large.replace('k35999', 'k0'))).toEqual([expect.stringContaining('twice')]);
    expect(rulesOf(']'.repeat(250_000))).toHaveLength(1);
  });

  it('is refused with a few sentences, however much is wrong with it', { timeout: 30_000 }, () => {
    const user = plain.replace('user:\n      token: canary', `user: {${many}}`);
    expect(rulesOf(user)).toEqual([expect.stringContaining('in "users.0.user"')]);
    const users = Array.from({ length: 10_000 }, () => ({ name: 'a', exec: 1 }));
    expect(rulesOf(JSON.stringify({ ...config(), users })).length).toBeLessThan(10);
  });

  it('is refused however what does harm is written', () => {
    const quote = (key: string, style: number): string =>
      style === 0
        ? key
        : style === 1
          ? `'${key}'`
          : `"${key
              .split('')
              .map((each) => `\\x${each.charCodeAt(0).toString(16).padStart(2, '0')}`)
              .join('')}"`;
    const spellings = fc.record({
      which: fc.constantFrom(...harmful.filter(([place]) => !/(server|skip-tls-verify|context|user|cluster)$/.test(place))),
      style: fc.integer({ min: 0, max: 2 }),
      isExplicit: fc.boolean(),
      isFlow: fc.boolean(),
      isFirst: fc.boolean(),
      extra: fc.nat({ max: 3 }),
    });
    fc.assert(
      fc.property(spellings, ({ which: [place], style, isExplicit, isFlow, isFirst, extra }) => {
        const [list = '', , entry = '', ...rest] = place.split('.');
        const key = quote(rest.join('.'), style);
        const pad = ' '.repeat(extra);
        const own = isFlow
          ? `{ ${isExplicit ? `? ${key} ` : key}:${pad} {a: b} }`
          : `\n${isExplicit ? `      ? ${key}\n      :${pad} x` : `      ${key}:${pad} x`}`;
        const item = `  - name: z\n    ${entry}: ${own}\n`;
        const base = stringify(config());
        const at = base.indexOf(`${list}:\n`) + list.length + 2;
        const ends = base.slice(at).search(/^\S/m);
        const to = isFirst ? at : ends === -1 ? base.length : at + ends;
        const rules = rulesOf(base.slice(0, to) + item + base.slice(to));
        expect(rules.join()).toContain(rest.join('.'));
      }),
      { numRuns: 300 },
    );
  });
});

import { StatusError } from '@quartermaster/kernel';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineConfig } from './define-config.ts';
import { type ConfigSources, type LoadOptions, loadConfig } from './load-config.ts';
import type { ConfigProblem } from './origin.ts';
import { Secret } from './secret.ts';
import { byteSize, duration, quantity, secret } from './setting-types.ts';

const definition = defineConfig(
  {
    'inventory-resource-poll-period': duration({ min: '1s' }).prefault('5s').describe('How often inventory is read.'),
    'listen-address': z.string().default('127.0.0.1').describe('Where to listen.'),
    'listen-port': z.int().min(0).max(65_535).default(8443).describe('The port.'),
    'blocked-hostnames': z.array(z.string().min(3)).default([]).describe('Never given away.'),
    'dry-run': z.boolean().default(false).describe('Only tell.'),
    'log-level': z.enum(['debug', 'info']).default('info').describe('How much to tell.'),
    labels: z.record(z.string(), z.string()).default({}).describe('Put on everything.'),
    token: secret().optional().describe('Who we are.'),
    cache: z.object({
      size: byteSize().prefault('64Mi').describe('How much to keep.'),
      share: quantity().prefault('500m').describe('Of one CPU.'),
    }),
    tls: z
      .object({
        'cert-file': z.string().describe('Certificate.'),
        'key-file': z.string().describe('Key.'),
      })
      .optional(),
  },
  {
    rules: [
      (config) =>
        config['dry-run'] && config['listen-port'] === 0 ? { key: 'listen-port', message: 'must be set in a dry run' } : undefined,
    ],
  },
);

const load = (sources: ConfigSources, options?: LoadOptions) => loadConfig(definition, sources, options);
const file = (text: string): ConfigSources => ({ file: { name: 'q.yaml', text } });

function refused(sources: ConfigSources, options?: LoadOptions): { message: string; problems: readonly ConfigProblem[] } {
  try {
    load(sources, options);
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) throw thrown;
    expect(thrown.code).toBe('invalid_argument');
    return { message: thrown.message, problems: thrown.details as ConfigProblem[] };
  }
  throw new Error('was accepted');
}

function setAt(tree: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [segment = '', ...rest] = path;
  if (rest.length === 0) tree[segment] = value;
  else setAt((tree[segment] ??= {}) as Record<string, unknown>, rest, value);
}

describe('loadConfig', () => {
  it('gives defaults when nothing is set, inside groups too', () => {
    expect(load({}).values).toMatchObject({
      'inventory-resource-poll-period': 5000,
      'listen-port': 8443,
      cache: { size: 67_108_864 },
    });
    expect(load({}).values.tls).toBeUndefined();
  });

  it('takes the value of the last source that has one, whatever the others say', () => {
    const port = fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined });
    fc.assert(
      fc.property(port, port, port, port, (preset, inFile, inEnvironment, inFlags) => {
        const { values, origins } = load({
          presets: preset === undefined ? [] : ['--listen-port', `${preset}`],
          ...(inFile === undefined ? {} : file(`listen-port: ${inFile}\n`)),
          environment: inEnvironment === undefined ? {} : { QUARTERMASTER_LISTEN_PORT: `${inEnvironment}` },
          args: inFlags === undefined ? [] : ['--listen-port', `${inFlags}`],
        });
        expect(values['listen-port']).toBe(inFlags ?? inEnvironment ?? inFile ?? preset ?? 8443);
        const winner = [inFlags && 'flag', inEnvironment && 'environment', inFile && 'file', preset && 'flag'].find(
          (kind) => kind !== undefined,
        );
        expect(origins.get('listen-port')?.kind).toBe(winner);
      }),
    );
  });

  it('merges every combination of keys and sources key by key', () => {
    const maybe = fc.option(fc.stringMatching(/^[a-z]{3,6}$/), { nil: undefined });
    const names = ['listen-address', 'tls.cert-file', 'tls.key-file', 'deep.a.b', 'deep.a.c-d'] as const;
    const settings = fc.tuple(...names.map(() => fc.record({ file: maybe, environment: maybe, flag: maybe })));
    const text = z.string().default('unset').describe('A text.');
    const merged = defineConfig({
      'listen-address': text,
      tls: z.object({ 'cert-file': text, 'key-file': text }),
      deep: z.object({ a: z.object({ b: text, 'c-d': text }) }),
    });
    fc.assert(
      fc.property(settings, (given) => {
        const tree: Record<string, unknown> = {};
        const environment: Record<string, string> = {};
        const args: string[] = [];
        const expected: Record<string, string> = {};
        for (const [i, name] of names.entries()) {
          const { file: inFile, environment: inEnvironment, flag } = given[i] ?? {};
          const dashed = name.replaceAll('.', '-');
          if (inFile !== undefined) setAt(tree, name.split('.'), inFile);
          if (inEnvironment !== undefined) environment[`QUARTERMASTER_${dashed.replaceAll('-', '_').toUpperCase()}`] = inEnvironment;
          if (flag !== undefined) args.push(`--${dashed}`, flag);
          expected[name] = flag ?? inEnvironment ?? inFile ?? 'unset';
        }
        const { values } = loadConfig(merged, { ...file(JSON.stringify(tree)), environment, args });
        expect({
          'listen-address': values['listen-address'],
          'tls.cert-file': values.tls['cert-file'],
          'tls.key-file': values.tls['key-file'],
          'deep.a.b': values.deep.a.b,
          'deep.a.c-d': values.deep.a['c-d'],
        }).toEqual(expected);
      }),
    );
  });

  it('reads the same values from a file, the environment and flags', () => {
    const environment = {
      QUARTERMASTER_INVENTORY_RESOURCE_POLL_PERIOD: '1m30s',
      QUARTERMASTER_BLOCKED_HOSTNAMES: 'a.example, b.example',
      QUARTERMASTER_DRY_RUN: 'true',
      QUARTERMASTER_LABELS: '{team: a}',
      QUARTERMASTER_CACHE_SIZE: '1Gi',
      QUARTERMASTER_TLS_CERT_FILE: 'c',
      QUARTERMASTER_TLS_KEY_FILE: 'k',
    };
    const args = [
      '--inventory-resource-poll-period=1m30s',
      ...['--blocked-hostnames', 'a.example', '--blocked-hostnames=b.example'],
      '--dry-run',
      ...['--labels', '{team: a}', '--cache-size', '1Gi', '--tls-cert-file', 'c', '--tls-key-file', 'k'],
    ];
    const text = [
      'inventory-resource-poll-period: 1m30s',
      'blocked-hostnames: [a.example, b.example]',
      'dry-run: true',
      'labels: { team: a }',
      'cache: { size: 1Gi }',
      'tls: { cert-file: c, key-file: k }',
    ].join('\n');
    const expected = {
      'inventory-resource-poll-period': 90_000,
      'blocked-hostnames': ['a.example', 'b.example'],
      'dry-run': true,
      labels: { team: 'a' },
      cache: { size: 2 ** 30 },
      tls: { 'cert-file': 'c', 'key-file': 'k' },
    };
    for (const sources of [{ environment }, { args }, file(text)]) expect(load(sources).values).toMatchObject(expected);
  });

  it('merges groups key by key', () => {
    const { values } = load({ ...file('tls: { cert-file: c }'), args: ['--tls-key-file', 'k'] });
    expect(values.tls).toEqual({ 'cert-file': 'c', 'key-file': 'k' });
  });

  it('names key, origin and rule of every problem at once', () => {
    const { message } = refused({
      ...file('inventory-resource-poll-period: 5\nblocked-hostnames:\n  - abc\n  - x\ncache:\n  size: many\nlog-level: loud\n'),
      environment: { QUARTERMASTER_LISTEN_PORT: '70000' },
      args: ['--dry-run=maybe', '--tls-cert-file', 'c'],
    });
    expect(message.split('\n')).toEqual([
      'the configuration has 7 problems',
      '  inventory-resource-poll-period (q.yaml:1:33): must be a duration such as 500ms, 10s, 5m or 1h30m',
      '  listen-port (QUARTERMASTER_LISTEN_PORT): must be at most 65535',
      '  blocked-hostnames[1] (q.yaml:4:5): must have at least 3 characters',
      '  dry-run (--dry-run): must be true or false',
      '  log-level (q.yaml:7:12): must be one of debug, info',
      expect.stringMatching(/^ {2}cache\.size \(q\.yaml:6:9\): .*must be a decimal number/),
      '  tls.key-file: is required: set it in the file, as QUARTERMASTER_TLS_KEY_FILE or as --tls-key-file',
    ]);
  });

  it('refuses unknown keys with the nearest known one', () => {
    const { message } = refused({
      ...file('log-levle: info\ncache:\n  sise: 1\nzzz: 1\n'),
      environment: { QUARTERMASTER_LISTEN_PROT: '1', OTHER: 'x' },
      args: ['--dry-rum', '--no-dry-rum'],
    });
    expect(message).toContain('log-levle (q.yaml:1:1): is not a known key: did you mean log-level?');
    expect(message).toContain('cache.sise (q.yaml:3:3): is not a known key: did you mean cache.size?');
    expect(message).toContain('zzz (q.yaml:4:1): is not a known key: remove it or see the reference');
    expect(message).toContain('QUARTERMASTER_LISTEN_PROT: is not a known variable: did you mean QUARTERMASTER_LISTEN_PORT?');
    expect(message).toContain('--dry-rum: is not a known flag: did you mean --dry-run?');
    expect(message).not.toContain('OTHER');
  });

  it('accepts keys of parts that do not run here, without checking or needing them', () => {
    const alsoKnown = defineConfig({ bids: z.object({ price: z.number().describe('Price.') }) });
    const { values } = load(
      { ...file('bids: { price: high }'), environment: { QUARTERMASTER_BIDS_PRICE: '?' }, args: ['--bids-price', '?'] },
      { alsoKnown },
    );
    expect(values).not.toHaveProperty('bids');
  });

  it.each([
    ['a tab', 'cache:\n\tsize: 1', /q\.yaml:2:1: /],
    ['the same key twice', 'log-level: info\nlog-level: debug', /q\.yaml:2:1: has the same key twice/],
    ['a list', '- a', /q\.yaml:1:1: must be a mapping/],
    ['a group that is a text', 'cache: big', /cache \(q\.yaml:1:8\): must be a mapping/],
    ['a key without a value', 'log-level:\ndry-run: true', /log-level \(q\.yaml:1:1\): has no value/],
    ['an open quote', 'log-level: "info', /q\.yaml:1:\d+: is missing a quote/],
  ])('says where a file with %s is wrong', (_name, text, expected) => {
    expect(refused(file(text)).message).toMatch(expected);
  });

  it('accepts an empty file and one of comments', () => {
    expect(load(file('')).values['listen-port']).toBe(8443);
    expect(load(file('# nothing\n')).values['listen-port']).toBe(8443);
  });

  it('holds secrets as such', () => {
    const { token } = load({ environment: { QUARTERMASTER_TOKEN: 'SWORDFISH' } }).values;
    expect(token).toBeInstanceOf(Secret);
    expect(token?.reveal()).toBe('SWORDFISH');
  });

  it('never shows the value of a secret in an error, however it is broken', () => {
    const careless = defineConfig({
      key: secret(z.string().refine((text) => text === '', { error: (issue) => `${String(issue.input)} is wrong` })).describe('A key.'),
      keys: z.array(secret()).default([]).describe('More.'),
    });
    const sources: ConfigSources[] = [
      file('key: SWORDFISHQX'),
      file('key: *SWORDFISHQX'),
      file('keys: [*SWORDFISHQX]'),
      file('*SWORDFISHQX'),
      { environment: { QUARTERMASTER_KEYS: '[*SWORDFISHQX]' } },
      file('key: !SWORDFISHQX x'),
      file('key: "\\SWORDFISHQX'),
      file('key: [SWORDFISHQX'),
      file('key: @SWORDFISHQX'),
      file('key: %SWORDFISHQX'),
      file('key: &SWORDFISHQX &SWORDFISHQX a'),
      file('key: { SWORDFISHQX: 1 }'),
      file('key: a: SWORDFISHQX: b'),
      file('key: |x SWORDFISHQX\n'),
      file('keys: SWORDFISHQX'),
      { environment: { QUARTERMASTER_KEY: 'SWORDFISHQX' } },
      { args: ['--key', 'SWORDFISHQX'] },
      { args: ['--key=SWORDFISHQX'] },
      { args: ['--kye=SWORDFISHQX'] },
      { args: ['--no-key=SWORDFISHQX'] },
    ];
    for (const source of sources) {
      let message = 'accepted';
      try {
        loadConfig(careless, source);
      } catch (thrown) {
        message = JSON.stringify([String(thrown), thrown]);
      }
      expect(message).not.toBe('accepted');
      expect(message).not.toContain('SWORDFISH');
    }
  });

  it('checks rules over several keys and names the origin', () => {
    expect(refused({ args: ['--dry-run', '--listen-port=0'] }).message).toContain('listen-port (--listen-port): must be set in a dry run');
  });

  it('reads switches, their negation and what is no flag', () => {
    expect(load({ ...file('dry-run: true'), args: ['--no-dry-run'] }).values['dry-run']).toBe(false);
    expect(refused({ args: ['stray'] }).message).toContain('stray: is not a flag');
    expect(refused({ args: ['--listen-port'] }).message).toContain('--listen-port: needs a value');
    expect(refused({ args: ['--listen-address', '--dry-run'] }).message).toContain('--listen-address: needs a value');
    expect(load({ args: ['--listen-address=--x'] }).values['listen-address']).toBe('--x');
    expect(refused({ args: ['--listen-port', '-5'] }).message).toContain('listen-port (--listen-port): must be at least 0');
    expect(refused({ args: ['--no-listen-port'] }).message).toContain('only a switch can be negated');
  });

  it('never fails otherwise than by refusing, whatever the file holds', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ':', ' ', '\n', '-', '[', '{', '"', '#', '&', '*', '!', 'cache', 'labels') }),
        (text) => {
          try {
            load(file(text));
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(StatusError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

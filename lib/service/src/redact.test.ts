import { StatusError } from '@quartermaster/kernel';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hidden, Secret } from './config/secret.ts';
import { redact, redactFields } from './redact.ts';
import { isSensitiveName, withoutCredentials } from './sensitive.ts';

const needle = 'SWORDFISHQXZ';

const sensitiveNames = fc.constantFrom(
  'password',
  'DB_PASSWORD',
  'dbPassword',
  'token',
  'access-token',
  'id_tokens',
  'Authorization',
  'secret',
  'clientSecret',
  'kubeconfig',
  'pull-secret',
  'client-key-data',
  'clientKeyData',
  'apiKey',
  'x-api-key',
  'privateKey',
  'set-cookie',
  'awsSecretAccessKey',
);

/** A value with the needle somewhere, wrapped at random. */
const hiding = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5 },
    fc.constant(new Secret(needle)),
    sensitiveNames.map((name) => ({ [name]: needle })),
    sensitiveNames.map((name) => ({ [name]: { deep: [needle] } })),
    sensitiveNames.map((name) => new Map([[name, needle]])),
    sensitiveNames.map((name) => ({ name, value: needle })),
    fc.constant({ kind: 'Secret', metadata: { name: 'a', annotations: { last: needle } }, stringData: { plain: needle } }),
    fc.constant(new Error(`GET https://user:${needle}@host/ failed`)),
    fc.constant(new StatusError('unavailable', 'refused', { cause: new Error(`Bearer ${needle}`), details: { token: needle } })),
    tie('node').map((inner) => [1, inner]),
    tie('node').map((inner) => ({ name: 'x', inner })),
    tie('node').map((inner) => new Set([inner])),
    tie('node').map((inner) => ({ toJSON: () => inner })),
  ),
})).node;

describe('redact', () => {
  it('shows no secret at any depth, whatever holds it', () => {
    fc.assert(
      fc.property(hiding, (value) => {
        expect(JSON.stringify(redact({ value }))).not.toContain(needle);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps JSON that holds nothing sensitive as it is', () => {
    const names = fc.constantFrom('node', 'count', 'secretName', 'token-expiry', 'message', 'passwords-policy', '__proto__');
    const plain = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.stringMatching(/^[a-z ]{0,10}$/));
    const values = fc.dictionary(names, fc.oneof(plain, fc.array(plain, { maxLength: 5 }), fc.dictionary(names, plain)));
    fc.assert(
      fc.property(values, (value) => {
        expect(JSON.parse(JSON.stringify(redact(value)))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('never throws, and gives what JSON can hold', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withTypedArray: true }), (value) => {
        expect(() => JSON.stringify(redactFields({ value }))).not.toThrow();
      }),
    );
  });

  it('survives circles, throwing getters and depth', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const nasty = {
      get fine(): string {
        throw new Error('no');
      },
    };
    const deep: unknown = Array.from({ length: 50 }).reduce((inner) => ({ inner }), {});
    expect(redact(circle)).toEqual({ self: '[circular]' });
    expect(redact({ nasty })).toEqual({ nasty: '[unreadable]' });
    expect(JSON.stringify(redact(deep))).toContain('[deeper]');
  });

  it('shows the same object twice when it is no circle', () => {
    const node = { name: 'a' };
    expect(redact([node, node])).toEqual([{ name: 'a' }, { name: 'a' }]);
  });

  it('tells an expected failure without its stack and a bug with it', () => {
    const expected = redact(new StatusError('not_found', 'pod a/b: gone', { cause: new Error('404') }));
    expect(expected).toEqual({ code: 'not_found', message: 'pod a/b: gone: 404' });
    const bug = redact(new TypeError('x is undefined', { cause: new RangeError('far') })) as Record<string, string>;
    expect(bug).toMatchObject({ code: 'internal', name: 'TypeError', message: 'x is undefined: far' });
    expect(bug['stack']).toContain('redact.test.ts');
    expect(bug['stack']).toContain('caused by RangeError: far');
  });

  it('tells the parts of an aggregate', () => {
    const error = new AggregateError([new StatusError('unavailable', 'a'), 'b'], 'both failed');
    expect(redact(error)).toMatchObject({ message: 'both failed', errors: [{ code: 'unavailable', message: 'a' }, { message: 'b' }] });
  });

  it('names a Kubernetes Secret without showing what it holds', () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db', namespace: 'prod' }, data: { user: 'cm9vdA==' } };
    expect(redact(secret)).toEqual({ kind: 'Secret', name: 'db', namespace: 'prod', data: hidden });
  });

  it('keeps telling that a secret is absent', () => {
    expect(redact({ token: undefined, password: null, secret: false })).toEqual({ token: undefined, password: null, secret: false });
  });

  it('cuts long lists', () => {
    expect((redact(Array.from({ length: 150 }, (_, i) => i)) as unknown[]).at(-1)).toBe('[50 more]');
  });
});

describe('isSensitiveName', () => {
  it.each(['secretName', 'token-expiry', 'docker-image-pull-secrets-name', 'tokenCount', 'key', 'monkey', 'name'])('shows %s', (name) => {
    expect(isSensitiveName(name)).toBe(false);
  });
});

describe('withoutCredentials', () => {
  it.each([
    ['get https://bob:hunter2@registry/v2', `get https://${hidden}@registry/v2`],
    ['postgres://app:p%40ss@db:5432/x', `postgres://${hidden}@db:5432/x`],
    ['header Authorization: Bearer abcdef123456', `header Authorization: Bearer ${hidden}`],
    ['/login?user=bob&token=abc&x=1', `/login?user=bob&token=${hidden}&x=1`],
    ['got eyJhbGciOi.eyJzdWIiOi.sig-nature', `got ${hidden}`],
    ['-----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY-----', hidden],
    ['a basic rule of https://host/path?x=1@2', 'a basic rule of https://host/path?x=1@2'],
    ['limits cpu=500m', 'limits cpu=500m'],
  ])('turns %j into %j', (text, expected) => {
    expect(withoutCredentials(text)).toBe(expected);
  });
});

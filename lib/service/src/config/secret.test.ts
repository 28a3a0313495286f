import { format, inspect } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hidden, Secret } from './secret.ts';

/** Long enough, and of letters that no output has by chance. */
const secretTexts = fc.stringMatching(/^[Q-Z]{12,30}$/);

/** As code sees it that does not know what it prints. */
const anyValue = (value: unknown): unknown => value;

const ways: Readonly<Record<string, (secret: Secret) => string>> = {
  'String()': (secret) => String(secret),
  'a template literal': (secret) => `a ${anyValue(secret) as string}`,
  concatenation: (secret) => ['', secret].join('x'),
  'JSON.stringify': (secret) => JSON.stringify({ password: secret }),
  'JSON.stringify of a list': (secret) => JSON.stringify([[secret]]),
  'util.inspect': (secret) => inspect({ a: { b: { c: secret } } }, { depth: 10, showHidden: true, getters: true }),
  'util.inspect without its hook': (secret) => inspect(secret, { customInspect: false, showHidden: true, depth: 10 }),
  'util.format': (secret) => format('%s %o %O %j %d', secret, secret, secret, secret, secret),
  spread: (secret) => inspect({ ...(anyValue(secret) as object) }),
  'Object.entries': (secret) => inspect(Object.entries(secret)),
  'Object.assign': (secret) => inspect(Object.assign({}, secret)),
  'for in': (secret) => {
    const names: string[] = [];
    for (const name in secret) names.push(name);
    return inspect(names);
  },
  'own properties, symbols included': (secret) => inspect(Object.getOwnPropertyDescriptors(secret)),
  structuredClone: (secret) => inspect(structuredClone(secret), { showHidden: true }),
  'v8.serialize': (secret) => `${serialize(secret).toString('latin1')} ${inspect(deserialize(serialize(secret)))}`,
  'an error message': (secret) => inspect(new Error(`login with ${anyValue(secret) as string} failed`, { cause: secret })),
  'Object.prototype.toLocaleString': (secret: Secret) => secret.toLocaleString(),
  'Object.prototype.toString': (secret) => Object.prototype.toString.call(secret),
  'a URL': (secret) => new URLSearchParams({ token: String(secret) }).toString(),
};

describe('Secret', () => {
  it.each(Object.entries(ways))('does not leak through %s', (_name, print) => {
    fc.assert(
      fc.property(secretTexts, (text) => {
        expect(print(new Secret(text))).not.toContain(text);
      }),
      { numRuns: 30 },
    );
  });

  it('does not leak what is inside an object that it holds', () => {
    const secret = new Secret({ user: 'ROBERTUS', password: 'SWORDFISHQX' });
    expect(inspect(secret, { showHidden: true, depth: 10 })).toBe(hidden);
    expect(JSON.stringify({ secret })).toBe('{"secret":"[secret]"}');
  });

  it('gives its value to who asks for it', () => {
    expect(new Secret('SWORDFISH').reveal()).toBe('SWORDFISH');
  });
});

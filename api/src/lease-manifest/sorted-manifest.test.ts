import { codeOf, messageOf } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { sortedManifest } from './sorted-manifest.ts';

describe('a manifest with its keys in order', () => {
  it('is the same text in whatever order it came, under the names of the JSON', () => {
    const of = (data: unknown): string => sortedManifest(JSON.stringify(data));
    const sorted =
      '[{"name":"a\\u003cb","services":[{"command":null,"credentials":null,"resources":{"endpoints":[{"sequence_number":0}],"memory":{"size":{"val":"1"}}}}]}]';
    const memory = { attributes: [], quantity: { val: '1' } };
    const endpoints = [{ sequenceNumber: 0, kind: 0 }];
    expect(of([{ services: [{ resources: { memory, endpoints }, command: [] }], name: 'a<b' }])).toBe(sorted);
    expect(sortedManifest(sorted)).toBe(sorted);
  });

  it('keeps what nobody knows of', () => {
    expect(sortedManifest('[{"z":{"b":1,"a":[]},"__proto__":{"y":2}}]')).toBe('[{"__proto__":{"y":2},"z":{"a":[],"b":1}}]');
  });

  it('is refused where it is not JSON, or too deep for anybody, without a word of it', () => {
    for (const text of ['{"password": hush}', '['.repeat(100_000) + ']'.repeat(100_000)]) {
      let thrown: unknown;
      try {
        sortedManifest(text);
      } catch (caught) {
        thrown = caught;
      }
      expect(codeOf(thrown)).toBe('invalid_argument');
      expect(messageOf(thrown)).not.toContain('hush');
    }
  });
});

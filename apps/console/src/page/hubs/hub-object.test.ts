import { describe, expect, it } from 'vitest';
import { secretWords } from './hub-object.ts';

describe('a secret in words', () => {
  it('says whether it is set or where it is, and never what it is', () => {
    expect(secretWords('', undefined)).toBe('not set');
    expect(secretWords('PHJlZGFjdGVkPg==', undefined)).toBe('set');
    expect(secretWords('', { file: '/etc/hub' })).toBe('in the file /etc/hub');
    expect(secretWords('', { kubernetes_secret: { namespace: 'a', name: 'b', key: 'c' } })).toBe('in the Secret a/b, key c');
  });
});

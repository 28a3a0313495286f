import { describe, expect, it } from 'vitest';
import { stateKey } from './inventory-topics.ts';

describe('the topics of the inventory', () => {
  it('have keys for names of any length', () => {
    const long = stateKey('cluster', 'n'.repeat(253));
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(255);
    expect(stateKey('cluster', `${'n'.repeat(252)}x`)).not.toBe(long);
  });
});

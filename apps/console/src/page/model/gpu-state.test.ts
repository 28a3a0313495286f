import { describe, expect, it } from 'vitest';
import { gpuTone, gpuWord } from './gpu-state.ts';
import { shortId } from './short-id.ts';

const holder = { namespace: 'n', pod: 'p' };

describe('the state of a card', () => {
  it('is held back in quarantine, whoever holds it', () => {
    expect(gpuTone({ state: 'quarantined', holder }, 'sellable')).toBe('held');
    expect(gpuWord({ state: 'quarantined', holder }, 'sellable')).toBe('in quarantine, allocated');
  });

  it('is unknown on a silent node, whatever it was', () => {
    expect(gpuTone({ state: 'quarantined' }, 'unknown')).toBe('unknown');
    expect(gpuWord({ state: 'healthy', holder }, 'unknown')).toBe('healthy when last known, node silent');
  });

  it('is that of its holder, or else of its node', () => {
    expect(gpuTone({ state: 'healthy', holder }, 'held-back')).toBe('allocated');
    expect(gpuTone({ state: 'healthy' }, 'held-back')).toBe('held');
    expect(gpuTone({ state: 'healthy', holder }, 'unknown')).toBe('unknown');
    expect(gpuTone({ state: 'unknown' }, 'sellable')).toBe('good');
    expect(gpuWord({ state: 'unknown' }, 'sellable')).toBe('health unknown, no holder known');
  });
});

describe('shortId', () => {
  it('keeps both ends of a long id and all of a short one', () => {
    expect(shortId('GPU-12345678-1234-1234-1234-123456789012')).toBe('GPU-12345678…3456789012');
    expect(shortId('node-1/0000:17:00.0')).toBe('node-1/0000:17:00.0');
  });
});

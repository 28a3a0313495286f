import { describe, expect, it } from 'vitest';
import { gpuWord } from './gpu-state.ts';
import { shortId } from './short-id.ts';

const holder = { namespace: 'n', pod: 'p' };

describe('the state of a card', () => {
  it('is held back in quarantine, whoever holds it', () => {
    expect(gpuWord({ state: 'quarantined', fill: 'held-back', holder })).toBe('in quarantine, allocated');
    expect(gpuWord({ state: 'quarantined', fill: 'held-back' })).toBe('in quarantine');
  });

  it('is unknown on a silent node, whatever it was', () => {
    expect(gpuWord({ state: 'quarantined', fill: 'unknown' })).toBe('in quarantine when last known, node silent');
    expect(gpuWord({ state: 'healthy', fill: 'unknown', holder })).toBe('healthy when last known, node silent');
  });

  it('is that of its holder, or else of its node', () => {
    expect(gpuWord({ state: 'healthy', fill: 'allocated', holder })).toBe('healthy, allocated');
    expect(gpuWord({ state: 'healthy', fill: 'held-back' })).toBe('healthy, node held back');
    expect(gpuWord({ state: 'unknown', fill: 'sellable' })).toBe('health unknown, no holder known');
  });
});

describe('shortId', () => {
  it('keeps both ends of a long id and all of a short one', () => {
    expect(shortId('GPU-12345678-1234-1234-1234-123456789012')).toBe('GPU-12345678…3456789012');
    expect(shortId('node-1/0000:17:00.0')).toBe('node-1/0000:17:00.0');
  });
});

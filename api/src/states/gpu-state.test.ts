import { describe, expect, it } from 'vitest';
import { gpuFill, gpuState } from './gpu-state.ts';

const holder = { namespace: 'n', pod: 'p' };

describe('the state of a card', () => {
  it('is held back in quarantine, whoever holds it', () => {
    expect(gpuState({ state: 'quarantined', fill: 'held-back', holder })).toEqual({ word: 'In quarantine, allocated', tone: 'held' });
    expect(gpuState({ state: 'quarantined', fill: 'held-back' }).word).toBe('In quarantine');
  });

  it('is unknown on a silent node, whatever it was', () => {
    expect(gpuState({ state: 'quarantined', fill: 'unknown' }).word).toBe('In quarantine when last known, node silent');
    expect(gpuState({ state: 'healthy', fill: 'unknown', holder })).toEqual({
      word: 'Healthy when last known, node silent',
      tone: 'unknown',
    });
  });

  it('is that of its holder, or else of its node', () => {
    expect(gpuState({ state: 'healthy', fill: 'allocated', holder })).toEqual({ word: 'Healthy, allocated', tone: 'allocated' });
    expect(gpuState({ state: 'healthy', fill: 'held-back' }).word).toBe('Healthy, node held back');
    expect(gpuState({ state: 'unknown', fill: 'sellable' }).word).toBe('Health unknown, no holder known');
  });
});

describe('what a card counts as', () => {
  it('is unknown before it is held back, held back before allocated, and allocated before anything else', () => {
    const sick = { state: 'quarantined', holder } as const;
    expect(gpuFill(sick, 'unknown')).toBe('unknown');
    expect(gpuFill(sick, 'sellable')).toBe('held-back');
    expect(gpuFill({ state: 'healthy', holder }, 'held-back')).toBe('allocated');
    expect(gpuFill({ state: 'healthy' }, 'held-back')).toBe('held-back');
    expect(gpuFill({ state: 'healthy', parts: [{}] }, 'sellable')).toBe('held-back');
    expect(gpuFill({ state: 'healthy', parts: [{ holder }], holder }, 'sellable')).toBe('allocated');
    expect(gpuState({ state: 'healthy', fill: 'held-back', parts: [{}, { holder }] }).word).toBe('Healthy, in parts, 1 of 2 allocated');
    expect(gpuFill({ state: 'healthy' }, 'sellable')).toBe('sellable');
  });
});

import { expect, it } from 'vitest';
import { podTone } from './pod-tone.ts';

it('is plain for a phase that nobody has heard of', () => {
  expect(['Running', 'Pending', 'Succeeded', 'Failed', 'Unknown', 'Evicting'].map(podTone)).toEqual([
    'allocated',
    'reserved',
    'plain',
    'failed',
    'unknown',
    'plain',
  ]);
});

import { expect, it } from 'vitest';
import { placeWord, resourceWord } from './resource-words.ts';

it('has one word for a resource and for a place, wherever they are shown', () => {
  expect(['cpu', 'ephemeral-storage', 'storage/beta3', 'leased-ips', 'nvidia.com/gpu'].map(resourceWord)).toEqual([
    'CPU',
    'ephemeral storage',
    'storage class beta3',
    'leased addresses',
    'nvidia.com/gpu',
  ]);
  expect(['node/gpu-1', 'storage/beta3', 'ports'].map(placeWord)).toEqual(['node gpu-1', 'storage class beta3', 'external ports']);
});

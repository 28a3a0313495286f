import { describe, expect, it } from 'vitest';
import { nodeResources } from './node-resources.ts';

const of = (allocatable: Readonly<Record<string, string>>, capacity = allocatable) => nodeResources({ capacity, allocatable });

describe('what a kubelet says that its node has', () => {
  it('is read as whole millicores, bytes and pieces', () => {
    expect(of({ cpu: '1500m', memory: '2Gi', 'ephemeral-storage': '1k', 'nvidia.com/gpu': '8', pods: '110' })).toEqual({
      cpu: { capacity: 1500, allocatable: 1500 },
      memory: { capacity: 2 ** 31, allocatable: 2 ** 31 },
      ephemeralStorage: { capacity: 1000, allocatable: 1000 },
      extended: new Map([['nvidia.com/gpu', { capacity: 8, allocatable: 8 }]]),
      podLimit: 110,
      problems: [],
    });
  });

  it('never offers more than there is', () => {
    expect(of({ cpu: '8', 'nvidia.com/gpu': '4' }, { cpu: '4', 'nvidia.com/gpu': '2' })).toMatchObject({
      cpu: { capacity: 4000, allocatable: 4000 },
      extended: new Map([['nvidia.com/gpu', { capacity: 2, allocatable: 2 }]]),
    });
  });

  it('has no limit of pods where it does not say one, and room for none where it says zero', () => {
    expect(of({ cpu: '1' }).podLimit).toBeUndefined();
    expect(of({ pods: '0' }).podLimit).toBe(0);
  });

  it.each([
    ['18446744073709551615', 'more than any machine has'],
    ['-1', 'negative'],
    ['9007199254740992', 'more than any machine has'],
    ['many', 'many'],
  ])('counts %s as none and says so once, rather than to sell what nobody has', (text, said) => {
    const { extended, problems } = of({ 'nvidia.com/gpu': text });
    expect(extended.get('nvidia.com/gpu')).toEqual({ capacity: 0, allocatable: 0 });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^nvidia\.com\/gpu: /);
    expect(problems[0]).toContain(said);
  });

  it('has the largest amount that can be counted exactly', () => {
    expect(of({ memory: String(Number.MAX_SAFE_INTEGER) })).toMatchObject({
      memory: { allocatable: Number.MAX_SAFE_INTEGER },
      problems: [],
    });
  });
});

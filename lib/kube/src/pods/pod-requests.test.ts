import { readFileSync } from 'node:fs';
import { codeOf, messageOf } from '@quartermaster/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../generated/shapes.ts';
import {
  type CountedContainer,
  type CountedPod,
  countsOnNode,
  type PodRequests,
  podRequests,
  type ResourceAmounts,
} from './pod-requests.ts';

interface Vector {
  readonly name: string;
  readonly pod: CountedPod;
  readonly expected: Omit<PodRequests, 'extended'> & { readonly extended: Readonly<Record<string, number>> };
}

const vectors: { readonly pods: readonly Vector[] } = JSON.parse(
  readFileSync(new URL('./vectors/pod-requests.json', import.meta.url), 'utf8'),
);

const plain = (requests: PodRequests): Vector['expected'] => ({ ...requests, extended: Object.fromEntries(requests.extended) });

describe('podRequests, against the scheduler’s own code', () => {
  it.each(vectors.pods)('counts as the scheduler does: $name', ({ pod, expected }) => {
    expect(plain(podRequests(pod))).toEqual(expected);
  });

  it('has vectors of every kind', () => {
    expect(vectors.pods.length).toBeGreaterThanOrEqual(90);
  });
});

const amounts: fc.Arbitrary<ResourceAmounts> = fc.dictionary(
  fc.constantFrom('cpu', 'memory', 'ephemeral-storage', 'nvidia.com/gpu', 'hugepages-2Mi', 'pods'),
  fc.tuple(fc.nat(5000), fc.constantFrom('n', 'u', 'm', '', 'k', 'Ki', 'Mi')).map(([value, suffix]) => `${value}${suffix}`),
);
const container = (restartPolicy?: string): fc.Arbitrary<CountedContainer> =>
  amounts.map((requests) => ({ name: 'c', resources: { requests }, restartPolicy }));
const pods: fc.Arbitrary<CountedPod> = fc
  .record({
    containers: fc.array(container(), { maxLength: 4 }),
    initContainers: fc.array(fc.oneof(container(), container('Always')), { maxLength: 4 }),
  })
  .map((spec) => ({ spec }));

/** Every amount of the one is at least that of the other. */
function covers(larger: PodRequests, smaller: PodRequests): boolean {
  const names = new Set([...larger.extended.keys(), ...smaller.extended.keys()]);
  return (
    larger.cpuMillis >= smaller.cpuMillis &&
    larger.memoryBytes >= smaller.memoryBytes &&
    larger.ephemeralStorageBytes >= smaller.ephemeralStorageBytes &&
    [...names].every((name) => (larger.extended.get(name) ?? 0) >= (smaller.extended.get(name) ?? 0))
  );
}

const withContainers = (pod: CountedPod, containers: readonly CountedContainer[]): CountedPod => ({
  ...pod,
  spec: { ...pod.spec, containers },
});
const withInit = (pod: CountedPod, initContainers: readonly CountedContainer[]): CountedPod => ({
  ...pod,
  spec: { ...pod.spec, initContainers },
});

describe('podRequests', () => {
  it('does not depend on the order of app containers', () => {
    fc.assert(
      fc.property(pods, (pod) => {
        expect(plain(podRequests(withContainers(pod, (pod.spec?.containers ?? []).toReversed())))).toEqual(plain(podRequests(pod)));
      }),
    );
  });

  it('never falls when a container is added, of whatever kind and in whatever place', () => {
    fc.assert(
      fc.property(pods, container(), container('Always'), fc.nat(4), (pod, ordinary, sidecar, at) => {
        const before = podRequests(pod);
        const init = pod.spec?.initContainers ?? [];
        expect(covers(podRequests(withContainers(pod, [...(pod.spec?.containers ?? []), ordinary])), before)).toBe(true);
        expect(covers(podRequests(withInit(pod, init.toSpliced(at, 0, ordinary))), before)).toBe(true);
        expect(covers(podRequests(withInit(pod, init.toSpliced(at, 0, sidecar))), before)).toBe(true);
      }),
    );
  });

  it('counts a sidecar after every init container as one more app container', () => {
    fc.assert(
      fc.property(pods, container('Always'), (pod, sidecar) => {
        const ordinary = (pod.spec?.initContainers ?? []).filter((init) => init.restartPolicy === undefined);
        const base = withInit(pod, ordinary);
        const asApp = withContainers(base, [...(pod.spec?.containers ?? []), sidecar]);
        expect(plain(podRequests(withInit(base, [...ordinary, sidecar])))).toEqual(plain(podRequests(asApp)));
      }),
    );
  });

  it('takes as least amount what each ordinary init container asks for', () => {
    fc.assert(
      fc.property(pods, container(), (pod, init) => {
        const alone = podRequests({ spec: { containers: [init] } });
        expect(covers(podRequests(withInit(pod, [...(pod.spec?.initContainers ?? []), init])), alone)).toBe(true);
      }),
    );
  });

  it('counts a status that repeats the spec as no status', () => {
    fc.assert(
      fc.property(amounts, amounts, (first, second) => {
        const spec = {
          containers: [
            { name: 'a', resources: { requests: first } },
            { name: 'b', resources: { requests: second } },
          ],
        };
        const containerStatuses = spec.containers.map(({ name, resources }) => ({
          name,
          resources,
          allocatedResources: resources.requests,
        }));
        expect(plain(podRequests({ spec, status: { containerStatuses } }))).toEqual(plain(podRequests({ spec })));
      }),
    );
  });

  it('leaves the pod as it was', () => {
    for (const { pod } of vectors.pods) {
      const before = structuredClone(pod);
      podRequests(pod);
      expect(pod).toEqual(before);
    }
  });

  it('takes a full pod of the API as it is', () => {
    const pod: Pod = {
      metadata: { name: 'web' },
      spec: { nodeName: 'n1', containers: [{ name: 'web', resources: { requests: { cpu: '2' } } }] },
    };
    expect(podRequests(pod).cpuMillis).toBe(2000);
    expect(countsOnNode(pod)).toBe(true);
  });

  it('gives the largest exact number for amounts beyond it', () => {
    const requests = { cpu: '9E', memory: '8Ei', 'ephemeral-storage': '9007199254740993', 'example.com/atoms': '1e30' };
    expect(plain(podRequests({ spec: { containers: [{ name: 'web', resources: { requests } }] } }))).toEqual({
      cpuMillis: Number.MAX_SAFE_INTEGER,
      memoryBytes: Number.MAX_SAFE_INTEGER,
      ephemeralStorageBytes: Number.MAX_SAFE_INTEGER,
      extended: { 'example.com/atoms': Number.MAX_SAFE_INTEGER },
    });
  });

  it('names the container and the resource of a quantity that is none', () => {
    let thrown: unknown;
    try {
      podRequests({ spec: { containers: [{ name: 'web', resources: { requests: { memory: '1GB' } } }] } });
    } catch (error) {
      thrown = error;
    }
    expect(codeOf(thrown)).toBe('invalid_argument');
    expect(messageOf(thrown)).toMatch(/pod requests of web, resource memory: .*"1GB" must be/);
  });
});

describe('countsOnNode', () => {
  it.each([
    ['counts', true, { spec: { nodeName: 'n1' } }],
    ['counts', true, { spec: { nodeName: 'n1' }, status: { phase: 'Pending' } }],
    ['counts', true, { spec: { nodeName: 'n1' }, status: { phase: 'Running' } }],
    ['counts', true, { spec: { nodeName: 'n1' }, status: { phase: 'Unknown' } }],
    ['counts', true, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, spec: { nodeName: 'n1' }, status: { phase: 'Running' } }],
    ['does not count', false, { spec: { nodeName: 'n1' }, status: { phase: 'Succeeded' } }],
    ['does not count', false, { spec: { nodeName: 'n1' }, status: { phase: 'Failed' } }],
    [
      'does not count',
      false,
      { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, spec: { nodeName: 'n1' }, status: { phase: 'Failed' } },
    ],
    ['does not count', false, { spec: { nodeName: '' }, status: { phase: 'Pending' } }],
    ['does not count', false, { spec: {}, status: { phase: 'Running' } }],
    ['does not count', false, {}],
  ])('%s (%s): %j', (_, expected, pod: CountedPod) => {
    expect(countsOnNode(pod)).toBe(expected);
  });
});

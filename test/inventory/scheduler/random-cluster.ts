import fc from 'fast-check';
import type { Amounts, CorpusContainer, CorpusSpec } from './corpus-pod.ts';

/** One thing that happens in a cluster. */
export type Step =
  | {
      readonly kind: 'submit';
      readonly spec: CorpusSpec /** Index of the only node that it may go to, where it says one. */;
      readonly only: number | undefined;
    }
  | { readonly kind: 'end' /** Which of the running pods. */; readonly which: number };

export interface RandomCluster {
  readonly nodes: readonly Amounts[];
  readonly steps: readonly Step[];
}

const image = 'registry.invalid/random';
const gpuName = 'nvidia.com/gpu';

/** Small numbers, so that amounts often fit exactly or lack one piece. */
const node: fc.Arbitrary<Amounts> = fc
  .record({
    cpu: fc.integer({ min: 1, max: 6 }),
    memory: fc.integer({ min: 1, max: 6 }),
    storage: fc.integer({ min: 1, max: 6 }),
    gpus: fc.nat(4),
    pages: fc.nat(4),
    pods: fc.constantFrom(1, 2, 3, 110),
  })
  .map(({ cpu, memory, storage, gpus, pages, pods }) => ({
    cpu: `${cpu * 500}m`,
    memory: `${memory}Gi`,
    'ephemeral-storage': `${storage}Gi`,
    pods: String(pods),
    ...(gpus === 0 ? {} : { [gpuName]: String(gpus) }),
    ...(pages === 0 ? {} : { 'hugepages-2Mi': `${pages * 2}Mi` }),
  }));

const container = (name: string, restartPolicy?: 'Always'): fc.Arbitrary<CorpusContainer> =>
  fc
    .record({ cpu: fc.nat(3), memory: fc.nat(3), storage: fc.nat(8), gpus: fc.nat(9), pages: fc.nat(9), asLimit: fc.boolean() })
    .map(({ cpu, memory, storage, gpus, pages, asLimit }) => {
      const shared: Record<string, string> = {
        ...(cpu === 0 ? {} : { cpu: `${cpu * 250}m` }),
        ...(memory === 0 && pages > 2 ? {} : { memory: `${Math.max(memory, 1) * 512}Mi` }),
        ...(storage === 0 || storage > 3 ? {} : { 'ephemeral-storage': `${storage * 512}Mi` }),
      };
      const own: Record<string, string> = {
        ...(gpus === 0 || gpus > 2 ? {} : { [gpuName]: String(gpus) }),
        ...(pages === 0 || pages > 2 ? {} : { 'hugepages-2Mi': `${pages * 2}Mi` }),
      };
      const resources = asLimit ? { limits: { ...shared, ...own } } : { requests: { ...shared, ...own }, limits: own };
      return { name, image, resources, ...(restartPolicy === undefined ? {} : { restartPolicy }) };
    });

const initContainers: fc.Arbitrary<readonly CorpusContainer[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: container('init').map((init) => [init]) },
  { weight: 1, arbitrary: container('side', 'Always').map((side) => [side]) },
  { weight: 1, arbitrary: fc.tuple(container('side', 'Always'), container('init')) },
);

const spec: fc.Arbitrary<CorpusSpec> = fc.record({
  containers: fc.oneof(
    container('a').map((a) => [a]),
    fc.tuple(container('a'), container('b')),
  ),
  initContainers,
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('submit' as const), spec, only: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('submit' as const), spec, only: fc.constant(undefined) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(99) }) },
);

export const randomClusters: fc.Arbitrary<RandomCluster> = fc.record({
  nodes: fc.array(node, { minLength: 2, maxLength: 4 }),
  steps: fc.array(step, { minLength: 12, maxLength: 20 }),
});

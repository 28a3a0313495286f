import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { podOf } from '../../test/sample-book.ts';
import { a100, Gi, gpus, t4, unit } from '../../test/sample-facts.ts';
import { missingUnits, undercounted } from '../../test/unit-assignments.ts';
import type { LeasePod } from '../model/inventory-change.ts';
import type { PlannedUnit } from '../placement/plan.ts';
import type { CardGroup } from '../placement/stock-facts.ts';
import { type Promised, waitingReplicas } from './waiting-replicas.ts';

const cardKinds: readonly { readonly want: string; readonly got: CardGroup }[] = [
  { want: 'a100', got: a100 },
  { want: 't4', got: t4 },
  { want: '*', got: t4 },
];

interface AnyUnit {
  readonly count: number;
  readonly cpu: number;
  readonly memory: number;
  /** 0: none. */
  readonly card: number;
  readonly classes: readonly string[];
}

function promise(units: readonly AnyUnit[]): Promised {
  const volumesOf = ({ classes }: AnyUnit) => classes.map((each) => ({ name: each, class: each, bytes: Gi }));
  const cardOf = ({ card }: AnyUnit) => (card === 0 ? undefined : cardKinds[card - 1]);
  return {
    request: {
      units: units.map((each, at) => unit({ id: at, count: each.count, gpus: cardOf(each) && gpus(1, cardOf(each)?.want ?? '') })),
    },
    plan: {
      units: units.map((each, at): PlannedUnit => {
        const got = cardOf(each)?.got;
        const cards = got && { resource: 'nvidia.com/gpu', group: undefined, count: 1, groups: [got] };
        const replicas = Array.from({ length: each.count }, (_, index) => ({ node: `n${(at + index) % 3}`, uid: 'u', cards }));
        return { id: at, cpuMillis: each.cpu, memoryBytes: each.memory, ephemeralBytes: 0, volumes: volumesOf(each), replicas };
      }),
      ports: 0,
      ips: 0,
    },
  };
}

const anyUnits = fc.array(
  fc.record({
    count: fc.constantFrom(1, 1, 2, 3),
    cpu: fc.constantFrom(1000, 1000, 2000),
    memory: fc.constantFrom(Gi, Gi, 2 * Gi),
    card: fc.constantFrom(0, 0, 1, 2, 3),
    classes: fc.constantFrom<readonly string[]>([], [], ['fast'], ['fast', 'wide']),
  }),
  { minLength: 1, maxLength: 3 },
);

const anyPods = fc.array(
  fc.record({
    service: fc.constantFrom('', 'web', 'db', 'worker'),
    of: fc.nat(2),
    added: fc.constantFrom(0, 0, 0, 1, 1000, 2000, -1),
    node: fc.integer({ min: 0, max: 3 }),
    groups: fc.constantFrom<readonly CardGroup[] | undefined>(undefined, undefined, [t4], [a100, t4], []),
  }),
  { maxLength: 5 },
);

function podsOf(promised: Promised, drawn: typeof anyPods extends fc.Arbitrary<infer T> ? T : never): readonly LeasePod[] {
  const { units } = promised.plan;
  return drawn.map(({ service, of, added, node, groups }, at) => {
    const planned = units[of % units.length];
    const pod = podOf({ name: 'x', plan: { units: planned === undefined ? [] : [planned], ports: 0, ips: 0 } });
    const cardGroups = pod.cards.size === 0 ? [] : (groups ?? pod.cardGroups);
    return { ...pod, uid: `pod-${at}`, service, node: `n${node}`, cpuMillis: pod.cpuMillis + added, cardGroups };
  });
}

describe('waiting replicas', () => {
  it('serve all that does not run, of whichever units the pods are, and are nothing else where that is known', () => {
    const seen = { unsure: 0, sure: 0 };
    fc.assert(
      fc.property(anyUnits, anyPods, (units, drawn) => {
        const promised = promise(units);
        const pods = podsOf(promised, drawn);
        const waiting = waitingReplicas(promised, pods);
        expect(undercounted(promised, pods, waiting)).toBeUndefined();
        const [missing, ...others] = missingUnits(promised, pods);
        seen[others.length > 0 ? 'unsure' : 'sure'] += 1;
        if (missing !== undefined && others.length === 0) expect(waiting.map((each) => each.unit.id)).toEqual(missing.map(({ id }) => id));
      }),
      { numRuns: 10_000 },
    );
    expect(Math.min(seen.unsure, seen.sure)).toBeGreaterThan(1_000);
  });
});

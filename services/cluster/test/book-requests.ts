import type { Request, Unit } from '../src/placement/request.ts';
import { Gi, gpus, unit } from './sample-facts.ts';

const volume = (name: string, className: string, gib: number) => ({ kind: 'persistent', name, class: className, bytes: gib * Gi }) as const;
/** What is asked for in sequences. */
export const requests: readonly Request[] = (
  [
    [unit({ count: 2 })],
    [unit({ count: 3, memoryBytes: 2 * Gi, volumes: [{ kind: 'ephemeral', name: 'tmp', bytes: Gi }] })],
    [unit({ gpus: gpus(1, 'a100') })],
    [unit({ gpus: gpus(1, '*'), count: 2, randomPorts: 1 })],
    [unit(), unit({ id: 2, count: 2, gpus: gpus(1, 't4') })],
    [unit({ gpus: gpus(1, 'a100') }), unit({ id: 2, gpus: gpus(1, 't4') }), unit({ id: 3, gpus: gpus(1, '*') })],
    [unit(), unit({ id: 2, cpuMillis: 1050 })],
    [unit({ volumes: [volume('data', 'disk', 2)] }), unit({ id: 2, volumes: [volume('data', 'disk', 1)] })],
    [unit({ count: 2, volumes: [volume('data', 'local', 2)] })],
    [unit({ volumes: [volume('data', 'local', 3), { kind: 'ephemeral', name: 'tmp', bytes: Gi }] })],
    [unit({ volumes: [volume('data', 'flash', 2)] })],
    [unit({ volumes: [{ kind: 'ephemeral', name: 'tmp', bytes: 3 * Gi }] })],
    [unit({ randomPorts: 2, leasedIps: ['front'] })],
    [unit({ cpuMillis: 3000, memoryBytes: 4 * Gi, volumes: [{ kind: 'ram', name: 'shm', bytes: Gi }] })],
  ] satisfies Unit[][]
).map((units) => ({ units }));

/** Where those are that are for volumes or ephemeral storage. */
export const storageRequests: readonly number[] = requests.flatMap(({ units }, at) =>
  units.some(({ volumes }) => volumes.some(({ kind }) => kind !== 'ram')) ? at : [],
);
